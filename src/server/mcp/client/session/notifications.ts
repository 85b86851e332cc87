import { isPlainObject } from "../../../../lib/contract/json";
import type { ServerLogLine } from "../../../../lib/contract/server";
import { isForeignMethod, listRelayedExtensions } from "../../../../lib/mcp-extensions";
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
/** What a server's extensions may send in a second: every client that listens gets each. */
const FOREIGN_PER_SECOND = 100;
const FOREIGN_CHARS_PER_SECOND = 1_000_000;

/** Handles a server's notifications leniently: the SDK silently drops malformed ones. */
export function listenToNotifications(session: ProtocolSession): void {
  const { transport, log, options } = session;
  const foreign = { startedAt: 0, count: 0, chars: 0 };
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
        return relayForeign(session, foreign, method, params);
    }
  };
}

/** A notification of an extension that the server declares; the message log has every one. */
function relayForeign(
  { log, options, capabilities }: ProtocolSession,
  second: { startedAt: number; count: number; chars: number },
  method: string,
  params: Record<string, unknown>,
): boolean {
  if (!isForeignMethod(method) || listRelayedExtensions(capabilities).length === 0) return false;
  const relayed = log.redactJson(params, MAX_DATA_CHARS);
  const now = performance.now();
  if (now - second.startedAt >= 1000) Object.assign(second, { startedAt: now, count: 0, chars: 0 });
  second.count += 1;
  second.chars += isPlainObject(relayed) ? JSON.stringify(relayed).length : 0;
  if (!isPlainObject(relayed)) {
    log.add("toolroom", "warn", `'${method}' was not relayed: it is larger than ${MAX_DATA_CHARS} characters`);
  } else if (second.count > FOREIGN_PER_SECOND || second.chars > FOREIGN_CHARS_PER_SECOND) {
    log.add("toolroom", "warn", `'${method}' was not relayed: the server sends too many notifications in a second`);
  } else {
    options.onContent({ type: "foreign", method, params: relayed });
  }
  return true;
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
  // When the server sends too many lines, the call's log leaves out the same ones as the server's.
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
