import {
  InsufficientScopeError,
  IssuerMismatchError,
  OAuthError,
  RegistrationRejectedError,
} from "@modelcontextprotocol/client";
import { describeProxyPage, describeTlsCode, isProxyStatus } from "../../../../lib/connection-words";
import type { ServerAuth } from "../../../../lib/contract/server";
import type { Quote } from "../log/redactor";
import type { ServerLog } from "../log/server-log";
import { coversScope } from "../oauth/access-challenge";
import { describeIssuerMismatch } from "../oauth/lenient-metadata";
import { describeRegistration } from "../oauth/oauth-client-settings";
import type { ProcessEnd } from "../transport/stdio-transport";
import { ConnectionError, findConnectionError } from "./connection-error";
import { missingUserScope, refusedGrant, refusedUserToken, type Verdict } from "./identity-verdicts";

/** The facts of an error and its causes. */
interface ErrorTrail {
  /** Node's and OpenSSL's codes, outermost first. */
  codes: string[];
  status: number | null;
  /** The response body beside a status. */
  body: string;
  unauthorized: boolean;
  /** The scope that a 403 with `insufficient_scope` requires, `""` where it names none; null for other errors. */
  missingScope: string | null;
  messages: string[];
  /** Why the policy for outgoing connections refused the address; null for other errors. */
  refusedAddress: string | null;
}

const MAX_DEPTH = 8;
const MAX_QUOTED_CHARS = 300;

export function readErrorTrail(thrown: unknown): ErrorTrail {
  const trail: ErrorTrail = {
    codes: [],
    status: null,
    body: "",
    unauthorized: false,
    missingScope: null,
    messages: [],
    refusedAddress: null,
  };
  let current = thrown;
  for (let depth = 0; depth < MAX_DEPTH && typeof current === "object" && current !== null; depth += 1) {
    const error = current as Record<string, unknown>;
    collectDetails(error, trail);
    const data = error.data as { cause?: unknown } | undefined;
    const several = Array.isArray(error.errors) ? error.errors[0] : undefined;
    current = error.cause ?? several ?? data?.cause;
  }
  return trail;
}

function collectDetails(error: Record<string, unknown>, trail: ErrorTrail): void {
  if (typeof error.code === "string") trail.codes.push(error.code);
  if (typeof error.message === "string") trail.messages.push(error.message);
  // `invalid_client`: the authorization server rejected the client credentials.
  if (error.name === "UnauthorizedError" || error.code === "invalid_client") trail.unauthorized = true;
  if (error.code === "ERR_ADDRESS_REFUSED") trail.refusedAddress = String(error.message);
  // The SDK takes the names of these from their classes, which the build shortens.
  if (InsufficientScopeError.isInstance(error)) trail.missingScope ??= error.requiredScope ?? "";
  const data = error.data as { status?: unknown; text?: unknown } | undefined;
  const inMessage = /\(HTTP (\d{3})\)|Non-200 status code \((\d{3})\)/.exec(String(error.message ?? ""));
  const status = data?.status ?? (inMessage === null ? undefined : Number(inMessage[1] ?? inMessage[2]));
  if (typeof status === "number") trail.status ??= status;
  if (typeof data?.text === "string") trail.body = data.text;
}

const NETWORK: ReadonlyMap<string, string> = new Map([
  ["ECONNREFUSED", "the connection was refused: is the server running, and is the port right?"],
  ["ECONNRESET", "the connection was reset"],
  ["EPIPE", "the connection was closed"],
  ["ENOTFOUND", "its host name was not found: check the URL"],
  ["EAI_AGAIN", "its host name could not be looked up"],
  ["EHOSTUNREACH", "its host cannot be reached"],
  ["ENETUNREACH", "its network cannot be reached"],
  ["ETIMEDOUT", "the connection timed out"],
]);

