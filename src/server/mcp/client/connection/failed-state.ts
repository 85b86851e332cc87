import { type ConnectionState, NO_CONNECTION } from "../../../../lib/contract/server";
import type { Clock, Logger } from "../../../engine/ports";
import type { ServerLog } from "../log/server-log";
import type { ConnectionError } from "../session/connection-error";
import type { AttemptHistory } from "./attempt-history";

const MAX_REASON_CHARS = 5000;

interface Failed {
  server: string;
  log: ServerLog;
  history: AttemptHistory;
  clock: Clock;
  logger: Logger;
}

/** Records and logs a failed attempt. @returns the state of the connection, and milliseconds until the next attempt; null for none */
export function recordFailedAttempt(
  { server, log, history, clock, logger }: Failed,
  state: ConnectionState,
  { status, message }: Pick<ConnectionError, "message" | "status">,
): { state: ConnectionState; delayMs: number | null } {
  const reason = log.quote(message, MAX_REASON_CHARS);
  const waitMs = history.recordFailure();
  const delayMs = status === "disconnected" ? waitMs : null;
  log.add("toolroom", "error", reason);
  logger.warn({ server, status, nextAttemptInMs: delayMs }, reason);
  const nextAttemptAt = delayMs === null ? null : clock.now() + delayMs;
  return { state: { ...state, ...NO_CONNECTION, status, reason, attempts: history.attempts, nextAttemptAt }, delayMs };
}
