import type { Clock } from "../../../engine/ports";
import type { CountedRange } from "../statistics-store";
import { type CallFacts, getCallKind, getClass, isOpen } from "./call-facts";
import { addFacts, addRow, type CallTally, createTally } from "./call-tally";
import { MINUTE_MS } from "./count-facts";
import { DIMENSIONS, type StoredDimension } from "./dimensions";
import type { ReadStatistics, StatisticsData, StatisticsRequest } from "./statistics-data";
import { isRaw, planTime } from "./time-plan";

export interface Part {
  /** Epoch milliseconds, within the time that the part covers. */
  at: number;
  value: string;
  detail: string;
  errorKind: string;
}

type ToKey<Key> = (part: Part) => Key | null;

/** Sums rows by a key; rows without one are left out. */
export function tallyBy<Key>(
  { rows, changes, raw }: StatisticsData,
  { dimension, value, kinds }: StatisticsRequest,
  toKey: ToKey<Key>,
  options?: { apart?: boolean },
): Map<Key, CallTally> {
  const tallies = new Map<Key, CallTally>();
  const { group } = DIMENSIONS[dimension];
  function find(part: Part): CallTally | null {
    const key = toKey(part);
    if (key === null) return null;
    const known = tallies.get(key);
    if (known !== undefined) return known;
    const made = createTally(options);
    tallies.set(key, made);
    return made;
  }
  for (const row of rows) {
    const tally = find({ at: row.start, value: row.value, detail: row.detail, errorKind: row.errorKind });
    if (tally !== null) addRow(tally, row);
  }
  for (const { facts, sign } of [...changes, ...raw.map((each) => ({ facts: each, sign: each.calls }))]) {
    const found = group(facts);
    if (found === null || (value !== undefined && found.value !== value)) continue;
    if (!kinds.includes(getCallKind(facts))) continue;
    const tally = find({ at: facts.queuedAt, ...found, errorKind: facts.errorKind ?? "" });
    if (tally !== null) addFacts(tally, facts, sign);
  }
  return tallies;
}

/** Leaves out the changes that are read as calls, and those of other times and classes. */
function selectParts(
  data: StatisticsData,
  { plan }: StatisticsRequest,
  classes: ReadonlySet<string> | undefined,
): StatisticsData {
  const hasClass = (facts: CallFacts): boolean => classes === undefined || classes.has(getClass(facts));
  const changes = data.changes.filter(({ facts }) => {
    if (facts.queuedAt < plan.since || facts.queuedAt >= plan.until || !hasClass(facts)) return false;
    return isOpen(facts) || !isRaw(plan, facts.queuedAt);
  });
  if (classes === undefined) return { ...data, changes };
  return { ...data, changes, rows: data.rows.filter((row) => classes.has(row.class)), raw: data.raw.filter(hasClass) };
}

interface ReadOptions extends Pick<StatisticsRequest, "countsOnly"> {
  /** Set where the dimension differs from that of the range. */
  dimension?: StoredDimension;
  /** Times that no row may span. */
  bounds?: readonly number[];
}

interface ReadPart {
  request: StatisticsRequest;
  data: StatisticsData;
}

export type ReadTime = (range: CountedRange, options?: ReadOptions) => Promise<ReadPart>;

/** Reads several ranges from one state of the database. */
export type ReadTimes = (
  reads: readonly (readonly [range: CountedRange, options?: ReadOptions])[],
) => Promise<ReadPart[]>;

/** Reads the rows that the figures of a time range are made of. */
export function createReadTimes(readStatistics: ReadStatistics, clock: Pick<Clock, "now">): ReadTimes {
  const toRequest = (
    { since, until = Number.POSITIVE_INFINITY, of, kinds = ["tool"] }: CountedRange,
    { dimension = of?.dimension ?? "all", bounds, countsOnly }: ReadOptions = {},
  ): StatisticsRequest => {
    const plan = planTime({
      since: Math.floor(since / MINUTE_MS) * MINUTE_MS,
      until,
      bounds,
      minutes: DIMENSIONS[dimension].minutes,
      now: clock.now(),
    });
    return { dimension, value: of?.value, kinds, plan, countsOnly };
  };
  return async (reads) => {
    const requests = reads.map(([range, options]) => toRequest(range, options));
    const found = await readStatistics(requests);
    return reads.map(([{ classes }], index) => {
      const request = requests[index] as StatisticsRequest;
      return { request, data: selectParts(found[index] as StatisticsData, request, classes) };
    });
  };
}

export function createReadTime(readTimes: ReadTimes): ReadTime {
  return async (range, options) => (await readTimes([[range, options]]))[0] as ReadPart;
}
