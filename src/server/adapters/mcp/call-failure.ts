import { ToolFailure } from "../../engine/failures";
import { AnswerLost, ConnectionFault, SessionLost } from "./connection-fault";
import { describeHttpFault, messageOf, networkReason, trailOf, wasNotReached } from "./describe-fault";
import type { InFlightCall } from "./in-flight-calls";
import { capitalized, type ProtocolSession } from "./protocol-session";
import type { Quote } from "./redactor";

const QUOTED_CHARS = 2000;
/** Of everything together: what the server said, what it printed meanwhile, and our own words. */
const MAX_MESSAGE_CHARS = 10_000;
const CONNECTION_CODES = ["CONNECTION_CLOSED", "NOT_CONNECTED", "SEND_FAILED"];

/** What a failed call says to people and models. Tells the session when it learned that the server is gone. */
export function callFailure(thrown: unknown, session: ProtocolSession, call: InFlightCall): ToolFailure | SessionLost {
  const server = session.settings.name;
  const quote = (text: string, maxChars = QUOTED_CHARS): string => session.log.quote(text, maxChars);
  const failure = (kind: ToolFailure["kind"], message: string): ToolFailure =>
    new ToolFailure(kind, quote(message, MAX_MESSAGE_CHARS));
  const unavailable = (reason: string): ToolFailure =>
    failure("unavailable", `Server '${server}' is unavailable: ${reason}${printed(call)}`);
  const broken = (reason: string): ToolFailure => failure("tool_error", `${server}: ${reason}`);

  if (call.context.signal.aborted) {
    return failure("cancelled", `The call was given up${printed(call)}`);
  }
  if (thrown instanceof SessionLost) return thrown;
  // By name: whoever answers a server's question may come from another bundle.
  if ((thrown as { name?: unknown } | null)?.name === "ToolFailure") return thrown as ToolFailure;
  if (session.ended || thrown instanceof ConnectionFault) {
    return unavailable(session.endMessage ?? (thrown as Error).message);
  }
  if (thrown instanceof AnswerLost) return unavailable(thrown.message);
  if (!(thrown instanceof Error)) return broken(quote(String(thrown)));
  const { codes, status, unauthorized, body } = trailOf(thrown);
  if (thrown.name === "ProtocolError" || Number.isInteger((thrown as { code?: unknown }).code)) {
    const { code, data } = thrown as { code?: unknown; data?: unknown };
    return broken(`${quote(thrown.message)} (code ${String(code)})${addressesIn(data, quote)}`);
  }
  if (unauthorized || status === 401) {
    if (session.channel.kind === "http") session.abandon(describeHttpFault(thrown, session.channel.situation));
    return unavailable("it wants to know who is calling (401): open its page in the console");
  }
  if (status !== null) return describeStatus(status, body, session, unavailable);
  const network = networkReason(thrown);
  if (network !== null || codes.some((code) => CONNECTION_CODES.includes(code)) || thrown.message === "Not connected") {
    if (wasNotReached(thrown)) session.abandon(new ConnectionFault("disconnected", capitalized(network ?? "")));
    else session.options.onDoubt();
    return unavailable(network ?? "the connection ended");
  }
  if (thrown.name === "ZodError" || thrown.name === "SyntaxError") {
    return unavailable(`its answer is no message of the protocol (${quote(thrown.message, 200)})`);
  }
  const lost = lostAnswer(thrown);
  return lost === null ? broken(quote(messageOf(thrown))) : unavailable(lost.message);
}

function describeStatus(
  status: number,
  body: string,
  session: ProtocolSession,
  unavailable: (reason: string) => ToolFailure,
): ToolFailure | SessionLost {
  if (isForgotten(status, body, session)) return new SessionLost();
  const said =
    body.trim() === "" || body.trim().startsWith("<") ? "" : `: ${session.log.quote(body.trim(), QUOTED_CHARS)}`;
  if (status >= 500) session.options.onDoubt();
  return unavailable(`it answered with HTTP ${status}${said}`);
}

/** Whether a request was refused, without being run, since the server does not know its session. */
export function forgotSession(thrown: unknown, session: ProtocolSession): boolean {
  const { status, body } = trailOf(thrown);
  return status !== null && isForgotten(status, body, session);
}

function isForgotten(status: number, body: string, session: ProtocolSession): boolean {
  // 400 is what servers of the 1.x SDK say to a session that they do not know.
  return session.transport.sessionId !== undefined && (status === 404 || (status === 400 && /session/i.test(body)));
}

/** The reason that our own reading of a body gave, however deep it was wrapped. */
function lostAnswer(thrown: unknown): AnswerLost | null {
  let current = thrown;
  for (let depth = 0; depth < 5 && current instanceof Error; depth += 1) {
    if (current instanceof AnswerLost) return current;
    current = current.cause;
  }
  return null;
}

/** Text that was printed between the messages and may have taken the answer with it. */
function printed(call: InFlightCall): string {
  if (call.pollution.length === 0) return "";
  return `. Meanwhile it printed on standard output what is no message of the protocol:\n${call.pollution.join("\n")}`;
}

/** A server may refuse a call until the person has been at an address (error -32042). */
function addressesIn(data: unknown, quote: Quote): string {
  const { elicitations } = (typeof data === "object" && data !== null ? data : {}) as { elicitations?: unknown };
  if (!Array.isArray(elicitations)) return "";
  const urls = elicitations.flatMap((entry: unknown) => {
    const url = (entry as { url?: unknown } | null)?.url;
    return typeof url === "string" ? [quote(url, 1000)] : [];
  });
  return urls.length === 0 ? "" : `. Open ${urls.slice(0, 5).join(" and ")}, then call again`;
}
