/** Letters and digits that are hard to confuse, in the order of their codes. */
const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const TIME_CHARS = 8;
const RANDOM_CHARS = 10;

// Random bytes for many ids at once: fetching them costs more than the rest of an id.
const pool = new Uint8Array(RANDOM_CHARS * 200);
let used = pool.length;

let lastNow = -1;
let lastTime = "";

/** Encodes the time of the first id in a millisecond. */
function writeTime(now: number): void {
  let rest = now;
  let time = "";
  for (let place = 0; place < TIME_CHARS; place += 1) {
    time = ALPHABET[rest % ALPHABET.length] + time;
    rest = Math.floor(rest / ALPHABET.length);
  }
  lastNow = now;
  lastTime = time;
}

/** Creates an id as `newExecutionId` does, with any prefix. */
export function newId(prefix: string, now: number = Date.now()): string {
  if (used === pool.length) {
    crypto.getRandomValues(pool);
    used = 0;
  }
  let random = "";
  // 256 is no multiple of 58: the slight bias costs a fraction of a bit.
  for (let place = 0; place < RANDOM_CHARS; place += 1) random += ALPHABET[(pool[used++] ?? 0) % ALPHABET.length];
  if (now !== lastNow) writeTime(now);
  return `${prefix}_${lastTime}${random}`;
}

/**
 * `exec_` and 18 characters: eight of the time in milliseconds, so that ids sort by it and an index of them grows at its
 * end, and ten random ones (58 bits). The caller creates it if it must be able to cancel the call.
 */
export const newExecutionId = (now: number = Date.now()): string => newId("exec", now);
