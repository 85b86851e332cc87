import type { ExecutionFilter, LiveEvent } from "@/lib/contract";

export type LiveExecutionEvent = Extract<LiveEvent, { type: "execution" }>["execution"];

/** Whether a call that was just heard of belongs in the list; null where what is known of it does not tell. */
export function matchesFilter(filter: ExecutionFilter, event: LiveExecutionEvent): boolean | null {
  if (filter.tool && !filter.tool.includes(event.toolName)) return false;
  if (filter.source && !filter.source.includes(event.source)) return false;
  // A running call may end as what is asked for; its end will be heard of as well.
  const byStatus = matchesStatus(filter.status, event.status);
  if (byStatus === false || filter.pinned) return false;
  if (filter.until !== undefined && filter.until < Date.now()) return false;
  const certain = [filter.q, filter.actor, filter.runId].every((part) => part === undefined);
  return certain && byStatus ? true : null;
}

/** The event does not say why a call failed. */
function matchesStatus(wanted: ExecutionFilter["status"], status: LiveExecutionEvent["status"]): boolean | null {
  if (!wanted || wanted.includes(status)) return true;
  return status === "failed" && wanted.some((each) => each === "invalid" || each === "rejected") ? null : false;
}
