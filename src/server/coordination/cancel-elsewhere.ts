import { AppError } from "../shared/app-error";
import type { CallKind, CallOutcome, CallRegistry } from "./call-registry";

/**
 * Cancels what another copy of the server runs. False where it has ended.
 * @throws AppError that names the process where that process does not answer
 */
export async function cancelElsewhere(
  calls: Pick<CallRegistry, "cancel"> | undefined,
  kind: CallKind,
  id: string,
): Promise<boolean> {
  return isDone(await calls?.cancel(kind, id), id, "cancel");
}

/** Sends something to the copy that owns a call, as `cancelElsewhere` sends a cancellation. */
export async function answerElsewhere(
  calls: Pick<CallRegistry, "send">,
  kind: CallKind,
  id: string,
  payload: string,
): Promise<boolean> {
  return isDone(await calls.send(kind, id, payload), id, "answer");
}

function isDone(outcome: CallOutcome | undefined, id: string, action: string): boolean {
  if (outcome?.status !== "unreachable") return outcome?.status === "done";
  const { pid, host } = outcome.owner;
  throw new AppError(
    "UNAVAILABLE",
    `'${id}' runs in another Toolroom process (pid ${pid} on ${host}), which did not answer. Try again, or ${action} it there.`,
  );
}
