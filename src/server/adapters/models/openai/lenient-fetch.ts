import { isPlainObject } from "../../../../lib/contract";
import { vendorFetch } from "../vendor-fetch";

/** Of an error's body nothing further is read. */
const MAX_ERROR_BYTES = 64 * 1024;
/** A whole answer where a stream was asked for. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/**
 * `fetch` for endpoints that are only nearly OpenAI's: errors of any form become `{ error: { message } }`, and a whole
 * answer where a stream was asked for becomes a stream of one event.
 */
export async function lenientFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await vendorFetch(input, init);
  if (!response.ok) return withErrorObject(response);
  const type = response.headers.get("content-type") ?? "";
  if (!type.includes("json") || !wantsStream(init)) return response;
  const text = await textOf(response, MAX_ANSWER_BYTES);
  // Throws a SyntaxError for what is no JSON. In JSON a line's end is white space, and an event's data is one line.
  JSON.parse(text);
  const event = `data: ${text.replace(/[\r\n]+/g, " ")}\n\n`;
  return new Response(event, { status: response.status, headers: { "content-type": "text/event-stream" } });
}

function wantsStream(init: RequestInit | undefined): boolean {
  return typeof init?.body === "string" && init.body.includes('"stream":true');
}

async function withErrorObject(response: Response): Promise<Response> {
  const text = await textOf(response, MAX_ERROR_BYTES);
  const { status, statusText, headers } = response;
  return new Response(JSON.stringify({ error: errorIn(text, statusText) }), { status, statusText, headers });
}

function errorIn(text: string, statusText: string): object {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return { message: text.trim() === "" ? statusText : text };
  }
  const first = Array.isArray(body) ? body[0] : body;
  if (!isPlainObject(first)) return { message: text };
  const { error, message, detail, code, type } = first;
  if (isPlainObject(error)) return error;
  const words = [error, message, detail].find((each) => typeof each === "string") ?? text;
  return { message: words, ...(code !== undefined && { code }), ...(type !== undefined && { type }) };
}

async function textOf(response: Response, maxBytes: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    parts.push(part);
    bytes += part.byteLength;
    if (bytes > maxBytes) break;
  }
  return Buffer.concat(parts).subarray(0, maxBytes).toString("utf8");
}
