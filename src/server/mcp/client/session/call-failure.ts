import type { ProtocolErrorBody } from "../../../../lib/contract/envelope";
import { isBeyondLimits } from "../../../../lib/json/limits";
import { ToolFailure } from "../../../engine/failures";
import type { Quote } from "../log/redactor";
import { endOnAccessError } from "./access-error";
import { ConnectionError, findConnectionError, ResponseLostError, SessionLostError } from "./connection-error";
import { capitalize, describeNetworkError, getMessage, isUnreachable, readErrorTrail } from "./describe-error";
import type { ProtocolSession } from "./protocol-session";
import type { RunningToolCall } from "./running-tool-calls";
import { isSurelyRefused, mayBeLostSession, mentionsLostSession } from "./session-loss";

const QUOTED_CHARS = 2000;
export const MAX_DATA_CHARS = 65_536;
/** The length of the whole message: the server's text, its stdout noise, and Toolroom's own words. */
const MAX_MESSAGE_CHARS = 10_000;
const CONNECTION_CODES = ["CONNECTION_CLOSED", "NOT_CONNECTED", "SEND_FAILED"];

/** The failure for users and models. Reports to the session when the server seems gone. */
export function toCallFailure(
  thrown: unknown,
  session: ProtocolSession,
  call: RunningToolCall,
): ToolFailure | SessionLostError {
  const server = session.settings.name;
  const quote = (text: string, maxChars = QUOTED_CHARS): string => session.log.quoteForCaller(text, maxChars);
  const failure = (kind: ToolFailure["kind"], message: string): ToolFailure =>
    new ToolFailure(kind, quote(message, MAX_MESSAGE_CHARS));
  const unavailable = (reason: string): ToolFailure =>
    failure("unavailable", `Server '${server}' is unavailable: ${reason}${describeStdoutNoise(call)}`);
  const broken = (reason: string): ToolFailure => failure("tool_error", `${server}: ${reason}`);

  if (call.context.signal.aborted) {
    return failure("cancelled", `The call was abandoned${describeStdoutNoise(call)}`);
  }
  if (thrown instanceof SessionLostError) return thrown;
  // Compares the name, since interactions may be answered by code of another bundle.
  if ((thrown as { name?: unknown } | null)?.name === "ToolFailure") return thrown as ToolFailure;
  const known = findConnectionError(thrown);
  if (known !== null && (known.kind !== null || known.status === "sign_in_needed")) {
    session.abandon(known);
    return failure(known.kind ?? "sign_in_needed", `Server '${server}': ${known.message}`);
  }
  if (session.ended || known !== null) {
    return unavailable(session.endReason ?? (known ?? (thrown as Error)).message);
  }
  if (thrown instanceof ResponseLostError) return unavailable(thrown.message);
  if (isBeyondLimits(thrown)) return unavailable(`the server's answer was dropped: ${thrown.message}`);
  if (!(thrown instanceof Error)) return broken(quote(String(thrown)));
  const refused = endOnAccessError(thrown, session);
  if (refused !== null) {
    if (refused.kind !== null) return failure(refused.kind, `Server '${server}': ${refused.message}`);
    const needsSignIn = refused.status === "sign_in_needed";
    return needsSignIn
      ? failure("sign_in_needed", `Server '${server}': ${refused.message} on its page in the console, then call again`)
      : unavailable(refused.message);
  }
  const { codes, status, body } = readErrorTrail(thrown);
  if (thrown.name === "ProtocolError" || Number.isInteger((thrown as { code?: unknown }).code)) {
    const { code, data } = thrown as { code?: unknown; data?: unknown };
    const message = `${server}: ${quote(thrown.message)} (code ${String(code)})${describeElicitationUrls(data, quote)}`;
    const sent = thrown.name === "ProtocolError" ? toProtocolError(code, thrown.message, data, session) : undefined;
    const failed = new ToolFailure("tool_error", quote(message, MAX_MESSAGE_CHARS), sent);
    return hasSession(session) && mayBeLostSession({ code, message: thrown.message })
      ? new SessionLostError(failed)
      : failed;
  }
  if (status !== null) return describeStatus(status, body, session, unavailable);
  const network = describeNetworkError(thrown);
  if (network !== null || codes.some((code) => CONNECTION_CODES.includes(code)) || thrown.message === "Not connected") {
    if (isUnreachable(thrown)) session.abandon(new ConnectionError("disconnected", capitalize(network ?? "")));
    else session.options.onSuspectedLoss();
    return unavailable(network ?? "the connection ended");
  }
  if (thrown.name === "ZodError" || thrown.name === "SyntaxError") {
    return unavailable(`its response is not a protocol message (${quote(getMessage(thrown), 200)})`);
  }
  const lost = findResponseLost(thrown);
  return lost === null ? broken(quote(getMessage(thrown))) : unavailable(lost.message);
}

