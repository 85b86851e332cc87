import { ToolFailure } from "../../../engine/failures";
import { isSessionLost } from "../session/connection-error";
import type { Reopen } from "../session/follow-task";
import type { ProtocolSession } from "../session/protocol-session";
import { sleep } from "../wait";
import type { ServerConnection } from "./server-connection";

/** The reason of a reconnect. */
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

/**
 * Runs a request, once more with a new session where the server forgot the old one: it refused the request without running it.
 * @throws ToolFailure where the server forgets the new session too, and whatever the request throws
 */
export async function onKnownSession<Result>(
  connection: ServerConnection,
  signal: AbortSignal,
  request: (session: ProtocolSession) => Promise<Result>,
): Promise<Result> {
  const session = await connection.requireSession(signal);
  try {
    return await request(session);
  } catch (error) {
    if (!isSessionLost(error)) throw error;
    await connection.replace(session, FORGOTTEN, signal);
  }
  return request(await connection.requireSession(signal)).catch((error: unknown) => {
    if (!isSessionLost(error)) throw error;
    const server = connection.settings.name;
    throw new ToolFailure("unavailable", `Server '${server}' is unavailable: it forgets each session at once`);
  });
}