/** A network error in words; null for any other error. */
export function describeNetworkError(thrown: unknown): string | null {
  const { codes } = readErrorTrail(thrown);
  for (const code of codes) {
    const reason = NETWORK.get(code);
    if (reason !== undefined) return `${reason} (${code})`;
    const tls = describeTlsCode(code);
    if (tls !== null) return tls;
    if (code === "EPROTO" || code.startsWith("ERR_SSL")) {
      return `it does not speak TLS (${code}): should the URL begin with http://?`;
    }
  }
  return null;
}

/** Whether the server cannot have received the request. */
export function isUnreachable(thrown: unknown): boolean {
  const never = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"];
  return readErrorTrail(thrown).codes.some((code) => never.includes(code));
}

/** Whether the server's identity or its encryption is at fault. */
export function isUntrusted(thrown: unknown): boolean {
  return readErrorTrail(thrown).codes.some(
    (code) => describeTlsCode(code) !== null || code === "EPROTO" || code.startsWith("ERR_SSL"),
  );
}

export interface HttpErrorContext {
  transport: "http" | "sse";
  auth: ServerAuth["type"];
  hasAuthorizationHeader: boolean;
  /** The scopes of the last sign-in. */
  askedScope: () => string | undefined;
  quote: Quote;
}

/** The words of each transport: the usual end of an address, and the transport that another server may speak. */
const HTTP_WORDS: Readonly<
  Record<HttpErrorContext["transport"], { path: string; other: string; choice: string; notMcp: string }>
> = {
  http: { path: "/mcp", other: "the older SSE transport", choice: "sse", notMcp: "" },
  sse: { path: "/sse", other: "Streamable HTTP", choice: "http", notMcp: ", and needs the transport 'http'" },
};

/** Why an HTTP server could not be connected to. */
export function describeHttpError(thrown: unknown, errorContext: HttpErrorContext): ConnectionError {
  const known = findConnectionError(thrown);
  if (known !== null) return known;
  const verdict = checkHttpError(thrown, errorContext);
  if (verdict === null) return describeOtherError(thrown, errorContext.quote);
  const [status, message, kind] = verdict;
  return new ConnectionError(status, message, { cause: thrown }, kind);
}

function checkHttpError(thrown: unknown, errorContext: HttpErrorContext): Verdict | null {
  const trail = readErrorTrail(thrown);
  if (errorContext.auth === "cross_app_access" && OAuthError.isInstance(thrown)) {
    return refusedGrant(thrown, errorContext.quote);
  }
  if (trail.missingScope !== null) return insufficientScope(trail.missingScope, errorContext);
  if (trail.unauthorized || trail.status === 401) return unauthorized(errorContext);
  if (trail.refusedAddress !== null) return ["failed", `The server cannot be reached: ${trail.refusedAddress}`];
  const network = describeNetworkError(thrown);
  if (network !== null) {
    return [network.includes("TLS") ? "failed" : "disconnected", `The server cannot be reached: ${network}`];
  }
  if (trail.status !== null) return describeStatus(trail.status, trail, errorContext);
  const { transport, quote } = errorContext;
  if (!/unexpected content type|unusable reply|Invalid content type/i.test(trail.messages.join(": "))) return null;
  const said = quote(trail.messages.at(-1) ?? "", MAX_QUOTED_CHARS);
  const end = HTTP_WORDS[transport].notMcp;
  const hint = `it may be a web page. Check the path; it often ends in /mcp${end}`;
  return ["failed", `The server at this URL does not speak MCP (${said}): ${hint}`];
}

