import { isCounted } from "@/lib/contract/call-class";
import type { ExecutionFilter } from "@/lib/contract/execution";
import type { LiveEvent } from "@/lib/contract/live-event";

export type LiveExecutionEvent = Extract<LiveEvent, { type: "execution" }>["execution"];

/** Whether a call that was just heard of belongs in the list; null where what is known of it does not tell. */
export function matchesFilter(filter: ExecutionFilter, event: LiveExecutionEvent): boolean | null {
  if (filter.tool && ![event.toolName, event.calledAs ?? ""].some((name) => filter.tool?.includes(name))) return false;
  if (filter.source ? !filter.source.includes(event.source) : !isCounted(event.source) && !filter.runId) return false;
  // A running call may end as what is asked for; its end will be heard of as well.
  const byStatus = matchesStatus(filter.status, event.status);
  if (byStatus === false || filter.pinned) return false;
  if (filter.until !== undefined && filter.until < Date.now()) return false;
  const {
    q,
    kind,
    actor,
    client,
    runId,
    definition,
    change,
    toolset,
    server,
    lensFailed,
    errorKind,
    tag,
    duration,
    size,
  } = filter;
  const certain = [
    ...[q, kind, actor, client, runId, definition, change, toolset, server, lensFailed, errorKind, tag, duration, size],
  ].every((part) => part === undefined);
  return certain && byStatus ? true : null;
}

/** The event does not say why a call failed, nor what it waits for: null where only such classes are asked for. */
function matchesStatus(wanted: ExecutionFilter["status"], status: LiveExecutionEvent["status"]): boolean | null {
  if (!wanted) return true;
  if (status === "running" && !wanted.includes("running")) return wanted.includes("input") ? null : false;
  if (status !== "failed") return wanted.includes(status);
  const count = FAILED_CLASSES.filter((each) => wanted.includes(each)).length;
  return count === 0 || count === FAILED_CLASSES.length ? count > 0 : null;
}

/** Whether an event may change which calls a filter finds. */
export function concernsList(filter: ExecutionFilter, event: LiveEvent): boolean {
  return event.type === "execution" || (event.type === "interactions" && filter.status?.includes("input") === true);
}

const FAILED_CLASSES = ["failed", "invalid", "rejected"] as const;
