const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/** Named here, so that a call can be cancelled before the server has answered. */
export function newExecutionId(): string {
  const random = crypto.getRandomValues(new Uint8Array(16));
  // 256 is no multiple of 58: the slight bias of the first letters costs less than one of the 93 bits.
  return `exec_${Array.from(random, (byte) => ALPHABET[byte % ALPHABET.length]).join("")}`;
}
