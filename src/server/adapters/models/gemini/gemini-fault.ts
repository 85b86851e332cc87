import { ApiError } from "@google/genai";
import { isPlainObject, type JsonValue } from "../../../../lib/contract";
import { AnswerCutError, faultOfAnswer, faultOfThrown, type VendorIdentity } from "../vendor-fault";
import type { ChatFault } from "../with-retries";

/** What the vendor's client does not pass on with its errors. */
export interface SeenAnswer {
  /** Of an answer that was an error. */
  status?: number;
  headers?: Headers;
}

/** What the client says when a stream ends inside an event. */
const CUT_EVENT = /^Incomplete JSON segment/;

/** The client's errors hold the whole body as JSON text, and lose status and headers where it is no JSON. */
export function toGeminiFault(error: unknown, identity: VendorIdentity, seen: SeenAnswer): ChatFault {
  if (error instanceof Error && CUT_EVENT.test(error.message)) return faultOfThrown(new AnswerCutError(), identity);
  if (!(error instanceof ApiError) && seen.status === undefined) return faultOfThrown(error, identity);
  const text = error instanceof ApiError ? error.message : "";
  const body = readBody(text);
  const status = error instanceof ApiError ? error.status : seen.status;
  const asked = retryDelay(body?.details);
  const headers = asked === null ? seen.headers : withDelay(seen.headers, asked);
  return faultOfAnswer(
    {
      status,
      message: typeof body?.message === "string" ? body.message : text,
      code: typeof body?.status === "string" ? body.status : undefined,
      headers,
    },
    identity,
  );
}

/** The `error` object in a text that may say something before it. */
function readBody(text: string): Record<string, JsonValue> | null {
  try {
    const parsed: unknown = JSON.parse(text.slice(Math.max(0, text.indexOf("{"))));
    const body = isPlainObject(parsed) && Object.hasOwn(parsed, "error") ? parsed.error : null;
    return isPlainObject(body) ? (body as Record<string, JsonValue>) : null;
  } catch {
    return null;
  }
}

/** `RetryInfo` among the details, such as `{ "retryDelay": "13s" }`; in seconds. */
function retryDelay(details: JsonValue | undefined): string | null {
  if (!Array.isArray(details)) return null;
  for (const detail of details) {
    const delay = isPlainObject(detail) ? detail.retryDelay : undefined;
    const seconds = typeof delay === "string" ? /^(\d+(?:\.\d+)?)s$/.exec(delay)?.[1] : undefined;
    if (seconds !== undefined) return seconds;
  }
  return null;
}

function withDelay(headers: Headers | undefined, seconds: string): Headers {
  const all = new Headers(headers);
  all.set("retry-after", seconds);
  return all;
}
