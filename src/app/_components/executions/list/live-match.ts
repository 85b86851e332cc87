import type { ExecutionFilter, LiveEvent } from "@/lib/contract";

export type LiveExecutionEvent = Extract<LiveEvent, { type: "execution" }>["execution"];

/** Whether a call that was just heard of belongs in the list; null where what is known of it does not tell. */
export function matchesFilter(filter: ExecutionFilter, event: LiveExecutionEvent): boolean | null {
  if (filter.tool && !filter.tool.includes(event.toolName)) return false;
  if (filter.source && !filter.source.includes(event.source)) return false;
  // A running call may end as what is asked for; its end will be heard of as well.
  if (filter.status && !filter.status.includes(event.status)) return false;
  if (filter.pinned) return false;
  return [filter.q, filter.actor, filter.runId].every((part) => part === undefined) ? true : null;
}
