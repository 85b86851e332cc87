// Runs as it is, without a build: the stdio gateway is a command.

/** The bytes kept of both ends of an oversized line, to find its message id. */
const KEPT_BYTES = 4096;
const NEWLINE = 10;

/**
 * @typedef {{ head: string, tail: string, bytes: number }} OversizedLine beginning and end of a line that was too long
 * @typedef {object} LineEvents
 * @property {(text: string, hasBreak: boolean) => void} line without its line break
 * @property {(head: string) => void} [oversized] the line passed the limit; the rest of it is discarded
 * @property {(ends: OversizedLine) => void} oversizedEnd the end of an oversized line
 */

/** Splits bytes into lines, holding at most `maxBytes` of one. */
export class LineSplitter {
  #maxBytes;
  #events;
  /** @type {Buffer[]} */
  #parts = [];
  #bytes = 0;
  /** @type {{ head: string, tail: Buffer } | null} */
  #dropped = null;

  /** @param {number} maxBytes @param {LineEvents} events */
  constructor(maxBytes, events) {
    this.#maxBytes = maxBytes;
    this.#events = events;
  }

  /** @param {Buffer} chunk */
  push(chunk) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      this.#take(chunk.subarray(from, end));
      this.#endLine(true);
      from = end + 1;
    }
    if (from < chunk.length) this.#take(chunk.subarray(from));
  }

  /** Emits the unfinished line at the end of the stream. */
  flush() {
    if (this.#bytes > 0) this.#endLine(false);
  }

  /** @param {Buffer} part */
  #take(part) {
    this.#bytes += part.length;
    if (this.#dropped !== null) {
      this.#dropped.tail = copyTail([this.#dropped.tail, part]);
      return;
    }
    if (part.length > 0) this.#parts.push(part);
    if (this.#bytes <= this.#maxBytes) return;
    const head = Buffer.concat(this.#parts.slice(0, KEPT_BYTES)).subarray(0, KEPT_BYTES).toString("utf8");
    this.#dropped = { head, tail: copyTail(this.#parts) };
    this.#parts = [];
    this.#events.oversized?.(head);
  }

  /** @param {boolean} hasBreak */
  #endLine(hasBreak) {
    const dropped = this.#dropped;
    const bytes = this.#bytes;
    const parts = this.#parts;
    this.#parts = [];
    this.#bytes = 0;
    this.#dropped = null;
    if (dropped !== null) {
      this.#events.oversizedEnd({ head: dropped.head, tail: dropped.tail.toString("utf8"), bytes });
      return;
    }
    const whole = parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
    const text = whole.toString("utf8");
    this.#events.line(text.endsWith("\r") ? text.slice(0, -1) : text, hasBreak);
  }
}

/** Copies the tail: a subarray keeps its whole chunk in memory. @param {Buffer[]} parts */
function copyTail(parts) {
  const kept = [];
  let bytes = 0;
  for (const part of parts.toReversed()) {
    if (bytes >= KEPT_BYTES) break;
    kept.unshift(part.subarray(Math.max(0, part.length - (KEPT_BYTES - bytes))));
    bytes += part.length;
  }
  return Buffer.concat(kept);
}

const VALUE = String.raw`(-?\d+|"(?:[^"\\]|\\.){0,500}")`;
const VERSION = String.raw`"jsonrpc"\s*:\s*"2\.0"`;
const HEAD_ID = new RegExp(String.raw`^\s*\{\s*(?:${VERSION}\s*,\s*)?"id"\s*:\s*${VALUE}\s*,`);
/** Matches a single closing brace: the object that ends there is the message itself. */
const TAIL_ID = new RegExp(String.raw`"id"\s*:\s*${VALUE}\s*(?:,\s*${VERSION}\s*)?\}\s*$`);

/** The id of a message of which only the head or the tail is known. @param {{ head?: string | undefined, tail?: string | undefined }} ends @returns {string | number | null} */
export function findFragmentId({ head = "", tail = "" }) {
  const id = HEAD_ID.exec(head)?.[1] ?? TAIL_ID.exec(tail)?.[1];
  return id === undefined ? null : JSON.parse(id);
}

const ANSWER = new RegExp(
  String.raw`^\s*\{\s*(?:${VERSION}\s*,\s*)?(?:"id"\s*:\s*${VALUE}\s*,\s*)?(?:${VERSION}\s*,\s*)?"(?:result|error)"\s*:`,
);

/** Whether a message with this head answers a request. @param {string} head */
export const isAnswer = (head) => ANSWER.test(head);
