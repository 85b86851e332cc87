import { ProtocolError } from "@modelcontextprotocol/client";
import type { InteractionHandler } from "../../../engine/ports";
import type { ProtocolSession } from "../session/protocol-session";
import type { RunningToolCall } from "../session/running-tool-calls";

const TOO_MANY_REQUESTS = -32_000;

/** The origin of a server's request. */
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
  // Without a known call, any call may be waiting for the answer.
  const resumes = Array.from(call === null ? session.calls : [call], ({ context }) => context.hold());
  try {
    return await ask(call === null ? signal : AbortSignal.any([signal, call.ended]));
  } finally {
    for (const resume of resumes) resume();
    releaseSlot();
  }
}

export interface Caller {
  /** The calls of which one needs the answer; empty where none runs. */
  candidates: RunningToolCall[];
  /** Absent where the caller cannot be asked, or is not known. */
  interact: InteractionHandler | undefined;
  /** True when programs made the calls, so no user of the console waits for them. */
  isProgram: boolean;
}

/** Calls of these are made by other programs. */
const PROGRAM_SOURCES: ReadonlySet<unknown> = new Set(["gateway", "api"]);

/** Finds the caller of the call that a request belongs to. If the server names no call, running calls of one caller count as one. */
export function findCaller({ session, call }: Pick<RequestOrigin, "session" | "call">): Caller {
  const candidates = call === null ? [...session.calls] : [call];
  const handlers = candidates.map(({ context }) => context.interact);
  const [first] = handlers;
  const isShared =
    handlers.length === 1 || handlers.every((each) => each?.client !== undefined && each.client === first?.client);
  return {
    candidates,
    interact: isShared ? first : undefined,
    isProgram: candidates.length > 0 && candidates.every(({ context }) => PROGRAM_SOURCES.has(context.source)),
  };
}
