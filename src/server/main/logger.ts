import { pino } from "pino";
import type { OpenTraces } from "../platform/telemetry/telemetry";
import type { Env } from "./env";

const STDERR = 2;
const MAX_WAITING_CHARS = 4_194_304;

/**
 * Structured lines on stderr: stdout is for the server's messages to users. In a terminal, warnings and errors are
 * text.
 * @param traces names the trace in lines about a call or a run; absent where spans are not sent
 */
export function createLogger(
  env: Pick<Env, "logLevel">,
  withoutSecrets = (line: string): string => line,
  traces?: OpenTraces,
) {
  const isForUser = process.stderr.isTTY === true && (env.logLevel === "warn" || env.logLevel === "error");
  const hooks = {
    streamWrite: (line: string) => (isForUser ? formatLogLine(withoutSecrets(line)) : withoutSecrets(line)),
  };
  const formatters = traces === undefined ? {} : { log: (fields: Record<string, unknown>) => traces.addTo(fields) };
  return pino({ level: env.logLevel, base: null, hooks, formatters }, createLogDestination(STDERR));
}

/** Lines that the reader of a stream has not taken yet wait in memory, up to a limit: beyond it, lines are left out. */
export function createLogDestination(fd: number) {
  return pino.destination({ fd, sync: false, maxLength: MAX_WAITING_CHARS });
}

/** `Warning: the message (name: value)` from a JSON line. No control character of a message reaches the terminal. */
export function formatLogLine(line: string): string {
  const { level, time: _time, msg = "", err, ...facts } = JSON.parse(line) as Record<string, unknown>;
  const cause = (err as { message?: unknown } | undefined)?.message;
  const named = Object.entries(cause === undefined ? facts : { ...facts, cause }).map(
    ([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  const text = `${level === 40 ? "Warning" : "Error"}: ${String(msg)}${named.length === 0 ? "" : ` (${named.join(", ")})`}`;
  return `${text.replaceAll(/\p{Cc}/gu, " ")}\n`;
}
