import type { ExecutionCursor, ExecutionFilter, ExecutionSummary } from "../../../lib/contract/execution";
import type { FailureReport } from "../../../lib/contract/execution-figures";
import { getDayBounds, listDayStarts } from "../../../lib/format/time-zone";
import type { ExecutionReads } from "./readable-executions";

/** The limit of failed calls whose messages are read, for any number of calls. */
const FAILURE_LIMIT = 600;
const PAGE = 200;
const MAX_CAUSES = 20;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export const FAILURE_PERIODS = ["hour", "today", "yesterday", "day", "week", "month"] as const;
export type FailurePeriod = (typeof FAILURE_PERIODS)[number];

/** Both ends are inclusive epoch milliseconds. */
interface Window {
  since: number;
  until: number;
}

type Cause = FailureReport["causes"][number];

/** The bounds of a named period: `hour`, `day`, `week` and `month` end now, the others are days of the zone. */
export function toWindow(period: FailurePeriod, now: number, zone: string): Window {
  const [yesterday, today] = listDayStarts(now, 2, zone);
  switch (period) {
    case "hour":
      return { since: now - HOUR_MS, until: now };
    case "day":
      return { since: now - DAY_MS, until: now };
    case "week":
      return { since: now - 7 * DAY_MS, until: now };
    case "month":
      return { since: now - 30 * DAY_MS, until: now };
    case "today":
      return getDayBounds(today?.day ?? "", zone);
    case "yesterday":
      return getDayBounds(yesterday?.day ?? "", zone);
  }
}

/** Groups the newest failed calls that the reader gets by their cause. */
export async function findFailures(
  reads: Pick<ExecutionReads, "list" | "count">,
  filter: ExecutionFilter & Window,
): Promise<FailureReport> {
  const { since, until } = filter;
  const failed: ExecutionSummary[] = [];
  let cursor: ExecutionCursor | undefined;
  do {
    const page = await reads.list({ ...filter, status: ["failed"] }, cursor, PAGE);
    failed.push(...page.items);
    cursor = page.items.length === 0 ? undefined : (page.nextCursor ?? undefined);
  } while (cursor !== undefined && failed.length < FAILURE_LIMIT);
  const { count, more } = await reads.count(filter, { isThorough: true });
  return {
    since,
    until,
    calls: count,
    moreCalls: more,
    failed: failed.length,
    failureLimit: FAILURE_LIMIT,
    causes: groupByCause(failed).slice(0, MAX_CAUSES),
  };
}

function groupByCause(failed: readonly ExecutionSummary[]): Cause[] {
  const causes = new Map<string, Cause>();
  for (const { id, toolName, errorKind, errorPreview, queuedAt } of failed) {
    // Ids, times and amounts differ from call to call.
    const key = JSON.stringify([toolName, errorKind, errorPreview?.replace(/\d+/g, "0") ?? null]);
    const known = causes.get(key);
    if (known !== undefined) known.calls += 1;
    else {
      causes.set(key, {
        tool: toolName,
        errorKind,
        message: errorPreview,
        calls: 1,
        latestId: id,
        latestAt: queuedAt,
      });
    }
  }
  return [...causes.values()].sort((left, right) => right.calls - left.calls || right.latestAt - left.latestAt);
}

/** One sentence for a reader who asks what failed and why. */
export function describeFailures({ calls, moreCalls, failed, causes }: Omit<FailureReport, "since" | "until">): string {
  if (failed === 0) return calls === 0 ? "No calls in this period." : `None of ${calls} calls failed.`;
  const listed = causes
    .slice(0, 3)
    .map((cause) => `${cause.calls} × ${cause.tool}: ${cause.message ?? cause.errorKind ?? "no message"}`);
  const left = causes.length - listed.length;
  const others = left === 0 ? "" : `; and ${left === 1 ? "1 other cause" : `${left} other causes`}`;
  return `${failed} of ${moreCalls ? "more than " : ""}${calls} calls failed. ${listed.join("; ")}${others}.`;
}
