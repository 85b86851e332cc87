/** One server-sent event; fields that it does not have are null. */
export interface StreamEvent {
  data: string | null;
  event: string | null;
  id: string | null;
  retry: string | null;
}

const NONE: StreamEvent = { data: null, event: null, id: null, retry: null };
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const BYTE_ORDER_MARK = "\uFEFF";

/** Splits the bytes of a `text/event-stream` into events. Lines end with CR LF, LF or CR, as the standard says. */
export class EventSplitter {
  /** Bytes of the current event, which has not ended. */
  pendingBytes = 0;
  #line: Buffer[] = [];
  #current: StreamEvent = { ...NONE };
  #isFirstLine = true;
  #skipsLineFeed = false;

  /**
   * Reads the chunk up to the end of its first event.
   * @returns the index to continue from, and the event; null where the chunk ends first
   */
  next(chunk: Buffer, from: number): { event: StreamEvent | null; end: number } {
    let start = from;
    if (this.#skipsLineFeed && start < chunk.length) {
      this.#skipsLineFeed = false;
      if (chunk[start] === LINE_FEED) start += 1;
    }
    let feed = chunk.indexOf(LINE_FEED, start);
    let carriage = chunk.indexOf(CARRIAGE_RETURN, start);
    while (feed !== -1 || carriage !== -1) {
      const isFeed = carriage === -1 || (feed !== -1 && feed < carriage);
      const end = isFeed ? feed : carriage;
      const after = isFeed ? end + 1 : this.#afterCarriageReturn(chunk, end);
      const event = this.#endLine(chunk.subarray(start, end));
      start = after;
      if (event !== null) {
        this.pendingBytes = 0;
        return { event, end: start };
      }
      if (feed !== -1 && feed < start) feed = chunk.indexOf(LINE_FEED, start);
      if (carriage !== -1 && carriage < start) carriage = chunk.indexOf(CARRIAGE_RETURN, start);
    }
    if (start < chunk.length) this.#line.push(chunk.subarray(start));
    this.pendingBytes += chunk.length - from;
    return { event: null, end: chunk.length };
  }

  /** The event that a stream ended without an empty line after; null where its data is not whole. */
  takeLast(): StreamEvent | null {
    if (this.#line.length > 0) this.#endLine(Buffer.alloc(0));
    const { data } = this.#current;
    try {
      if (data !== null) JSON.parse(data.startsWith(BYTE_ORDER_MARK) ? data.slice(1) : data);
    } catch {
      return null;
    }
    return data === null ? null : this.#endEvent();
  }

  #afterCarriageReturn(chunk: Buffer, index: number): number {
    if (index + 1 === chunk.length) {
      this.#skipsLineFeed = true;
      return index + 1;
    }
    return chunk[index + 1] === LINE_FEED ? index + 2 : index + 1;
  }

  #endLine(tail: Buffer): StreamEvent | null {
    let text: string;
    if (this.#line.length === 0) text = tail.toString("utf8");
    else {
      text = Buffer.concat([...this.#line, tail]).toString("utf8");
      this.#line = [];
    }
    if (this.#isFirstLine) {
      this.#isFirstLine = false;
      if (text.startsWith(BYTE_ORDER_MARK)) text = text.slice(1);
    }
    if (text === "") return this.#endEvent();
    this.#readField(text);
    return null;
  }

  #readField(line: string): void {
    const colon = line.indexOf(":");
    const name = colon === -1 ? line : line.slice(0, colon);
    const from = line.charCodeAt(colon + 1) === 32 ? colon + 2 : colon + 1;
    const value = colon === -1 ? "" : line.slice(from);
    const current = this.#current;
    if (name === "data") current.data = current.data === null ? value : `${current.data}\n${value}`;
    else if (name === "event" || name === "id" || name === "retry") current[name] = value;
  }

  /** Null where only comments preceded the empty line. */
  #endEvent(): StreamEvent | null {
    const event = this.#current;
    this.#current = { ...NONE };
    return event.data === null && event.id === null && event.retry === null ? null : event;
  }
}

/** The event's text, for another reader of the same stream. */
export function formatEvent({ data, event, id, retry }: StreamEvent): string {
  const fields = [
    ...(id === null ? [] : [`id: ${id}`]),
    ...(retry === null ? [] : [`retry: ${retry}`]),
    ...(event === null ? [] : [`event: ${event}`]),
    ...(data === null ? [] : data.split("\n").map((line) => `data: ${line}`)),
  ];
  return `${fields.join("\n")}\n\n`;
}
