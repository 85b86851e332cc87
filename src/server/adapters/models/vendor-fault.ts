import type { ChatErrorKind } from "../../../lib/contract";
import { messageOf } from "../../../lib/message-of";
import { ChatClientError } from "../../engine/chat-ports";
import { Redactor } from "../mcp/redactor";
import { RedirectError } from "./vendor-fetch";
import type { ChatFault } from "./with-retries";

/** Who failed, for messages; the key so that it can be kept out of them. */
export interface VendorIdentity {
  /** As people know it, such as "Anthropic". */
  vendor: string;
  apiKey: string | null;
}

/** An error that a vendor answered with. */
export interface VendorAnswerFault {
  /** Absent for an error inside a stream. */
  status?: number | undefined;
  /** The vendor's words; untrusted, may be long and may echo the key. */
  message: string;
  /** The vendor's own class of error, such as `overloaded_error`. */
  code?: string | undefined;
  headers?: { get(name: string): string | null } | undefined;
}

const MAX_MESSAGE_CHARS = 500;
/** Of a longer message nothing further is looked at. */
const MAX_READ_CHARS = 5000;
/** Keys of other accounts and shortened forms of this one, by the vendors' well-known beginnings. */
const SHORTENED_KEY = /\b(?:sk|pk|gsk|xai|key)-[A-Za-z0-9_*.-]{8,}|\bAIza[A-Za-z0-9_*-]{8,}/g;
const MAX_HOST_CHARS = 200;
const RETRYABLE_STATUS = new Set([408, 409, 425, 429]);
const CONTEXT_LENGTH =
  /context[ _-]?(length|window|limit)|prompt is too long|(input|prompt).{0,40}(too long|exceeds)|maximum (context|number of tokens)|token count.{0,60}exceeds/i;
const NO_TOOLS =
  /does not support tools?|(tool|function)[ _-]?(use|call(ing|s)?)? (is|are) not (supported|enabled)|no endpoints? .{0,40}tool/i;
const BAD_KEY = /api[ _-]?key (is )?(not valid|invalid|expired|not found)|(invalid|incorrect|missing) api[ _-]?key/i;
const URL_LOGIN = /\/\/[^\s/@]+@/g;
/** How fetch, and the vendors' clients on top of it, say that a connection failed or broke. */
const CUT = /terminated|fetch failed|connection error|timed out|aborted|socket|ECONN|network/i;
const OVERLOADED = /overloaded|unavailable|at capacity/i;
const RATE_LIMITED = /rate[ _-]?limit|resource_exhausted|too many requests/i;

/** Maps an error answer to what people read and whether the same request may go well later. */
export function faultOfAnswer(answer: VendorAnswerFault, identity: VendorIdentity): ChatFault {
  const kind = kindOf(answer);
  const delay = retryAfterMs(answer.headers);
  return {
    error: new ChatClientError(kind, sentence(kind, answer, identity)),
    retryable: isRetryable(answer, kind),
    ...(delay === undefined ? {} : { retryAfterMs: delay }),
  };
}

/** The connection could not be made or broke; or it led to another address. */
export function faultOfConnection(error: unknown, identity: VendorIdentity): ChatFault {
  const redirect = redirectIn(error);
  if (redirect !== null) return faultOfRedirect(redirect, identity);
  const reason = rootReason(error);
  const message = `The connection to ${identity.vendor} failed${reason === "" ? "" : `: ${safeText(reason, identity)}`}.`;
  return { error: new ChatClientError("connection", message), retryable: true };
}

/** The connection was closed, in good order even, before the answer was complete. */
export class AnswerCutError extends Error {
  override readonly name = "AnswerCutError";
  constructor() {
    super("the answer ended too early");
  }
}

/** What is no error answer: a broken connection, or an answer that could not be read. */
export function faultOfThrown(error: unknown, identity: VendorIdentity): ChatFault {
  const redirect = redirectIn(error);
  if (redirect !== null) return faultOfRedirect(redirect, identity);
  if (error instanceof SyntaxError) return protocolFault("the answer is not JSON", identity);
  const broken =
    error instanceof AnswerCutError ||
    (error instanceof Error && (CUT.test(error.message) || error.cause !== undefined));
  return broken ? faultOfConnection(error, identity) : protocolFault(messageOf(error), identity);
}

/** The target's host only: the rest of an address may hold what is secret. */
function faultOfRedirect({ status, host }: RedirectError, identity: VendorIdentity): ChatFault {
  const target = host === null ? "another address" : safeText(host.slice(0, MAX_HOST_CHARS), identity);
  const message = `${identity.vendor} answered with a redirect to ${target} (HTTP ${status}), which is not followed. If the provider has moved, give it its new base URL.`;
  return { error: new ChatClientError("bad_request", message), retryable: false };
}

