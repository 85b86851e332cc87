import type { StatisticsRange, StatisticsSeriesRequest } from "../../../../lib/contract/statistics";
import { listDayStarts } from "../../../../lib/format/time-zone";
import type { Clock } from "../../../engine/ports";
import type { StatisticsReads } from "../statistics-store";
import { getCallKind } from "./call-facts";
import { addFacts, addRow, type CallTally, createTally, toFigures, toWaitFigures } from "./call-tally";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "./count-facts";
import { DIMENSIONS, type StoredDimension } from "./dimensions";
import { upperBound } from "./histogram";
import type { ReadStatistics, StatisticsData, StatisticsRequest } from "./statistics-data";
import { isRaw, planTime } from "./time-plan";

/** Bounds of the latency's groups in milliseconds; the last group has none. */
const LATENCY_BOUNDS = [1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000];
const SIZES = { minute: MINUTE_MS, hour: HOUR_MS } as const;

interface Part {
  /** Epoch milliseconds, within the time that the part covers. */
  at: number;
  value: string;
  detail: string;
  errorKind: string;
}

type ToKey<Key> = (part: Part) => Key | null;

/** Adds what was read up by a key; what has none is left out. */
function tallyBy<Key>(
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
  for (const { facts, sign } of [...changes, ...raw.map((each) => ({ facts: each, sign: 1 as const }))]) {
    const found = group(facts);
    if (found === null || (value !== undefined && found.value !== value)) continue;
    if (!kinds.includes(getCallKind(facts))) continue;
    const tally = find({ at: facts.queuedAt, ...found, errorKind: facts.errorKind ?? "" });
    if (tally !== null) addFacts(tally, facts, sign);
  }
  return tallies;
}

/** Leaves out the changes that are read as calls, and those of other times. */
function selectChanges(data: StatisticsData, { plan }: StatisticsRequest): StatisticsData {
  const changes = data.changes.filter(({ facts: { queuedAt, status } }) => {
    if (queuedAt < plan.since || queuedAt >= plan.until) return false;
    return status === "running" || status === "waiting" || !isRaw(plan, queuedAt);
  });
  return { ...data, changes };
}

/** Reads statistics of calls, each from one consistent state of the database. */
export function createStatisticsReads(readStatistics: ReadStatistics, clock: Pick<Clock, "now">): StatisticsReads {
  async function read(
    { since, until = Number.POSITIVE_INFINITY, of, kinds = ["tool"] }: StatisticsRange,
    { dimension = of?.dimension ?? "all", bounds }: { dimension?: StoredDimension; bounds?: readonly number[] } = {},
  ) {
    const plan = planTime({
      ...{ since: Math.floor(since / MINUTE_MS) * MINUTE_MS, until, bounds },
      ...{ minutes: DIMENSIONS[dimension].minutes, now: clock.now() },
    });
    const request: StatisticsRequest = { dimension, value: of?.value, kinds, plan };
    return { request, data: selectChanges(await readStatistics(request), request) };
  }

  return {
    async totals(range) {
      const { request, data } = await read(range);
      const tally = tallyBy(data, request, () => 0, { apart: true }).get(0) ?? createTally({ apart: true });
      return {
        ...{ ...toFigures(tally), waits: toWaitFigures(tally), latency: groupByTime(tally) },
        rebuilding: data.rebuilding,
      };
    },

    async series(asked) {
      const starts = listStarts(asked, clock.now());
      const { request, data } = await read(asked, { bounds: starts });
      const tallies = tallyBy(data, request, ({ at }) => findPoint(starts, at));
      return {
        points: starts.map((start, index) => ({ start, ...toFigures(tallies.get(index) ?? createTally()) })),
        rebuilding: data.rebuilding,
      };
    },

    async groups({ by, ...range }) {
      const isKind = by === "errorKind";
      const ofTool = range.of?.dimension === "tool" && by === "client";
      const { request, data } = await read(range, isKind ? {} : { dimension: ofTool ? "tool.caller" : by });
      const toValue = (part: Part): string =>
        isKind ? part.errorKind : ofTool ? (part.detail.split("\n", 1)[0] as string) : part.value;
      const tallies = tallyBy(data, request, (part) => toValue(part) || null);
      const groups = [...tallies]
        .map(([value, tally]) => ({ value, ...toFigures(tally) }))
        .filter(({ calls }) => calls > 0);
      return { groups: groups.sort(compareGroups), rebuilding: data.rebuilding };
    },
  };
}

/** Most calls first, and equal ones by name. */
function compareGroups(left: { value: string; calls: number }, right: { value: string; calls: number }): number {
  return right.calls - left.calls || (left.value < right.value ? -1 : 1);
}

function groupByTime({ times, failedTimes }: CallTally) {
  const groups = [...LATENCY_BOUNDS, null].map((upToMs) => ({ upToMs, calls: 0, failed: 0 }));
  for (const [histogram, column] of [
    [times, "calls"],
    [failedTimes, "failed"],
  ] as const) {
    histogram?.forEach((bucket, count) => {
      // A bucket that a bound lies in belongs to the group which most of it is in.
      const group = groups.find(({ upToMs }) => upToMs === null || upperBound(bucket) <= upToMs * 1.0145);
      if (group !== undefined) group[column] += count;
    });
  }
  return groups;
}

/** The beginnings of the points: full minutes and hours of UTC, or days of the zone. The first one may be before `since`. */
function listStarts({ since, until, span, zone = "UTC" }: StatisticsSeriesRequest, now: number): number[] {
  const last = (until ?? Math.max(now, since) + 1) - 1;
  if (span === "day") {
    const starts = listDayStarts(last, Math.ceil((last - since) / DAY_MS) + 2, zone).map(({ start }) => start);
    return starts.slice(
      Math.max(
        0,
        starts.findLastIndex((start) => start <= since),
      ),
    );
  }
  const size = SIZES[span];
  const first = Math.floor(since / size) * size;
  return Array.from({ length: Math.floor((last - first) / size) + 1 }, (_, index) => first + index * size);
}

/** The last point that starts at or before a time; null before the first. */
function findPoint(starts: readonly number[], at: number): number | null {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] as number) <= at) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? null : low - 1;
}
