import { parseExactParts } from "../../lib/json/exact-text";
import type { ResponseLimits } from "../engine/agent/chat-ports";
import { EventSplitter, type StreamEvent } from "../mcp/fast-path/event-splitter";
import { responseTooLarge } from "./response-limits";
import { IncompleteResponseError, parseErrorText, VendorError } from "./vendor-error";

/** An error's body is not read further than this. */
const MAX_ERROR_BYTES = 64 * 1024;
/** JSON escapes make texts longer, and the last event of a stream may repeat all of it. */
const WIRE_FACTOR = 4;
/** A stream wraps every few characters in an event, so it may be this many times as long as a single body. */
const STREAM_FACTOR = 16;
/** Lists of models are read regardless of the limit of a response. */
const MIN_BYTES = 4 * 1024 * 1024;
const LINE_FEED = 10;

/** The address answered with a redirect. It is not followed: keys and conversations would go along. */
export class RedirectError extends Error {
  override readonly name = "RedirectError";
  constructor(
    readonly status: number,
    /** The host with its port unless it is the default one; null if the response names none. Untrusted. */
    readonly host: string | null,
  ) {
    super("a redirect is not followed");
  }
}

/** @throws RedirectError for a status of 300 to 399, VendorError for any other that is not 200 to 299 */
export async function checkStatus(response: Response): Promise<Response> {
  const { ok, status, statusText, headers } = response;
  if (ok) return response;
  if (status >= 300 && status <= 399) {
    await response.body?.cancel().catch(() => undefined);
    throw new RedirectError(status, redirectHost(response));
  }
  throw new VendorError({ ...parseErrorText(await readHead(response), statusText), status, headers });
}

function redirectHost({ url, headers }: Response): string | null {
  const location = headers.get("location");
  return location ? URL.parse(location, url || undefined)?.host || null : null;
}

async function readHead(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes > MAX_ERROR_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, MAX_ERROR_BYTES).toString("utf8");
}

/** @throws SyntaxError for a body that is not JSON, ChatClientError of kind `response_too_large` */
export async function readJson(response: Response, limits: ResponseLimits): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of readChunks(response, limits, maxPartBytes(limits))) chunks.push(chunk);
  return parseExactParts(new TextDecoder().decode(Buffer.concat(chunks)));
}

interface StreamForm {
  format: "events" | "lines";
  limits: ResponseLimits;
}

/**
 * The parsed events or lines of a streamed response, those of one chunk in one list: to pass each of them through the
 * layers between socket and log costs more than to read it. Each event has a limit, and so has the whole stream.
 * @param parse null for an event to skip; the events before one that it throws for are returned first
 * @throws ChatClientError of kind `response_too_large`
 */
export async function* readStream<T>(
  response: Response,
  { format, limits }: StreamForm,
  parse: (event: Pick<StreamEvent, "event" | "data">) => T | null,
): AsyncGenerator<T[], void, undefined> {
  const splitter = format === "events" ? new EventSplitter() : new LineSplitter();
  const maxBytes = maxPartBytes(limits);
  for await (const chunk of readChunks(response, limits, maxBytes * STREAM_FACTOR)) {
    const { list, fault } = parseChunk(splitter, chunk, parse);
    if (list.length > 0) yield list;
    if (fault !== null) throw fault.error;
    if (splitter.pendingBytes > maxBytes) throw responseTooLarge(limits);
  }
  if (splitter instanceof LineSplitter) yield parseLastLine(splitter.takeRest(), parse);
}

/** Leaving the loop closes the connection. */
async function* readChunks({ body }: Response, limits: ResponseLimits, maxBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw responseTooLarge(limits);
    yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  }
}

/** Returns the most bytes of a body, an event or a line. */
function maxPartBytes({ maxResponseBytes }: ResponseLimits): number {
  return Math.max(MIN_BYTES, maxResponseBytes * WIRE_FACTOR);
}

type Parse<T> = (event: Pick<StreamEvent, "event" | "data">) => T | null;

function parseChunk<T>(splitter: EventSplitter | LineSplitter, chunk: Buffer, parse: Parse<T>) {
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

/** The last line may lack its end. @throws IncompleteResponseError if it is cut */
function parseLastLine<T>(data: string, parse: Parse<T>): T[] {
  if (data.trim() === "") return [];
  try {
    JSON.parse(data);
  } catch {
    throw new IncompleteResponseError();
  }
  const parsed = parse({ event: null, data });
  return parsed === null ? [] : [parsed];
}

/** Splits the bytes of lines of JSON; each line is the data of an event. */
class LineSplitter {
  /** Bytes of the current line, which has not ended. */
  pendingBytes = 0;
  #open: Buffer[] = [];

  next(chunk: Buffer, from: number): { event: Pick<StreamEvent, "event" | "data"> | null; end: number } {
    const end = chunk.indexOf(LINE_FEED, from);
    this.#open.push(chunk.subarray(from, end === -1 ? chunk.length : end));
    if (end === -1) {
      this.pendingBytes += chunk.length - from;
      return { event: null, end: chunk.length };
    }
    return { event: { event: null, data: this.takeRest().trim() }, end: end + 1 };
  }

  takeRest(): string {
    const line = Buffer.concat(this.#open).toString("utf8");
    this.#open = [];
    this.pendingBytes = 0;
    return line;
  }
}

/**
 * The JSON of an event; null where it has none.
 * @throws VendorError for an event that is an error, SyntaxError for data that is not JSON
 */
export function parseEvent({ event, data }: Pick<StreamEvent, "event" | "data">): unknown {
  if (event === "error") throw new VendorError(parseErrorText(data ?? "", "the stream reported an error"));
  return data === null || data === "" || data === "[DONE]" ? null : parseExactParts(data);
}
