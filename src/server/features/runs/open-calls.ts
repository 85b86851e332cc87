import { type FunctionCallContent, listCalls } from "../../../lib/contract/chat";
import type { RunEvent } from "../../../lib/contract/run";
import { exceptionResult } from "../../engine/agent/function-result";
import { finishedCall, resultOfExecution } from "./execution-result";
import type { LiveRun } from "./live-run";
import type { RunServicePorts } from "./run-ports";

/** Calls of the last answer that have no result in the log. */
function openCalls(events: readonly RunEvent[]): FunctionCallContent[] {
  const at = events.findLastIndex((event) => event.type === "model_finished" && event.partial !== true);
  const answer = events[at];
  if (answer?.type !== "model_finished") return [];
  const finished = new Set(events.slice(at).flatMap((event) => (event.type === "tool_finished" ? event.callId : [])));
  return listCalls(answer.message).filter(({ callId }) => !finished.has(callId));
}

/**
 * Appends the results of calls that a turn left open. A started call never runs again: its execution has the result. A
 * call that waits for approval is withdrawn. Calls that were not started are left to the next turn (`execute`) or
 * abandoned.
 */
export async function settleOpenCalls(
  run: LiveRun,
  { executions }: Pick<RunServicePorts, "executions">,
  unbegun: "execute" | "give_up",
): Promise<void> {
  const open = openCalls(run.events);
  if (open.length === 0) return;
  const begun = new Map((await executions.ofRun(run.id)).map((execution) => [execution.callId, execution]));
  for (const call of open) {
    const execution = begun.get(call.callId);
    if (execution === undefined) {
      if (unbegun === "execute") continue;
      const result = exceptionResult(call, "interrupted", "Not executed: the run was interrupted before this call");
      await run.append(finishedCall(run.step, result));
      continue;
    }
    if (execution.status === "waiting" || unbegun === "give_up") await executions.cancel(run.actor, execution.id);
    await executions.ended(execution.id);
    const detail = await executions.get(execution.id);
    await run.append(finishedCall(run.step, resultOfExecution(call, detail)));
  }
}
