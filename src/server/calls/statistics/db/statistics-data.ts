import type { ExecutionKind } from "../../../../lib/contract/execution-kind";
import type { CallFacts } from "./call-facts";
import type { StatisticRow } from "./call-tally";
import type { FactChange } from "./count-facts";
import type { StoredDimension } from "./dimensions";
import type { TimePlan } from "./time-plan";

export interface StatisticsRequest {
  dimension: StoredDimension;
  /** Limits the answer to this group of the dimension. */
  value?: string | undefined;
  kinds: readonly ExecutionKind[];
  plan: TimePlan;
  /** Returns only numbers of calls, added up over the whole time, which starts with the first: without durations and waits. */
  countsOnly?: boolean | undefined;
}

/** Calls that are counted alike, at the time of the first, or one call. */
export interface RawFacts extends CallFacts {
  calls: number;
}

/** The rows of one consistent read. */
export interface StatisticsData {
  rows: StatisticRow[];
  /** Calls that are not in the rows yet, and those that have not ended. */
  changes: FactChange[];
  /** The ended calls of the plan's `raw` times. */
  raw: RawFacts[];
  rebuilding: boolean;
}

/** Answers all requests from one state of the database. */
export type ReadStatistics = (requests: readonly StatisticsRequest[]) => Promise<StatisticsData[]>;