function unauthorized({ auth, hasAuthorizationHeader }: HttpErrorContext): Verdict {
  if (auth === "oauth") {
    return ["sign_in_needed", "The server requires a sign-in: press 'Sign in'"];
  }
  if (auth === "client_credentials" || auth === "private_key_jwt") {
    const proof = auth === "client_credentials" ? "secret" : "private key";
    return ["failed", `The server refused our client credentials (401): check client id and ${proof}`];
  }
  if (auth === "workload_identity") {
    return ["failed", "The server refused the access token of our workload identity (401): ask its admin"];
  }
  const refused = refusedUserToken(auth);
  if (refused !== null) return refused;
  const way = hasAuthorizationHeader
    ? "it refused the Authorization header: check the token"
    : "add an Authorization header, or choose OAuth and sign in";
  return ["failed", `The server requires authentication (401): ${way}`];
}

/** Signing in again helps only if the last sign-in did not ask for these scopes. */
function insufficientScope(scope: string, { auth, askedScope, quote }: HttpErrorContext): Verdict {
  const named = scope === "" ? "more access" : `the scope '${quote(scope, MAX_QUOTED_CHARS)}'`;
  const missing = missingUserScope(auth, named);
  if (missing !== null) return missing;
  if (auth !== "oauth") {
    return ["failed", `The server requires ${named} (403): use a token that has it`];
  }
  const asked = askedScope();
  if (scope === "" ? asked === undefined : !coversScope(asked, scope)) {
    return [
      "sign_in_needed",
      `The server requires ${named}, which the current sign-in does not have: press 'Sign in' to grant it`,
    ];
  }
  return [
    "failed",
    `The server requires ${named} (403) and still refuses after a sign-in that asked for it: sign out and sign in with an account that has this access`,
  ];
}

