import { DAY_MS, HOUR_MS, MINUTE_MS, READ_MINUTES_MS } from "./count-facts";
import type { Minutes } from "./dimensions";

/** Rows of statistics whose start is at or after `from`, and before `to`. */
export interface PlannedRange {
  /** Minutes of the time that a row covers. */
  span: number;
  from: number;
  to: number;
}

/** The rows that are read for a time range: statistics, and calls where no row of statistics fits. */
export interface TimePlan {
  since: number;
  /** Exclusive; infinite for a time without an end. */
  until: number;
  ranges: PlannedRange[];
  /** Times whose calls are read one by one. */
  raw: { from: number; to: number }[];
}

interface PlanOptions {
  since: number;
  until: number;
  minutes: Minutes;
  now: number;
  /** Ascending times that no row may span. */
  bounds?: readonly number[];
}

/** Returns true if the statistics have rows by minute from a time on. */
export const keepsMinutes = (minutes: Minutes, from: number, now: number): boolean =>
  minutes === "kept" || (minutes === "recent" && from >= now - READ_MINUTES_MS);

/** Plans the largest rows that lie within a time, and between its bounds. */
export function planTime({ since, until, minutes, now, bounds = [] }: PlanOptions): TimePlan {
  const plan: TimePlan = { since, until, ranges: [], raw: [] };

  function addRange(span: number, from: number, to: number): void {
    const last = plan.ranges.at(-1);
    if (last?.span === span && last.to === from) last.to = to;
    else plan.ranges.push({ span, from, to });
  }

  function addRaw(from: number, to: number): void {
    if (from < to) plan.raw.push({ from, to });
  }

  function add(sizes: readonly number[], from: number, to: number): void {
    const [size, ...smaller] = sizes;
    if (from >= to) return;
    if (size === undefined || (size === MINUTE_MS && !keepsMinutes(minutes, from, now))) {
      addRaw(from, to);
      return;
    }
    const first = Math.ceil(from / size) * size;
    const end = to === Number.POSITIVE_INFINITY ? to : Math.floor(to / size) * size;
    if (first >= end) {
      add(smaller, from, to);
      return;
    }
    add(smaller, from, first);
    addRange(size / MINUTE_MS, first, end);
    add(smaller, end, to);
  }

  const edges = [since, ...bounds.filter((bound) => bound > since && bound < until), until];
  for (let at = 1; at < edges.length; at += 1) {
    add([DAY_MS, HOUR_MS, MINUTE_MS], edges[at - 1] as number, edges[at] as number);
  }
  return plan;
}

export const isRaw = ({ raw }: TimePlan, at: number): boolean => raw.some(({ from, to }) => at >= from && at < to);
