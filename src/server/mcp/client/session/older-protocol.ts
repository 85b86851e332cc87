import type { ToolCallResult } from "../../../../lib/contract/content";
import type { ProtocolSession } from "./protocol-session";

/**
 * Errors of the Python and the TypeScript SDK when a tool requests input during a call on a 2026-07-28 connection, where a
 * server cannot send requests. The same tool works on a connection that started with `initialize`.
 */
const NO_SERVER_REQUESTS = [
  /Cannot send '[\w/]{1,60}': this transport context has no back-channel/,
  /Server-to-client requests are not available on protocol revision/,
];
const SEARCHED_CHARS = 2000;

/** Whether a call failed because its tool needs the legacy protocol. */
export function needsLegacyProtocol(session: ProtocolSession, outcome: ToolCallResult | Error): boolean {
  if (!session.modern || session.settings.protocol !== "auto") return false;
  return NO_SERVER_REQUESTS.some((pattern) => pattern.test(failureText(outcome).slice(0, SEARCHED_CHARS)));
}

function failureText(outcome: ToolCallResult | Error): string {
  if (outcome instanceof Error) return outcome.message;
  if (outcome.isError !== true) return "";
  return outcome.content.map(({ text }) => (typeof text === "string" ? text : "")).join("\n");
}
