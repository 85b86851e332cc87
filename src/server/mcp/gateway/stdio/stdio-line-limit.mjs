import { Transform } from "node:stream";

const NEWLINE = 10;
/** Kept of a line that is dropped: an id stands near the beginning or at the end. */
const KEPT_BYTES = 1024;

/**
 * @typedef {{ head: string, tail: string, bytes: number }} DroppedLine beginning and end of a line that was too long
 * @typedef {{ id: string | number | null, isAnswer: boolean }} DroppedMessage
 */

/** Passes on lines of up to `maxBytes`, each in one chunk, and drops longer ones without keeping them in memory. */
export class LineLimit extends Transform {
  #maxBytes;
  #onDropped;
  /** The line that is being read, as far as it is short enough. @type {Buffer[]} */
  #held = [];
  #bytes = 0;
  #head = Buffer.alloc(0);
  #tail = Buffer.alloc(0);

  /** @param {number} maxBytes @param {(line: DroppedLine) => void} onDropped */
  constructor(maxBytes, onDropped) {
    super();
    this.#maxBytes = maxBytes;
    this.#onDropped = onDropped;
  }

  /** @override @param {Buffer} chunk @param {string} _encoding @param {() => void} done */
  _transform(chunk, _encoding, done) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#take(chunk.subarray(start, end + 1));
      this.#endLine();
      start = end + 1;
    }
    this.#take(chunk.subarray(start));
    done();
  }

  /** @override @param {() => void} done */
  _flush(done) {
    this.#endLine();
    done();
  }

  /** @param {Buffer} part */
  #take(part) {
    if (part.length === 0) return;
    const wasShort = this.#bytes <= this.#maxBytes;
    this.#bytes += part.length;
    if (this.#bytes <= this.#maxBytes) {
      this.#held.push(part);
      return;
    }
    const rest = wasShort ? Buffer.concat([...this.#held, part]) : part;
    if (wasShort) this.#head = Buffer.from(rest.subarray(0, KEPT_BYTES));
    this.#tail = Buffer.concat([this.#tail, rest.subarray(-KEPT_BYTES)]).subarray(-KEPT_BYTES);
    this.#held = [];
  }

  #endLine() {
    const bytes = this.#bytes;
    this.#bytes = 0;
    if (bytes <= this.#maxBytes) {
      const parts = this.#held.splice(0);
      if (bytes > 0) this.push(parts.length === 1 ? parts[0] : Buffer.concat(parts));
      return;
    }
    const line = { head: this.#head.toString(), tail: this.#tail.toString(), bytes };
    this.#tail = Buffer.alloc(0);
    this.#onDropped(line);
  }
}

const VALUE = String.raw`(-?\d+|"(?:[^"\\]|\\.){0,500}")`;
const VERSION = String.raw`"jsonrpc"\s*:\s*"2\.0"`;
const HEAD_ID = new RegExp(String.raw`^\s*\{\s*(?:${VERSION}\s*,\s*)?"id"\s*:\s*${VALUE}\s*,`);
/** One closing brace: the object that ends there is the message itself. */
const TAIL_ID = new RegExp(String.raw`"id"\s*:\s*${VALUE}\s*(?:,\s*${VERSION}\s*)?\}\s*$`);
const ANSWER = new RegExp(
  String.raw`^\s*\{\s*(?:${VERSION}\s*,\s*)?(?:"id"\s*:\s*${VALUE}\s*,\s*)?(?:${VERSION}\s*,\s*)?"(?:result|error)"\s*:`,
);

/** Reads what a dropped line was, as far as its beginning and its end tell. @param {DroppedLine} line @returns {DroppedMessage} */
export function readDropped({ head, tail }) {
  const id = HEAD_ID.exec(head)?.[1] ?? TAIL_ID.exec(tail)?.[1];
  return { id: id === undefined ? null : JSON.parse(id), isAnswer: ANSWER.test(head) };
}
