import type { ServerLogLine } from "../../../../lib/contract/server";
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
const MAX_DATA_CHARS = 65_536;

/** Handles a server's notifications leniently: the SDK silently drops malformed ones. */
export function listenToNotifications(session: ProtocolSession): void {
  const { transport, log, options } = session;
  transport.onNotification = (method, params) => {
    switch (method) {
      case "notifications/progress":
        relayProgress(session, params);
        return true;
      case "notifications/message":
        relayLogMessage(session, params);
        return true;
      case "notifications/tools/list_changed":
        options.onToolsChanged();
        return true;
      case "notifications/resources/list_changed":
        options.onContent({ type: "resources" });
        return true;
      case "notifications/prompts/list_changed":
        options.onContent({ type: "prompts" });
        return true;
      case "notifications/resources/updated":
        if (typeof params.uri === "string") options.onContent({ type: "updated", uri: params.uri });
        return true;
      case "notifications/tasks/status":
        session.calls.findByTask(params.taskId)?.task?.wake();
        return true;
      case "notifications/elicitation/complete":
        log.add("notification", "info", `The server's URL request is complete (${String(params.elicitationId)})`);
        return true;
      default:
        return false;
    }
  };
}

function relayProgress(
  session: ProtocolSession,
  { progressToken, progress, total, message }: Record<string, unknown>,
): void {
  const call = session.transport.findCallOfToken(progressToken) ?? session.calls.findByTaskToken(progressToken);
  if (call === null || typeof progress !== "number") {
    session.log.add("toolroom", "debug", `Progress for no pending call was ignored: ${String(progressToken)}`);
    return;
  }
  const text = typeof message === "string" ? session.log.quoteForCaller(message, MAX_TEXT_CHARS) : undefined;
  call.progress(progress, typeof total === "number" ? total : undefined, text);
}

function relayLogMessage(session: ProtocolSession, { level, logger, data }: Record<string, unknown>): void {
  const known = typeof level === "string" && Object.hasOwn(LEVELS, level) ? LEVELS[level] : "info";
  const name = typeof logger === "string" ? `${logger}: ` : "";
  const text = name + (typeof data === "string" ? data : (JSON.stringify(data) ?? ""));
  // In a flood, the call's log gets no more lines than the server's.
  if (!session.log.add("notification", known ?? "info", text)) return;
  const call = session.calls.only();
  const message = {
    level: typeof level === "string" ? level : "info",
    logger: typeof logger === "string" ? session.log.quoteForCaller(logger, MAX_TEXT_CHARS) : undefined,
    data: session.log.redactJson(data, MAX_DATA_CHARS),
  };
  if (call !== null) call.context.relayLog(known ?? "info", session.log.quoteForCaller(text, MAX_TEXT_CHARS), message);
  else if (session.calls.size === 0) session.options.onContent({ type: "log", message });
}
