import { type CallClass, classifyCall, INVALID_KINDS, REJECTED_KINDS } from "../../../../lib/contract/call-class";
import type { ExecutionStatus } from "../../../../lib/contract/envelope";
import type { CallFigures, ServerFigures, WaitFigures } from "../../../../lib/contract/execution";
import type { Clock } from "../../../engine/ports";
import type { RawDatabase } from "../../../platform/db/sqlite/connection";
import { COUNTED } from "./counted-sources";
import { eachWindow, seqBounds } from "./execution-queries";
import { DURATION_SQL } from "./execution-statements";

export const DAY_MS = 86_400_000;

/** Waits are computed from rounded instants: what is shorter is noise, not a user. */
const MIN_WAIT_MS = 10;

const NOT_FAILED_KINDS = [...INVALID_KINDS, ...REJECTED_KINDS, "cancelled"].map((kind) => `'${kind}'`).join(", ");
/** The class `failed` of `classifyCall`. */
export const FAILED_SQL = `(status IN ('failed', 'timed_out', 'interrupted') AND coalesce("errorKind", '') NOT IN (${NOT_FAILED_KINDS}))`;

/** The time that an ended call waited for a user: a part of its total, not of its duration. */
const WAITED = `"finishedAt" - "queuedAt" - "executionTimeMs" - coalesce("recordMs", 0)`;
export const WAIT_SQL = `CASE WHEN ${WAITED} >= ${MIN_WAIT_MS} THEN ${WAITED} END`;

export interface FigureRow {
  status: string;
  errorKind: string | null;
  durationMs: number | null;
  waitMs: number | null;
}

/** Calls by class, and their times. */
export interface CallTally {
  classes: Pick<CallFigures, "calls" | "finished" | "failed" | "invalid" | "rejected" | "cancelled" | "waiting">;
  /** The durations of calls that succeeded or failed. */
  times: number[];
  waits: number[];
}

export function createTally(): CallTally {
  const classes = { calls: 0, finished: 0, failed: 0, invalid: 0, rejected: 0, cancelled: 0, waiting: 0 };
  return { classes, times: [], waits: [] };
}

export function classifyRow({ status, errorKind }: Pick<FigureRow, "status" | "errorKind">): CallClass {
  return status === "succeeded" ? "succeeded" : classifyCall(status as ExecutionStatus, errorKind);
}

/** @param count of calls like this one */
export function addCall({ classes, times, waits }: CallTally, row: FigureRow, count = 1): void {
  const { durationMs, waitMs } = row;
  const of = classifyRow(row);
  classes.calls += count;
  if (of === "succeeded" || of === "failed") {
    classes.finished += count;
    if (durationMs !== null) times.push(durationMs);
  }
  if (of !== "succeeded" && of !== "running") classes[of] += count;
  if (waitMs !== null) waits.push(waitMs);
}

export function toFigures({ classes, times }: CallTally): CallFigures {
  times.sort(ascending);
  return { ...classes, p50Ms: percentile(times, 0.5), p95Ms: percentile(times, 0.95) };
}

/** The figures of the calls of servers' tools within some days. */
export function prepareServerFigures(raw: RawDatabase, clock: Clock): (days: number) => Promise<ServerFigures[]> {
  const select = raw
    .prepare<[number, number, number], FigureRow & { serverName: string }>(
      `SELECT "serverName", status, "errorKind", ${DURATION_SQL} AS "durationMs", NULL AS "waitMs" FROM "Execution"
       WHERE seq < ? AND seq > ? AND +"queuedAt" >= ? AND "serverName" IS NOT NULL AND ${COUNTED}
         AND coalesce("implementationType", '') NOT IN ('resource', 'prompt')`,
    )
    .safeIntegers(false);
  return async (days) => {
    const tallies = new Map<string, CallTally>();
    const since = clock.now() - days * DAY_MS;
    const bounds = await seqBounds(raw, since, Number.MAX_SAFE_INTEGER);
    if (bounds === null) return [];
    await eachWindow(raw, { below: bounds.last + 1, above: bounds.first - 1 }, ({ below, above }) => {
      for (const { serverName, ...row } of select.iterate(below, above, since)) {
        const tally = tallies.get(serverName) ?? createTally();
        tallies.set(serverName, tally);
        addCall(tally, row);
      }
      return true;
    });
    return [...tallies].map(([serverName, tally]) => {
      const { calls, finished, failed, p95Ms } = toFigures(tally);
      return { serverName, calls, finished, failed, p95Ms };
    });
  };
}

export function toWaitFigures(waits: number[]): WaitFigures {
  waits.sort(ascending);
  return { calls: waits.length, p50Ms: percentile(waits, 0.5), p95Ms: percentile(waits, 0.95) };
}

const ascending = (left: number, right: number): number => left - right;

/** The nearest-rank percentile of values in ascending order, 0 < share ≤ 1; null for none. */
export function percentile(ascending: readonly number[], share: number): number | null {
  return ascending[Math.max(0, Math.ceil(ascending.length * share) - 1)] ?? null;
}
