import { EventSplitter, type StreamEvent } from "../mcp/fast-path/event-splitter";

/**
 * The events of a streamed response, those of one chunk in one list: to pass each of them through the layers between
 * socket and log costs more than to read it.
 * @param parse null for an event to pass over; what comes before an event that it throws for is given first
 */
export async function* readEventLists<T>(
  response: Response,
  parse: (event: StreamEvent) => T | null,
): AsyncGenerator<T[], void, undefined> {
  const splitter = new EventSplitter();
  for await (const bytes of response.body ?? []) {
    const { list, fault } = parseChunk(splitter, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), parse);
    if (list.length > 0) yield list;
    if (fault !== null) throw fault.error;
  }
}

function parseChunk<T>(splitter: EventSplitter, chunk: Buffer, parse: (event: StreamEvent) => T | null) {
  const list: T[] = [];
  try {
    for (let at = 0; at < chunk.length; ) {
      const { event, end } = splitter.next(chunk, at);
      at = end;
      const parsed = event === null ? null : parse(event);
      if (parsed !== null) list.push(parsed);
    }
    return { list, fault: null };
  } catch (error) {
    return { list, fault: { error } };
  }
}
