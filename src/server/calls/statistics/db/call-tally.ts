import { type CallClass, isFailedClass } from "../../../../lib/contract/call-class";
import type { WaitFigures } from "../../../../lib/contract/execution";
import type { StatisticFigures } from "../../../../lib/contract/statistics";
import { type CallFacts, getClass, getDuration, getWait } from "./call-facts";
import { Histogram, toBucket } from "./histogram";

/** The columns that are read of a row of statistics. */
export interface StatisticRow {
  start: number;
  value: string;
  detail: string;
  class: CallClass;
  errorKind: string;
  calls: number;
  durations: string;
  waits: string;
}

/** Calls by class, and their times. */
export interface CallTally {
  classes: Omit<StatisticFigures, "p50Ms" | "p95Ms" | "p99Ms">;
  /** The durations of calls that succeeded or failed. */
  times: Histogram;
  failedTimes: Histogram | null;
  waits: Histogram;
}

/** @param options `apart`: durations of failed calls are counted separately too */
export function createTally({ apart = false } = {}): CallTally {
  const classes = {
    calls: 0,
    finished: 0,
    failed: 0,
    error: 0,
    timedOut: 0,
    interrupted: 0,
    invalid: 0,
    consoleInvalid: 0,
    rejected: 0,
    cancelled: 0,
    waiting: 0,
    running: 0,
  };
  return { classes, times: new Histogram(), failedTimes: apart ? new Histogram() : null, waits: new Histogram() };
}

const isFinished = (of: CallClass): boolean => of === "succeeded" || isFailedClass(of);

function addClass(classes: CallTally["classes"], of: CallClass, calls: number): void {
  classes.calls += calls;
  if (isFinished(of)) classes.finished += calls;
  if (isFailedClass(of)) classes.failed += calls;
  if (of !== "succeeded" && Object.hasOwn(classes, of)) classes[of] += calls;
}

export function addRow({ classes, times, failedTimes, waits }: CallTally, row: StatisticRow): void {
  const { class: of, durations } = row;
  addClass(classes, of, row.calls);
  if (isFinished(of)) times.addText(durations);
  if (isFailedClass(of)) failedTimes?.addText(durations);
  waits.addText(row.waits);
}

export function addFacts({ classes, times, failedTimes, waits }: CallTally, facts: CallFacts, sign: number): void {
  const of = getClass(facts);
  addClass(classes, of, sign);
  const duration = getDuration(facts);
  const wait = getWait(facts);
  if (duration !== null && isFinished(of)) times.add(toBucket(duration), sign);
  if (duration !== null && isFailedClass(of)) failedTimes?.add(toBucket(duration), sign);
  if (wait !== null) waits.add(toBucket(wait), sign);
}

/** Sums the counts and durations of several steps. */
export function mergeTallies(tallies: readonly CallTally[]): CallTally {
  const merged = createTally();
  const { classes } = merged;
  for (const each of tallies) {
    for (const of of Object.keys(classes) as (keyof typeof classes)[]) classes[of] += each.classes[of];
    each.times.forEach((bucket, count) => {
      merged.times.add(bucket, count);
    });
  }
  return merged;
}

export function toFigures({ classes, times }: CallTally): StatisticFigures {
  const [p50Ms, p95Ms, p99Ms] = times.percentiles([0.5, 0.95, 0.99]);
  return { ...classes, p50Ms, p95Ms, p99Ms };
}

export function toWaitFigures({ waits }: CallTally): WaitFigures {
  const [p50Ms, p95Ms] = waits.percentiles([0.5, 0.95]);
  return { calls: waits.total, p50Ms, p95Ms };
}
