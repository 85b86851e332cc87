import { isPage } from "../../lib/connection-words";
import { isPlainObject } from "../../lib/contract/json";

/** An error that a vendor reported: as an HTTP status, or as data inside a response. */
export interface ErrorReport {
  /** Absent for an error inside a stream. */
  status?: number;
  /** The vendor's text; untrusted, may be long and may echo the key. */
  message: string;
  /** The vendor's names for the error, such as `overloaded_error`. */
  code?: string;
  /** The part of the request that is refused. */
  param?: string;
  headers?: { get(name: string): string | null };
  /** A delay that the body requests. */
  retryAfterMs?: number;
}

export class VendorError extends Error {
  override readonly name = "VendorError";
  constructor(readonly report: ErrorReport) {
    super("the vendor reported an error");
  }
}

/** The stream ended before the response was complete. */
export class IncompleteResponseError extends Error {
  override readonly name = "IncompleteResponseError";
  constructor() {
    super("the response ended early");
  }
}

/** Passes a reply on. @throws VendorError for one that is an error: vendors report some with status 200 or in a stream */
export function parseReply(reply: unknown): unknown {
  const isError = isPlainObject(reply) && (reply.type === "error" || Boolean(reply.error));
  if (isError) throw new VendorError(parseErrorBody(reply));
  return reply;
}

/** OpenAI's codes of errors inside a stream that the same request would meet again. */
const PERMANENT_CODE = /^(context_length_exceeded|invalid_|image_|unsupported_|empty_image|bio_policy)/;

/** Reads an error body: JSON of any known form, or the text of a page. */
export function parseErrorText(text: string, statusText: string): ErrorReport {
  const fallback = text.trim() === "" || isPage(text) ? statusText : text;
  try {
    return parseErrorBody(JSON.parse(text), fallback);
  } catch {
    return { message: fallback };
  }
}

/** Takes `{ error: { message } }`, `{ error: text }`, `{ message }`, `{ detail }`, or the first item of a list of these. */
export function parseErrorBody(body: unknown, fallback = ""): ErrorReport {
  const first: unknown = Array.isArray(body) ? body[0] : body;
  if (!isPlainObject(first)) return { message: typeof first === "string" && first !== "" ? first : fallback };
  const fields = isPlainObject(first.error) ? first.error : first;
  const texts: unknown[] = [fields.message, fields.error, fields.detail];
  return {
    message: texts.find((text) => typeof text === "string") ?? (fallback === "" ? JSON.stringify(first) : fallback),
    code: [fields.code, fields.type, fields.status].filter((part) => typeof part === "string").join(" "),
    param: typeof fields.param === "string" ? fields.param : undefined,
    status: readStatus(fields.code),
    retryAfterMs: readRetryInfo(fields.details),
  };
}

/** Routers give a number as the code of an error inside a stream. */
function readStatus(code: unknown): number | undefined {
  if (typeof code === "number" && code >= 400 && code < 600) return code;
  return typeof code === "string" && PERMANENT_CODE.test(code) ? 400 : undefined;
}

/** Google's `RetryInfo` among the details, such as `{ "retryDelay": "13s" }`. */
function readRetryInfo(details: unknown): number | undefined {
  if (!Array.isArray(details)) return undefined;
  for (const detail of details) {
    const delay: unknown = isPlainObject(detail) ? detail.retryDelay : undefined;
    const seconds = typeof delay === "string" ? /^(\d+(?:\.\d+)?)s$/.exec(delay)?.[1] : undefined;
    if (seconds !== undefined) return Math.round(Number(seconds) * 1000);
  }
  return undefined;
}
