/** The bytes kept of both ends of an oversized line, to find its message id. */
const KEPT_BYTES = 4096;
const NEWLINE = 10;

export interface LineEvents {
  /** Without its line break. */
  line(text: string): void;
  /** The line passed the limit; the rest of it is discarded. */
  oversized(head: string): void;
  /** The end of an oversized line. */
  oversizedEnd(ends: { head: string; tail: string; bytes: number }): void;
}

/** Splits bytes into lines, holding at most `maxBytes` of one. */
export class LineSplitter {
  readonly #maxBytes: number;
  readonly #events: LineEvents;
  #parts: Buffer[] = [];
  #bytes = 0;
  #dropped: { head: string; tail: Buffer } | null = null;

  constructor(maxBytes: number, events: LineEvents) {
    this.#maxBytes = maxBytes;
    this.#events = events;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      this.#take(chunk.subarray(from, end));
      this.#endLine();
      from = end + 1;
    }
    if (from < chunk.length) this.#take(chunk.subarray(from));
  }

  /** Emits the unfinished line at the end of the stream. */
  flush(): void {
    if (this.#bytes > 0) this.#endLine();
  }

  #take(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#dropped !== null) {
      this.#dropped.tail = copyTail([this.#dropped.tail, part]);
      return;
    }
    if (part.length > 0) this.#parts.push(part);
    if (this.#bytes <= this.#maxBytes) return;
    const head = copyHead(this.#parts);
    this.#dropped = { head, tail: copyTail(this.#parts) };
    this.#parts = [];
    this.#events.oversized(head);
  }

  #endLine(): void {
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
    this.#events.line(text.endsWith("\r") ? text.slice(0, -1) : text);
  }
}

function copyHead(parts: Buffer[]): string {
  return Buffer.concat(parts.slice(0, KEPT_BYTES)).subarray(0, KEPT_BYTES).toString("utf8");
}

/** A copy: a subarray keeps its whole chunk in memory. */
function copyTail(parts: Buffer[]): Buffer {
  const kept: Buffer[] = [];
  let bytes = 0;
  for (let index = parts.length - 1; index >= 0 && bytes < KEPT_BYTES; index -= 1) {
    const part = parts[index];
    if (part === undefined) continue;
    kept.unshift(part.subarray(Math.max(0, part.length - (KEPT_BYTES - bytes))));
    bytes += part.length;
  }
  return Buffer.concat(kept);
}