function describeStatus(status: number, trail: ErrorTrail, errorContext: HttpErrorContext): Verdict {
  const said = quoteResponseBody(trail.body, errorContext.quote);
  const redirect = /Redirect (?:to|from) .*/.exec(trail.messages.join("\n"))?.[0]?.replace(/ \(redirectPolicy.*/, "");
  if (redirect !== undefined) {
    return ["failed", `The server redirects to another address (${status}). ${redirect}`];
  }
  const page = describeProxyPage({ status, body: trail.body });
  if (page !== null && (status === 413 || isProxyStatus(status))) {
    return [status === 413 ? "failed" : "disconnected", `The server cannot be reached: ${page}`];
  }
  if (status === 429 || status === 408 || status >= 500) {
    const why = status === 429 ? "is overloaded" : "reported an internal error";
    return ["disconnected", `The server ${why} (HTTP ${status})${said}`];
  }
  return ["failed", `${describeRefusal(status, errorContext)}${said}`];
}

function describeRefusal(status: number, { transport }: HttpErrorContext): string {
  if (status === 403) return "The server denied access (403): check the permissions of the account or token";
  const { path, other, choice } = HTTP_WORDS[transport];
  const looksLikeOther = `If the server speaks ${other}, choose '${choice}'`;
  if (status === 404) {
    return `Nothing was found at this URL (404): check the path, which often ends in ${path}. ${looksLikeOther}`;
  }
  if (status === 405) {
    return `The server rejected the request method (405). It probably speaks ${other}: choose '${choice}'`;
  }
  return `The server refused to connect (HTTP ${status}). ${looksLikeOther}`;
}

/** Describes an error of the protocol, neither of the network nor of HTTP. */
export function describeOtherError(thrown: unknown, quote: Quote): ConnectionError {
  const known = findConnectionError(thrown);
  if (known !== null) return known;
  const message = getMessage(thrown);
  const mismatch = /protocol version is not supported|Unsupported protocol version/i.test(message);
  const said = quote(message, MAX_QUOTED_CHARS);
  return new ConnectionError(mismatch ? "failed" : "disconnected", `Could not connect to the server: ${said}`, {
    cause: thrown,
  });
}

/** The body of an error response, unless it is a web page. */
function quoteResponseBody(body: string, quote: Quote): string {
  const text = body.trim();
  if (text === "" || text.startsWith("<")) return "";
  return `. It says: ${quote(text, MAX_QUOTED_CHARS)}`;
}

/**
 * An error's message without the authorization server's raw response that the SDK appends: it may repeat client secrets and
 * tokens.
 */
export function getMessage(thrown: unknown): string {
  if (IssuerMismatchError.isInstance(thrown) && thrown.kind === "metadata" && thrown.expected !== undefined) {
    return describeIssuerMismatch(thrown.expected, String(thrown.received));
  }
  if (RegistrationRejectedError.isInstance(thrown)) {
    const [redirectUrl] = thrown.submittedMetadata.redirect_uris;
    return describeRegistration(redirectUrl, `refused to register Toolroom (${thrown.status})`);
  }
  if (thrown instanceof Error && thrown.name === "ZodError" && "issues" in thrown) {
    return `what it sent cannot be used: ${describeIssues(thrown.message)}`;
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return describeIssues(message.replace(/[.\s]*Raw body:[\s\S]*$/, ""));
}

const MAX_ISSUES = 3;
const MAX_ISSUE_CHARS = 100_000;

/** A message in which the list of a validator's issues is a sentence. */
function describeIssues(message: string): string {
  const start = message.search(/\[\s*\{/);
  const end = message.lastIndexOf("]") + 1;
  if (start === -1 || end <= start || message.length > MAX_ISSUE_CHARS) return message;
  try {
    const issues: unknown = JSON.parse(message.slice(start, end));
    if (!Array.isArray(issues) || !issues.every(isIssue)) return message;
    const read = issues.slice(0, MAX_ISSUES).map(describeIssue);
    if (issues.length > MAX_ISSUES) read.push(`and ${issues.length - MAX_ISSUES} more`);
    return `${message.slice(0, start)}${read.join("; ")}${message.slice(end)}`;
  } catch {
    return message;
  }
}

interface Issue {
  message: string;
  path?: readonly (string | number)[];
  instancePath?: string;
}

function isIssue(value: unknown): value is Issue {
  if (typeof value !== "object" || value === null) return false;
  const { message, path, instancePath } = value as Record<string, unknown>;
  return typeof message === "string" && (Array.isArray(path) || typeof instancePath === "string");
}

function describeIssue({ message, path, instancePath = "" }: Issue): string {
  const where = path === undefined ? instancePath : path.join(".");
  return where === "" ? message : `'${where}': ${message}`;
}

interface EndedProcess {
  end: ProcessEnd | null;
  closedOutput: boolean;
}

/**
 * How a server's process ended, with its last lines of output; null for a process that runs and whose output is open.
 */
export function describeProcessEnd({ end, closedOutput }: EndedProcess, log: ServerLog): string | null {
  if (end === null && !closedOutput) return null;
  return `${describeEnd(end)}${describeLastOutput(log)}`;
}

function describeEnd(end: ProcessEnd | null): string {
  if (end === null) return "the process closed its standard output while it still ran";
  if (end.signal !== null) return `the process was ended by ${end.signal}`;
  return `the process ended with exit code ${end.code ?? "unknown"}`;
}

const SILENCE = "The server did not answer within";

/** Whether a server failed by not responding. */
export const isSilenceOf = ({ message }: ConnectionError): boolean => message.startsWith(SILENCE);

/** A server that did not respond within the connect timeout. */
export function describeSilence(kind: "stdio" | "http", timeoutMs: number, log: ServerLog): string {
  const waited = `${SILENCE} ${timeoutMs / 1000} s`;
  if (kind === "http") return `${waited}: check the URL, or set a longer connect timeout`;
  return `${waited}: is the command an MCP server that speaks over stdio? A slow one needs a longer connect timeout${describeLastOutput(log)}`;
}

function describeLastOutput(log: ServerLog): string {
  const printed = log.lastStdout();
  const errors = log.lastStderr();
  const stdout = printed.length === 0 ? "" : `. On standard output it printed:\n${printed.join("\n")}`;
  return errors.length === 0 ? stdout : `${stdout}. Last lines of stderr:\n${errors.join("\n")}`;
}

export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
