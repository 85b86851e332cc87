import { describeTlsCode } from "../../lib/connection-words";
import type { ChatErrorKind } from "../../lib/contract/chat";
import { getMessage } from "../../lib/get-message";
import { stripControlCharacters } from "../../lib/strip-control-characters";
import { ChatClientError } from "../engine/agent/chat-ports";
import { Redactor } from "../mcp/client/log/redactor";
import { type ErrorReport, VendorError } from "./vendor-error";
import { RedirectError } from "./vendor-response";
import type { ChatFault } from "./with-retries";

/** The provider's name for messages, and the secrets that messages must not contain. */
export interface VendorIdentity {
  /** The vendor's name for users, such as "Anthropic". */
  vendor: string;
  apiKey: string | null;
  /** The secrets of the address. */
  secrets?: readonly string[];
}

const MAX_CAUSES = 5;
const MAX_MESSAGE_CHARS = 500;
/** A message is not read further than this. */
const MAX_READ_CHARS = 5000;
/** Keys of other accounts and shortened forms of this one, by the prefixes of the vendors. */
const SHORTENED_KEY = /\b(?:sk|pk|gsk|xai|key)-[A-Za-z0-9_*.-]{8,}|\bAIza[A-Za-z0-9_*-]{8,}/g;
const MAX_HOST_CHARS = 200;
const RETRYABLE_STATUS = new Set([408, 409, 425, 429]);
const CONTEXT_LENGTH =
  /context[ _-]?(length|window|limit)|prompt is too long|(input|prompt).{0,40}(too long|exceeds)|maximum (context|number of tokens)|token count.{0,60}exceeds/i;
const NO_TOOLS =
  /does not support tools?|(tool|function)[ _-]?(use|call(ing|s)?)? (is|are) not (supported|enabled)|no endpoints? .{0,40}tool/i;
