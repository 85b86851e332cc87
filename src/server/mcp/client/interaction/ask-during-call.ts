import { ProtocolError } from "@modelcontextprotocol/client";
import type { ProtocolSession } from "../session/protocol-session";
import type { RunningToolCall } from "../session/running-tool-calls";

const TOO_MANY_REQUESTS = -32_000;

/** Where a request of a server came from. */
export interface RequestOrigin {
  session: ProtocolSession;
  /** Null where the request may belong to any of the session's calls, or to none. */
  call: RunningToolCall | null;
  signal: AbortSignal;
  /** The key of a request inside an `input_required` result. */
  key?: string;
}

/**
 * Runs `ask` with the timeouts of the waiting calls paused. The signal it gets aborts with the request and with its call.
 * @throws ProtocolError when too many requests of this server are pending
 */
export async function askDuringCall<Answer>(
  { session, call, signal }: RequestOrigin,
  ask: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const releaseSlot = session.options.pendingRequests.reserve(() =>
    session.log.add("toolroom", "warn", "The server sends too many requests: further ones are declined"),
  );
  if (releaseSlot === null) {
    throw new ProtocolError(TOO_MANY_REQUESTS, "Too many pending requests: try again later");
  }
  // Without a known call, any of them may be the one that waits.
  const resumes = Array.from(call === null ? session.calls : [call], ({ context }) => context.hold());
  try {
    return await ask(call === null ? signal : AbortSignal.any([signal, call.ended]));
  } finally {
    for (const resume of resumes) resume();
    releaseSlot();
  }
}
