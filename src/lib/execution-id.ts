/** Letters and digits that cannot be mistaken for one another, in the order of their codes. */
const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const TIME_CHARS = 8;
const RANDOM_CHARS = 10;

/**
 * `exec_` and 18 characters: eight of the time in milliseconds, so that ids sort by it and an index of them grows at its
 * end, and ten at random (58 bits). Made by the caller where a call must be cancellable before it is answered.
 */
export function newExecutionId(now: number = Date.now()): string {
  let rest = now;
  let time = "";
  for (let place = 0; place < TIME_CHARS; place += 1) {
    time = ALPHABET[rest % ALPHABET.length] + time;
    rest = Math.floor(rest / ALPHABET.length);
  }
  let random = "";
  // 256 is no multiple of 58; the slight bias of the first letters costs a fraction of a bit.
  for (const byte of crypto.getRandomValues(new Uint8Array(RANDOM_CHARS))) random += ALPHABET[byte % ALPHABET.length];
  return `exec_${time}${random}`;
}