/** The error as the server sent it, for gateway clients. */
function toProtocolError(
  code: unknown,
  message: string,
  data: unknown,
  { log }: ProtocolSession,
): ProtocolErrorBody | undefined {
  if (!Number.isSafeInteger(code)) return undefined;
  const body = { code: code as number, message: log.quoteForCaller(message, MAX_MESSAGE_CHARS) };
  return data === undefined ? body : { ...body, data: log.redactJson(data, MAX_DATA_CHARS) };
}

function describeStatus(
  status: number,
  body: string,
  session: ProtocolSession,
  unavailable: (reason: string) => ToolFailure,
): ToolFailure | SessionLostError {
  if (hasSession(session) && isSurelyRefused(status, body)) return new SessionLostError();
  const said =
    body.trim() === "" || body.trim().startsWith("<")
      ? ""
      : `: ${session.log.quoteForCaller(body.trim(), QUOTED_CHARS)}`;
  const failed = unavailable(`it answered with HTTP ${status}${said}`);
  if (hasSession(session) && mentionsLostSession(body)) return new SessionLostError(failed);
  if (status >= 500) session.options.onSuspectedLoss();
  return failed;
}

/** Whether the server may have refused a request because it does not know the session. */
export function isSessionForgotten(thrown: unknown, session: ProtocolSession): boolean {
  if (!hasSession(session)) return false;
  const { status, body } = readErrorTrail(thrown);
  if (status !== null) return isSurelyRefused(status, body) || mentionsLostSession(body);
  return (thrown as { name?: unknown } | null)?.name === "ProtocolError" && mayBeLostSession(thrown as Error);
}

/** The older SSE transport has its session in the address that requests go to. */
function hasSession({ channel, transport }: ProtocolSession): boolean {
  return channel.kind === "http" && (transport.sessionId !== undefined || channel.errorContext.transport === "sse");
}

function findResponseLost(thrown: unknown): ResponseLostError | null {
  let current = thrown;
  for (let depth = 0; depth < 5 && current instanceof Error; depth += 1) {
    if (current instanceof ResponseLostError) return current;
    current = current.cause;
  }
  return null;
}

/** Text that was printed between the messages and may have damaged the response. */
function describeStdoutNoise(call: RunningToolCall): string {
  if (call.stdoutNoise.length === 0) return "";
  return `. During the call it printed text on standard output that is not a protocol message:\n${call.stdoutNoise.join("\n")}`;
}

/** A server may refuse a call until the user has opened a URL (error -32042). */
function describeElicitationUrls(data: unknown, quote: Quote): string {
  const { elicitations } = (typeof data === "object" && data !== null ? data : {}) as { elicitations?: unknown };
  if (!Array.isArray(elicitations)) return "";
  const urls = elicitations.flatMap((entry: unknown) => {
    const url = (entry as { url?: unknown } | null)?.url;
    return typeof url === "string" ? [quote(url, 1000)] : [];
  });
  return urls.length === 0 ? "" : `. Open ${urls.slice(0, 5).join(" and ")}, then call again`;
}