const BAD_KEY = /api[ _-]?key (is )?(not valid|invalid|expired|not found)|(invalid|incorrect|missing) api[ _-]?key/i;
/** Parameters of an address that hold a credential, by the names that vendors and proxies use. */
const URL_KEY = /([?&](?:[a-z-]*_?(?:key|token|secret|password|signature)|auth|sig)=)[^\s&"'<>]+/gi;
const URL_LOGIN = /\/\/[^\s/@]+@/g;
/** Messages of `fetch` for a connection that failed or broke. */
const BROKEN_CONNECTION = /terminated|fetch failed|connection error|timed out|aborted|socket|ECONN|network/i;
const OVERLOADED = /overloaded|unavailable|at capacity/i;
const RATE_LIMITED = /rate[ _-]?limit|resource_exhausted|too many requests/i;

/** Maps an error of an attempt to a message for users, and to whether the same request may succeed later. */
export function toFault(error: unknown, identity: VendorIdentity): ChatFault {
  const causes = listCauses(error);
  for (const cause of causes) {
    if (cause instanceof ChatClientError) return { error: cause, retryable: false };
    if (cause instanceof RedirectError) return redirectFault(cause, identity);
    if (cause.name === "AddressRefusedError") return refusedAddress(cause, identity);
    if (cause instanceof VendorError) return reportedFault(cause.report, identity);
  }
  if (error instanceof SyntaxError) return protocolFault("the answer is not JSON", identity);
  const isBroken =
    error instanceof Error &&
    (error.name === "IncompleteResponseError" || error.cause !== undefined || BROKEN_CONNECTION.test(error.message));
  return isBroken ? connectionFault(causes, identity) : protocolFault(getMessage(error), identity);
}

function listCauses(error: unknown): Error[] {
  const causes: Error[] = [];
  for (let cause = error; cause instanceof Error && causes.length < MAX_CAUSES; cause = cause.cause) causes.push(cause);
  return causes;
}

function reportedFault(report: ErrorReport, identity: VendorIdentity): ChatFault {
  const kind = classify(report);
  return {
    error: new ChatClientError(kind, describeFault(kind, report, identity)),
    retryable: isRetryable(report, kind),
    retryAfterMs: report.retryAfterMs ?? readRetryAfter(report.headers),
  };
}

/** Names the host of the target only: the rest of an address may hold secrets. */
function redirectFault({ status, host }: RedirectError, identity: VendorIdentity): ChatFault {
  const target = host === null ? "another address" : safeText(host.slice(0, MAX_HOST_CHARS), identity);
  const message = `${identity.vendor} answered with a redirect to ${target} (HTTP ${status}), which is not followed. If the provider has moved, give it its new base URL.`;
  return { error: new ChatClientError("bad_request", message), retryable: false };
}

function refusedAddress({ message }: Error, { vendor }: VendorIdentity): ChatFault {
  const error = new ChatClientError("connection", `The connection to ${vendor} was not opened: ${message}.`);
  return { error, retryable: false };
}

/** Clients wrap the reason several times ("Connection error." → "fetch failed" → "connect ECONNREFUSED …"). */
function connectionFault(causes: readonly Error[], identity: VendorIdentity): ChatFault {
  const root = causes.at(-1);
  const first: unknown = root instanceof AggregateError ? root.errors[0] : root;
  const code = first instanceof Error && "code" in first ? String(first.code) : "";
  const reason = describeTlsCode(code) ?? safeText(getMessage(first ?? "").replace(/\.$/, ""), identity);
  const message = `The connection to ${identity.vendor} failed${reason === "" ? "" : `: ${reason}`}.`;
  return { error: new ChatClientError("connection", message), retryable: true };
}

/** The response breaks the vendor's protocol. */
function protocolFault(detail: string, identity: VendorIdentity): ChatFault {
  const message = `${identity.vendor} returned a response that could not be parsed: ${safeText(detail, identity)}`;
  return { error: new ChatClientError("protocol", message), retryable: false };
}

/** A text without the key, on one line, about 500 characters at most. */
export function safeText(text: string, { apiKey, secrets = [] }: VendorIdentity): string {
  const redactor = new Redactor();
  for (const secret of [apiKey, ...secrets]) redactor.add(secret);
  const line = stripControlCharacters(redactor.head(text, MAX_READ_CHARS))
    .replace(SHORTENED_KEY, "[redacted]")
    .replace(URL_LOGIN, "//[redacted]@")
    .replace(URL_KEY, "$1[redacted]")
    .replace(/\s+/g, " ")
    .trim();
  return redactor.quote(line, MAX_MESSAGE_CHARS);
}

/** `retry-after-ms`, or `retry-after` in seconds or as a date. */
export function readRetryAfter(headers: ErrorReport["headers"]): number | undefined {
  const exact = Number.parseFloat(headers?.get("retry-after-ms") ?? "");
  if (exact >= 0) return Math.round(exact);
  const text = headers?.get("retry-after");
  if (!text) return undefined;
  const seconds = /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number.parseFloat(text) : (Date.parse(text) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, Math.round(seconds * 1000));
}

function classify({ status, message, code = "" }: ErrorReport): ChatErrorKind {
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
  // Some local servers report this with status 500.
  return NO_TOOLS.test(message) ? "no_tools" : "unexpected";
}

function isRetryable({ status, headers, code = "" }: ErrorReport, kind: ChatErrorKind): boolean {
  const shouldRetry = headers?.get("x-should-retry");
  if (shouldRetry === "true" || shouldRetry === "false") return shouldRetry === "true";
  // A spent quota comes as a 429 too; waiting does not fill it.
  if (/insufficient_quota|billing/i.test(code) || kind === "no_tools") return false;
  if (status === undefined) return kind !== "auth" && !/invalid|not_found|billing/i.test(code);
  return RETRYABLE_STATUS.has(status) || status >= 500;
}

function describeFault(kind: ChatErrorKind, { status, message }: ErrorReport, identity: VendorIdentity): string {
  const { vendor } = identity;
  const number = status === undefined ? "" : ` (HTTP ${status})`;
  // The vendor's text is left out: it often repeats the key, whole or shortened.
  if (kind === "auth") {
    return identity.apiKey === null
      ? `${vendor} requires an API key${number}. Give this provider its key.`
      : `${vendor} refused the API key${number}. Check the key and its permissions.`;
  }
  const words = safeText(message, identity);
  const detail = words === "" ? "." : `: ${words}`;
  switch (kind) {
    case "rate_limit":
      return `${vendor} is rate limiting requests${number}${detail}`;
    case "overloaded":
      return `${vendor} is overloaded${number}${detail}`;
    case "context_length":
      return `The conversation exceeds the model's context window${number}${detail}`;
    case "no_tools":
      return `This model cannot call tools${number}${detail}`;
    case "not_found":
      return `${vendor} does not recognize this model or address${number}${detail}`;
    case "bad_request":
      return `${vendor} refused the request${number}${detail}`;
    default:
      return `${vendor} failed${number}${detail}`;
  }
}
