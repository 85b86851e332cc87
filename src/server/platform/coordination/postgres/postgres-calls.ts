import { AppError, isAppError } from "../../shared/app-error";
import { type Bulletin, createTopic } from "../bulletin";
import type { CallKind, CallOutcome, CallRegistry } from "../call-registry";

/** An instance that owns nothing of the kind answers at once; one that gives no sign of life is left out by then. */
const LIMIT_MS = 30_000;

interface Command {
  kind: CallKind;
  id: string;
  payload: string | null;
}

/** Nothing where the call is not that instance's. */
type Reply = { status: "done" } | { error: string; code: AppError["code"] | null } | undefined;

const COMMAND = createTopic<Command, Reply>("calls.command");

/** @param own the calls of this instance, which are looked for first */
export function createPostgresCalls(own: CallRegistry, bulletin: Bulletin): CallRegistry {
  const reachOwn = ({ kind, id, payload }: Command): Promise<CallOutcome> =>
    payload === null ? own.cancel(kind, id) : own.send(kind, id, payload);

  bulletin.on(COMMAND, async (command): Promise<Reply> => {
    try {
      const { status } = await reachOwn(command);
      return status === "done" ? { status } : undefined;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return { error: message, code: isAppError(error) ? error.code : null };
    }
  });

  async function reach(kind: CallKind, id: string, payload: string | null): Promise<CallOutcome> {
    const command = { kind, id, payload };
    const outcome = await reachOwn(command);
    if (outcome.status === "done") return outcome;
    const replies = await bulletin.ask(COMMAND, command, LIMIT_MS, (reply) => reply !== undefined && "status" in reply);
    if (replies.some((reply) => reply !== undefined && "status" in reply)) return { status: "done" };
    for (const reply of replies) {
      if (reply === undefined || !("error" in reply)) continue;
      throw reply.code === null ? new Error(reply.error) : new AppError(reply.code, reply.error);
    }
    return { status: "ended" };
  }

  return { handle: own.handle, cancel: (kind, id) => reach(kind, id, null), send: reach };
}
