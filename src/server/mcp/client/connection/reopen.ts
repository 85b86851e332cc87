import { ToolFailure } from "../../../engine/failures";
import { isSessionForgotten } from "../session/call-failure";
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

/** Whether the server refuses every request on this session, and not only one tool's. */
async function hasForgotten(session: ProtocolSession): Promise<boolean> {
  const timeoutMs = session.limits.pingTimeoutMs;
  for (const method of ["ping", "tools/list"]) {
    try {
      await session.request(method, {}, { timeoutMs });
    } catch (error) {
      if (isSessionForgotten(error, session)) return true;
    }
  }
  return false;
}

/**
 * Runs a request, once more with a new session where the server forgot the old one and refused the request without
 * running it.
 * @throws ToolFailure where the request may have run, or the server forgets the new session too, and any error that the
 * request throws
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
    const { suspected } = error;
    if (suspected !== null && !(await hasForgotten(session))) throw suspected;
    await connection.replace(session, FORGOTTEN, signal);
    if (suspected !== null) {
      throw new ToolFailure(
        "unavailable",
        `${suspected.message}. The server no longer knows the session, and Toolroom has started a new one: call again`,
      );
    }
  }
  return request(await connection.requireSession(signal)).catch((error: unknown) => {
    if (!isSessionLost(error)) throw error;
    const server = connection.settings.name;
    throw new ToolFailure("unavailable", `Server '${server}' is unavailable: it forgets each session at once`);
  });
}
