import type { Reopen } from "../session/follow-task";
import { sleep } from "../wait";
import type { ServerConnection } from "./server-connection";

export const FORGOTTEN = "The server no longer knows the session";

/** Waits until a connection is open again, for at most the time limit of the call: its task may still run. */
export function createReopen(connection: ServerConnection, retryMs: number, signal: AbortSignal): Reopen {
  return async (lost, forgotten) => {
    if (forgotten) await connection.replace(lost, FORGOTTEN, signal);
    for (;;) {
      try {
        return await connection.requireSession(signal);
      } catch (error) {
        if (signal.aborted || connection.state.status !== "disconnected") throw error;
        await sleep(retryMs, signal);
      }
    }
  };
}
