import type { ResponseLimits } from "../engine/agent/chat-ports";
import { responseTooLarge } from "./response-limits";

/** JSON escapes make texts longer, and the last event of a stream may repeat all of it. */
const WIRE_FACTOR = 4;
/** A stream wraps every few characters in an event, so it may be this many times as long as a single body. */
const STREAM_FACTOR = 16;
/** Lists of models are read whatever the limit of a response is. */
const MIN_BYTES = 4 * 1024 * 1024;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

type ChunkCheck = (chunk: Uint8Array) => void;

/**
 * Limits what is read of a response: a stream of events or lines by event or line and in total, any other body in total.
 * Reading past a limit closes the connection and throws a ChatClientError of kind `response_too_large`.
 * The response itself is changed: wrapping its body in another stream costs more than the rest of a short request.
 */
export function limitBody(response: Response, limits: ResponseLimits): Response {
  const { body } = response;
  if (body === null) return response;
  const check = createCheck(response.headers.get("content-type")?.toLowerCase() ?? "", limits);
  const getReader = body.getReader.bind(body);
  const readText = async (): Promise<string> => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    return new TextDecoder().decode(Buffer.concat(chunks));
  };
  Object.assign(body, {
    getReader: () => checkReads(getReader(), check),
    [Symbol.asyncIterator]: () => iterate(body.getReader()),
  });
  return Object.assign(response, { text: readText, json: async () => JSON.parse(await readText()) });
}

function checkReads(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  check: ChunkCheck,
): ReadableStreamDefaultReader<Uint8Array> {
  const read = reader.read.bind(reader);
  const readChecked: typeof read = async () => {
    const result = await read();
    try {
      if (!result.done) check(result.value);
    } catch (error) {
      // Closes the connection; a failure to close changes nothing about the error.
      reader.cancel(error).catch(() => undefined);
      throw error;
    }
    return result;
  };
  return Object.assign(reader, { read: readChecked });
}

async function* iterate(reader: ReadableStreamDefaultReader<Uint8Array>): AsyncGenerator<Uint8Array> {
  let done = false;
  try {
    for (;;) {
      const result = await reader.read();
      done = result.done;
      if (result.done) return;
      yield result.value;
    }
  } finally {
    if (!done) await reader.cancel().catch(() => undefined);
  }
}

function createCheck(contentType: string, limits: ResponseLimits): ChunkCheck {
  const byLine = contentType.includes("ndjson");
  const streams = byLine || contentType.includes("event-stream");
  const maxEvent = Math.max(MIN_BYTES, limits.maxResponseBytes * WIRE_FACTOR);
  const maxBytes = streams ? maxEvent * STREAM_FACTOR : maxEvent;
  const countEvent = streams ? createEventCounter(byLine, maxEvent) : () => 0;
  let bytes = 0;
  return (chunk) => {
    bytes += chunk.byteLength;
    if (bytes > maxBytes || countEvent(chunk) > maxEvent) throw responseTooLarge(limits);
  };
}

/**
 * Counts the bytes of the longest event in a chunk. An event ends with an empty line, a line with LF, CR or both. Of a chunk
 * in which no event can exceed `maxEvent`, only what follows the last event is counted.
 */
function createEventCounter(byLine: boolean, maxEvent: number): (chunk: Uint8Array) => number {
  const ending = Buffer.from(byLine ? "\n" : "\n\n");
  let event = 0;
  let isLineEmpty = true;
  let isAfterReturn = false;
  return (chunk) => {
    let longest = 0;
    let from = 0;
    if (event + chunk.length <= maxEvent) {
      const { buffer, byteOffset, byteLength } = chunk;
      const last = Buffer.from(buffer, byteOffset, byteLength).lastIndexOf(ending);
      if (last >= 0) {
        from = last + ending.length;
        event = 0;
        isLineEmpty = true;
        isAfterReturn = false;
      }
    }
    for (let at = from; at < chunk.length; at += 1) {
      const byte = chunk[at];
      event += 1;
      if (event > longest) longest = event;
      const isSecondHalf = byte === LINE_FEED && isAfterReturn;
      isAfterReturn = byte === CARRIAGE_RETURN;
      if (isSecondHalf) continue;
      const isLineEnd = byte === LINE_FEED || byte === CARRIAGE_RETURN;
      if (isLineEnd && (byLine || isLineEmpty)) event = 0;
      isLineEmpty = isLineEnd;
    }
    return longest;
  };
}
