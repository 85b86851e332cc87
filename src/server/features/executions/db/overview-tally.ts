import type { OverviewStats } from "../../../../lib/contract/execution";
import { isContentName } from "../../../../lib/contract/execution-kind";
import { listDayStarts } from "../../../../lib/format/time-zone";
import { addCall, type CallTally, createTally, type FigureRow, toFigures, toWaitFigures } from "./call-figures";

const MAX_OVERVIEW_DAYS = 90;
export const OVERVIEW_SAMPLE_LIMIT = 50_000;
export const OVERVIEW_SLICE = 2_000;
const TOP = 5;
/** A tool with fewer finished calls is in no ranking: one slow or failed call says little. */
const MIN_RANKED_CALLS = 5;

export interface SampleRow extends FigureRow {
  seq: number;
  queuedAt: number;
  toolName: string;
}

/** Adds up rows by day of a time zone and by tool in one pass. */
export function createOverviewTally(now: number, asked: number, zone: string) {
  const dayCount = Math.max(1, Math.min(Math.trunc(asked), MAX_OVERVIEW_DAYS));
  const starts = listDayStarts(now, dayCount, zone);
  const total = createTally();
  const days = Array.from({ length: dayCount }, createTally);
  const tools = new Map<string, CallTally>();
  const unknown = new Map<string, number>();

  return {
    /** Epoch milliseconds: the start of the first day. */
    since: starts[0]?.start ?? now,

    add(row: SampleRow): void {
      // Reads of resources and prompts are no calls of tools.
      if (isContentName(row.toolName)) return;
      // A clock that ran ahead counts as today.
      const day = days[starts.findLastIndex(({ start }) => start <= row.queuedAt)];
      for (const group of [total, day]) if (group) addCall(group, row);
      if (row.errorKind === "not_found") return void unknown.set(row.toolName, (unknown.get(row.toolName) ?? 0) + 1);
      const tool = tools.get(row.toolName) ?? createTally();
      tools.set(row.toolName, tool);
      addCall(tool, row);
    },

    result(rest: { running: number; sampleLimit: number; sampled: boolean }): OverviewStats {
      const byTool = [...tools]
        .map(([toolName, group]) => ({ toolName, ...toFigures(group) }))
        .filter(({ finished }) => finished >= MIN_RANKED_CALLS);
      return {
        totals: { ...toFigures(total), running: rest.running, waits: toWaitFigures(total.waits) },
        days: days.map((group, index) => ({
          day: starts[index]?.day ?? "",
          ...toFigures(group),
        })),
        slowest: byTool
          .flatMap(({ toolName, calls, p95Ms }) => (p95Ms === null ? [] : [{ toolName, calls, p95Ms }]))
          .sort((left, right) => right.p95Ms - left.p95Ms)
          .slice(0, TOP),
        failing: byTool
          .filter(({ failed }) => failed > 0)
          .map(({ toolName, finished, failed }) => ({ toolName, finished, failed }))
          .sort((left, right) => right.failed - left.failed || left.finished - right.finished)
          .slice(0, TOP),
        unknown: [...unknown]
          .map(([toolName, calls]) => ({ toolName, calls }))
          .sort((left, right) => right.calls - left.calls)
          .slice(0, TOP),
        sampleLimit: rest.sampleLimit,
        sampled: rest.sampled,
      };
    },
  };
}
