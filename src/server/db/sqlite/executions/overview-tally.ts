import type { OverviewStats } from "../../../../lib/contract";
import { percentile } from "./percentile";

const DAY_MS = 86_400_000;
const TOP = 5;

export interface SampleRow {
  seq: number;
  queuedAt: number;
  toolName: string;
  status: string;
  executionTimeMs: number | null;
}

interface Group {
  calls: number;
  failed: number;
  times: number[];
}

/** Adds up rows by day (UTC) and by tool in one pass. */
export function createOverviewTally(now: number, dayCount: number) {
  const today = Math.floor(now / DAY_MS);
  const firstDay = today - dayCount + 1;
  const total = newGroup();
  const days = Array.from({ length: dayCount }, newGroup);
  const tools = new Map<string, Group>();

  return {
    /** Epoch milliseconds: the start of the first day. */
    since: firstDay * DAY_MS,

    add(row: SampleRow): void {
      // A clock that ran ahead counts as today.
      const day = days[Math.min(Math.floor(row.queuedAt / DAY_MS), today) - firstDay];
      const tool = tools.get(row.toolName) ?? newGroup();
      tools.set(row.toolName, tool);
      for (const group of [total, tool, day]) if (group) count(group, row);
    },

    result(rest: { running: number; sampleLimit: number; sampled: boolean }): OverviewStats {
      const byTool = [...tools].map(([toolName, group]) => ({ toolName, ...summary(group) }));
      return {
        totals: { ...summary(total), running: rest.running },
        days: days.map((group, index) => ({
          day: new Date((firstDay + index) * DAY_MS).toISOString().slice(0, 10),
          ...summary(group),
        })),
        slowest: byTool
          .flatMap(({ toolName, calls, p95Ms }) => (p95Ms === null ? [] : [{ toolName, calls, p95Ms }]))
          .sort((left, right) => right.p95Ms - left.p95Ms)
          .slice(0, TOP),
        failing: byTool
          .filter(({ failed }) => failed > 0)
          .map(({ toolName, calls, failed }) => ({ toolName, calls, failed }))
          .sort((left, right) => right.failed - left.failed)
          .slice(0, TOP),
        sampleLimit: rest.sampleLimit,
        sampled: rest.sampled,
      };
    },
  };
}

function newGroup(): Group {
  return { calls: 0, failed: 0, times: [] };
}

function count(group: Group, { status, executionTimeMs }: SampleRow): void {
  group.calls += 1;
  if (status === "failed" || status === "timed_out" || status === "interrupted") group.failed += 1;
  if (executionTimeMs !== null) group.times.push(executionTimeMs);
}

function summary({ calls, failed, times }: Group) {
  times.sort((left, right) => left - right);
  return { calls, failed, p50Ms: percentile(times, 0.5), p95Ms: percentile(times, 0.95) };
}
