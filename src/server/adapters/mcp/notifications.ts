import type { ServerLogLine } from "../../../lib/contract";
import type { ToolLogger } from "../../engine/ports";
import type { ProtocolSession } from "./protocol-session";

const LEVELS: Readonly<Record<string, ServerLogLine["level"]>> = {
  debug: "debug",
  info: "info",
  notice: "info",
  warning: "warn",
  error: "error",
  critical: "error",
  alert: "error",
  emergency: "error",
};
const MAX_TEXT_CHARS = 4096;

/** Hears what a server tells of itself. Loosely: the SDK would drop what it finds malformed without a word. */
export function listenToNotifications(session: ProtocolSession): void {
  const { transport, log, options } = session;
  transport.takeNotification = (method, params) => {
    switch (method) {
      case "notifications/progress":
        noteProgress(session, params);
        return true;
      case "notifications/message":
        noteMessage(session, params);
        return true;
      case "notifications/tools/list_changed":
        options.onToolsChanged();
        return true;
      case "notifications/elicitation/complete":
        log.add(
          "notification",
          "info",
          `What the server asked for at an address is done (${String(params.elicitationId)})`,
        );
        return true;
      default:
        return false;
    }
  };
}

function noteProgress(
  session: ProtocolSession,
  { progressToken, progress, total, message }: Record<string, unknown>,
): void {
  const call = session.transport.callOf(progressToken);
  if (call === null || typeof progress !== "number") {
    session.log.add(
      "toolroom",
      "debug",
      `Progress that belongs to no call (any more) was ignored: ${String(progressToken)}`,
    );
    return;
  }
  const text = typeof message === "string" ? session.log.quote(message, MAX_TEXT_CHARS) : undefined;
  call.progress(progress, typeof total === "number" ? total : undefined, text);
}

function noteMessage(session: ProtocolSession, { level, logger, data }: Record<string, unknown>): void {
  const known = typeof level === "string" && Object.hasOwn(LEVELS, level) ? LEVELS[level] : "info";
  const name = typeof logger === "string" ? `${logger}: ` : "";
  const text = name + (typeof data === "string" ? data : (JSON.stringify(data) ?? ""));
  // Of a flood the call's log gets no more than the server's.
  if (!session.log.add("notification", known ?? "info", text)) return;
  const call = session.calls.only();
  if (call !== null) logTo(call.context.logger, known ?? "info", session.log.quote(text, MAX_TEXT_CHARS));
}

function logTo(logger: ToolLogger, level: ServerLogLine["level"], text: string): void {
  logger[level](text);
}
