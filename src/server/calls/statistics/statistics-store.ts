import type { CallClass } from "../../../lib/contract/call-class";
import type { ExecutionKind } from "../../../lib/contract/execution-kind";
import type {
  StatisticDimension,
  StatisticsGroups,
  StatisticsGroupsRequest,
  StatisticsRange,
  StatisticsSeries,
  StatisticsSeriesRequest,
  StatisticsTotals,
} from "../../../lib/contract/statistics";

/** The calls of a range that are in one of some classes; absent: in any. */
export interface CountedRange extends StatisticsRange {
  classes?: ReadonlySet<CallClass> | undefined;
}

/** A property by which calls are counted. `errorKind` can also be counted within one group. */
export type CountedBy = StatisticDimension | "errorKind";

export interface RangeCounts {
  calls: number;
  /** The values of each, most calls first. */
  groups: ReadonlyMap<CountedBy, { value: string; calls: number }[]>;
  classes: ReadonlyMap<CallClass, number>;
  kinds: ReadonlyMap<ExecutionKind, number>;
  rebuilding: boolean;
}

export interface StatisticsReads {
  totals(range: CountedRange): Promise<StatisticsTotals>;
  /** @param steps how many, each point's own the last, its figures are of; 1 when absent */
  series(request: StatisticsSeriesRequest & CountedRange, steps?: number): Promise<StatisticsSeries>;
  /** Counts the calls of a range by several dimensions, all from one state of the database. */
  counts(range: CountedRange, by: readonly CountedBy[]): Promise<RangeCounts>;
  /** Counts the calls of a range. `first` is the start of its earliest row, at most one day before the first call; null without calls. */
  extent(range: CountedRange): Promise<{ calls: number; first: number | null; rebuilding: boolean }>;
  /** Returns true if `steps` can be shorter than an hour for this range. */
  hasMinutes(range: StatisticsRange): boolean;
  /** Returns figures for the steps of `listTimeSteps` up to the instant `last`. Without rows by minute, steps start at full hours of UTC. */
  steps(range: CountedRange, last: number, zone: string): Promise<StatisticsSeries & { end: number }>;
  groups(request: StatisticsGroupsRequest & CountedRange): Promise<StatisticsGroups>;
}

/** Work on the rows of statistics in the background, in transactions of some milliseconds. */
export interface StatisticsUpkeep {
  /**
   * Brings some of the calls that wait for it into the rows.
   * @param all false for those alone that this process has stored since the last time
   * @returns whether others may wait
   */
  countSome(all?: boolean): Promise<boolean>;
  /** Whether a rebuild has begun and not ended. */
  isRebuilding(): Promise<boolean>;
  /** Whether as many calls are counted as there are; SQLite, where nothing else writes, is not asked. */
  isComplete(): Promise<boolean>;
  /** Counts all calls again, in the steps that `rebuildSome` makes. */
  beginRebuild(): Promise<void>;
  /** Counts some of the calls that a rebuild has left. @returns whether there are more */
  rebuildSome(signal: AbortSignal): Promise<boolean>;
  /** Removes figures by minute that are older than they are kept, some at a time. @returns whether there are more */
  removeOldMinutes(): Promise<boolean>;
}
