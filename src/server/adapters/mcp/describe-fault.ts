import { ConnectionFault } from "./connection-fault";
import type { Quote } from "./redactor";

/** What a fault looks like from outside, through all its wrappings. */
interface FaultTrail {
  /** Node's and OpenSSL's codes, outermost first. */
  codes: string[];
  status: number | null;
  /** What a server wrote beside a status. */
  body: string;
  unauthorized: boolean;
  messages: string[];
}

const MAX_DEPTH = 8;
const MAX_QUOTED_CHARS = 300;

export function trailOf(thrown: unknown): FaultTrail {
  const trail: FaultTrail = { codes: [], status: null, body: "", unauthorized: false, messages: [] };
  let current = thrown;
  for (let depth = 0; depth < MAX_DEPTH && typeof current === "object" && current !== null; depth += 1) {
    const error = current as Record<string, unknown>;
    follow(error, trail);
    const data = error.data as { cause?: unknown } | undefined;
    const several = Array.isArray(error.errors) ? error.errors[0] : undefined;
    current = error.cause ?? several ?? data?.cause;
  }
  return trail;
}

function follow(error: Record<string, unknown>, trail: FaultTrail): void {
  if (typeof error.code === "string") trail.codes.push(error.code);
  if (typeof error.message === "string") trail.messages.push(error.message);
  // The second is an authorization server's word for client credentials that it does not take.
  if (error.name === "UnauthorizedError" || error.code === "invalid_client") trail.unauthorized = true;
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

const TLS = /^(?:CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_TLS_|HOSTNAME_MISMATCH)/;

/** A network fault in words; null for what is none. */
export function networkReason(thrown: unknown): string | null {
  const { codes } = trailOf(thrown);
  for (const code of codes) {
    const reason = NETWORK.get(code);
    if (reason !== undefined) return `${reason} (${code})`;
    if (TLS.test(code)) {
      return `its TLS certificate is not trusted (${code}): add the authority's certificate with NODE_EXTRA_CA_CERTS`;
    }
    if (code === "EPROTO" || code.startsWith("ERR_SSL")) {
      return `it does not speak TLS (${code}): should the URL begin with http://?`;
    }
  }
  return null;
}

/** Whether the server was never reached, so that nothing can have run. */
export function wasNotReached(thrown: unknown): boolean {
  const never = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"];
  return trailOf(thrown).codes.some((code) => never.includes(code));
}

export interface HttpSituation {
  transport: "http" | "sse";
  auth: "none" | "oauth" | "client_credentials";
  hasAuthorizationHeader: boolean;
  quote: Quote;
}

/** Why an HTTP server could not be connected to. */
export function describeHttpFault(thrown: unknown, situation: HttpSituation): ConnectionFault {
  const options = { cause: thrown };
  if (thrown instanceof ConnectionFault) return thrown;
  const trail = trailOf(thrown);
  if (trail.unauthorized || trail.status === 401) return unauthorized(situation, options);
  const network = networkReason(thrown);
  if (network !== null) {
    const permanent = network.includes("TLS");
    return new ConnectionFault(
      permanent ? "failed" : "disconnected",
      `The server cannot be reached: ${network}`,
      options,
    );
  }
  if (trail.status !== null) return describeStatus(trail.status, trail, situation, options);
  const message = trail.messages.join(": ");
  if (/unexpected content type|unusable reply|Invalid content type/i.test(message)) {
    return new ConnectionFault(
      "failed",
      `What answers at this URL does not speak MCP (${situation.quote(trail.messages.at(-1) ?? "", MAX_QUOTED_CHARS)}): it may be a web page. Check the path; it often ends in /mcp${situation.transport === "sse" ? ", and needs the transport 'http'" : ""}`,
      options,
    );
  }
  return describeOtherFault(thrown, situation.quote);
}

function unauthorized({ auth, hasAuthorizationHeader }: HttpSituation, options: ErrorOptions): ConnectionFault {
  if (auth === "oauth") {
    return new ConnectionFault("sign_in_needed", "A person has to sign in to this server: press 'Sign in'", options);
  }
  if (auth === "client_credentials") {
    return new ConnectionFault(
      "failed",
      "The server refused our client credentials (401): check client id and secret",
      options,
    );
  }
  const way = hasAuthorizationHeader
    ? "it refused the Authorization header: check the token"
    : "add an Authorization header, or choose OAuth and sign in";
  return new ConnectionFault("failed", `The server wants to know who is calling (401): ${way}`, options);
}

function describeStatus(
  status: number,
  trail: FaultTrail,
  situation: HttpSituation,
  options: ErrorOptions,
): ConnectionFault {
  const said = quoteBody(trail.body, situation.quote);
  const redirect = /Redirect (?:to|from) .*/.exec(trail.messages.join("\n"))?.[0]?.replace(/ \(redirectPolicy.*/, "");
  if (redirect !== undefined) {
    return new ConnectionFault("failed", `The server sends us to another address (${status}). ${redirect}`, options);
  }
  if (status === 429 || status === 408 || status >= 500) {
    const why = status === 429 ? "has too much to do" : "has a problem of its own";
    return new ConnectionFault("disconnected", `The server ${why} (HTTP ${status})${said}`, options);
  }
  const reason = refusal(status, situation);
  return new ConnectionFault("failed", `${reason}${said}`, options);
}

function refusal(status: number, { transport }: HttpSituation): string {
  if (status === 403) return "The server denies us access (403): check what the account or token may do";
  const looksLikeOther =
    transport === "http"
      ? "If the server speaks the older SSE transport, choose 'sse'"
      : "If the server speaks Streamable HTTP, choose 'http'";
  if (status === 404) {
    return `There is nothing at this URL (404): check the path, which often ends in ${transport === "http" ? "/mcp" : "/sse"}. ${looksLikeOther}`;
  }
  if (status === 405) {
    const what = transport === "http" ? "the older SSE transport: choose 'sse'" : "Streamable HTTP: choose 'http'";
    return `The server does not take our way of asking (405). This looks like ${what}`;
  }
  return `The server refused to connect (HTTP ${status}). ${looksLikeOther}`;
}

/** What is neither the network's nor HTTP's: faults of the protocol. */
export function describeOtherFault(thrown: unknown, quote: Quote): ConnectionFault {
  if (thrown instanceof ConnectionFault) return thrown;
  const message = messageOf(thrown);
  const mismatch = /protocol version is not supported|Unsupported protocol version/i.test(message);
  const said = quote(message, MAX_QUOTED_CHARS);
  return new ConnectionFault(mismatch ? "failed" : "disconnected", `The server could not be connected to: ${said}`, {
    cause: thrown,
  });
}

/** What a server says about its refusal; not the mark-up of a web page. */
function quoteBody(body: string, quote: Quote): string {
  const text = body.trim();
  if (text === "" || text.startsWith("<")) return "";
  return `. It says: ${quote(text, MAX_QUOTED_CHARS)}`;
}

/**
 * What was thrown says of itself. Not the answer of an authorization server that the SDK puts behind it as it came: it may
 * repeat what it was sent, which is client secrets and tokens.
 */
export function messageOf(thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return message.replace(/[.\s]*Raw body:[\s\S]*$/, "");
}
