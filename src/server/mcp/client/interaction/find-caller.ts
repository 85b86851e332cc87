import type { InteractionHandler } from "../../../engine/ports";
import type { RunningToolCall } from "../session/running-tool-calls";
import type { RequestOrigin } from "./ask-during-call";

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
