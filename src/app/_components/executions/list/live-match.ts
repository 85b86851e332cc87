import { classifyCall, isCounted, toClasses } from "@/lib/contract/call-class";
import type { ExecutionFilter } from "@/lib/contract/execution";
import type { LiveEvent } from "@/lib/contract/live-event";

type LiveExecutionEvent = Extract<LiveEvent, { type: "execution" }>["execution"];

/** Filters that an event alone cannot decide. */
const UNDECIDED = [
  "q",
  "kind",
  "actor",
  "client",
  "runId",
  "definition",
  "change",
  "toolset",
  "rule",
  "server",
  "lensFailed",
  "message",
  "errorKind",
  "tag",
  "duration",
  "size",
  "minCost",
] as const satisfies readonly (keyof ExecutionFilter)[];

/** Decides whether the list shows a call from a live event; null where the event lacks a filtered field. */
export function matchesFilter(filter: ExecutionFilter, event: LiveExecutionEvent): boolean | null {
  if (filter.tool && ![event.toolName, event.calledAs ?? ""].some((name) => filter.tool?.includes(name))) return false;
  if (filter.source ? !filter.source.includes(event.source) : !isCounted(event.source) && !filter.runId) return false;
  // A running call may still end with a wanted status; another event reports its end.
  const byStatus = matchesStatus(filter.status, event);
  if (byStatus === false || filter.pinned) return false;
  if (filter.until !== undefined && filter.until < Date.now()) return false;
  const certain = UNDECIDED.every((name) => filter[name] === undefined);
  return certain && byStatus ? true : null;
}

/**
 * The event does not say what a running call waits for: the result is null where only calls that wait for input are
 * wanted.
 */
function matchesStatus(wanted: ExecutionFilter["status"], event: LiveExecutionEvent): boolean | null {
  if (!wanted) return true;
  if (event.status === "running" && !wanted.includes("running")) return wanted.includes("input") ? null : false;
  return toClasses(wanted).has(classifyCall(event));
}

/** Whether an event may change which calls a filter finds. */
export function concernsList(filter: ExecutionFilter, event: LiveEvent): boolean {
  return event.type === "execution" || (event.type === "interactions" && filter.status?.includes("input") === true);
}