/** Vendors' clients wrap what `fetch` throws. */
function redirectIn(error: unknown): RedirectError | null {
  let current = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth += 1) {
    if (current instanceof RedirectError) return current;
    current = current.cause;
  }
  return null;
}

/** An answer that is not what the vendor's protocol promises. */
function protocolFault(detail: string, identity: VendorIdentity): ChatFault {
  const message = `${identity.vendor} answered in a form that is not understood: ${safeText(detail, identity)}`;
  return { error: new ChatClientError("protocol", message), retryable: false };
}

/** Without the key, on one line, about 500 characters at most. */
export function safeText(text: string, { apiKey }: VendorIdentity): string {
  const redactor = new Redactor();
  redactor.add(apiKey);
  const line = redactor
    .head(text, MAX_READ_CHARS)
    .replace(SHORTENED_KEY, "[redacted]")
    .replace(URL_LOGIN, "//[redacted]@")
    .replace(/\s+/g, " ")
    .trim();
  return redactor.quote(line, MAX_MESSAGE_CHARS);
}

/** `retry-after-ms`, or `retry-after` in seconds or as a date. */
export function retryAfterMs(headers: VendorAnswerFault["headers"]): number | undefined {
  const exact = Number.parseFloat(headers?.get("retry-after-ms") ?? "");
  if (exact >= 0) return Math.round(exact);
  const text = headers?.get("retry-after");
  if (!text) return undefined;
  const seconds = /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number.parseFloat(text) : (Date.parse(text) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, Math.round(seconds * 1000));
}

function kindOf({ status, message, code = "" }: VendorAnswerFault): ChatErrorKind {
  if (status === 401 || status === 403 || /authentication|permission/i.test(code)) return "auth";
  if (status === 429 || (status === undefined && RATE_LIMITED.test(`${code} ${message}`))) return "rate_limit";
  if (status === 503 || status === 529 || OVERLOADED.test(code)) return "overloaded";
  if (status === 404) return NO_TOOLS.test(message) ? "no_tools" : "not_found";
  if (status === undefined) return OVERLOADED.test(message) ? "overloaded" : "unexpected";
  if (status === 408 || status === 425) return "connection";
  if (status >= 400 && status < 500) {
    if (CONTEXT_LENGTH.test(`${code} ${message}`)) return "context_length";
    if (NO_TOOLS.test(message)) return "no_tools";
    return BAD_KEY.test(`${code} ${message}`) ? "auth" : "bad_request";
  }
  // Some local servers say so with a 500.
  return NO_TOOLS.test(message) ? "no_tools" : "unexpected";
}

function isRetryable({ status, headers, code = "" }: VendorAnswerFault, kind: ChatErrorKind): boolean {
  const told = headers?.get("x-should-retry");
  if (told === "true" || told === "false") return told === "true";
  // A spent quota comes as a 429 too; waiting does not fill it.
  if (/insufficient_quota|billing/i.test(code) || kind === "no_tools") return false;
  if (status === undefined) return kind !== "auth" && !/invalid|not_found|billing/i.test(code);
  return RETRYABLE_STATUS.has(status) || status >= 500;
}

function sentence(kind: ChatErrorKind, { status, message }: VendorAnswerFault, identity: VendorIdentity): string {
  const { vendor } = identity;
  const number = status === undefined ? "" : ` (HTTP ${status})`;
  // Vendors like to repeat the key here, whole or shortened: their own words are left out.
  if (kind === "auth") {
    return identity.apiKey === null
      ? `${vendor} wants an API key${number}. Give this provider its key.`
      : `${vendor} refused the API key${number}. Check this provider's key and what it may do.`;
  }
  const words = safeText(message, identity);
  const detail = words === "" ? "." : `: ${words}`;
  switch (kind) {
    case "rate_limit":
      return `${vendor} takes no more requests for now${number}${detail}`;
    case "overloaded":
      return `${vendor} is overloaded${number}${detail}`;
    case "context_length":
      return `The conversation is longer than the model can read${number}${detail}`;
    case "no_tools":
      return `This model cannot call tools${number}${detail}`;
    case "not_found":
      return `${vendor} does not know this model or address${number}${detail}`;
    case "bad_request":
      return `${vendor} refused the request${number}${detail}`;
    default:
      return `${vendor} failed${number}${detail}`;
  }
}

/** Clients wrap the reason several times ("Connection error." → "fetch failed" → "connect ECONNREFUSED …"). */
function rootReason(error: unknown): string {
  let current: unknown = error;
  for (let depth = 0; depth < 5 && current instanceof Error && current.cause instanceof Error; depth += 1) {
    current = current.cause;
  }
  if (!(current instanceof Error)) return "";
  const first = current instanceof AggregateError ? current.errors[0] : undefined;
  const { message } = first instanceof Error ? first : current;
  return message.replace(/\.$/, "");
}
