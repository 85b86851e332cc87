import type { ServerLogLine } from "../../../lib/contract";
import type { ToolLogger } from "../../engine/ports";
import { cutText } from "./cut-text";
import type { ProtocolSession } from "./protocol-session";
import { ANY_RESULT } from "./result-schema";

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

/** Loose, since a notification that the SDK finds malformed would be dropped without a word. */
const LOOSE = { params: ANY_RESULT };

export function listenToNotifications(session: ProtocolSession): void {
  const { client, log, options } = session;
  client.setNotificationHandler("notifications/tools/list_changed", LOOSE, () => options.onToolsChanged());
  client.setNotificationHandler("notifications/message", LOOSE, (params) => noteMessage(session, params));
  client.setNotificationHandler("notifications/elicitation/complete", LOOSE, (params) => {
    const id = String((params as { elicitationId?: unknown } | undefined)?.elicitationId ?? "");
    log.add("notification", "info", `What the server asked for at an address is done (${id})`);
  });
}

function noteMessage(session: ProtocolSession, params: unknown): void {
  const { level, logger, data } = (params ?? {}) as { level?: unknown; logger?: unknown; data?: unknown };
  const known = typeof level === "string" && Object.hasOwn(LEVELS, level) ? LEVELS[level] : "info";
  const name = typeof logger === "string" ? `${logger}: ` : "";
  const text = name + (typeof data === "string" ? data : cutText(JSON.stringify(data) ?? "", MAX_TEXT_CHARS));
  session.log.add("notification", known ?? "info", text);
  const call = session.calls.only();
  if (call !== null) logTo(call.context.logger, known ?? "info", cutText(text, MAX_TEXT_CHARS));
}

function logTo(logger: ToolLogger, level: ServerLogLine["level"], text: string): void {
  logger[level](text);
}
