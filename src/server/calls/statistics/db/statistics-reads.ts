import type { StatisticsRange, StatisticsSeries, StatisticsSeriesRequest } from "../../../../lib/contract/statistics";
import { listTimeSteps } from "../../../../lib/format/time-steps";
import { listDayStarts } from "../../../../lib/format/time-zone";
import type { Clock } from "../../../engine/ports";
import type { CountedRange, StatisticsReads } from "../statistics-store";
import { type CallTally, createTally, mergeTallies, toFigures, toWaitFigures } from "./call-tally";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "./count-facts";
import { DIMENSIONS, NO_PROGRAM } from "./dimensions";
import { upperBound } from "./histogram";
import { compareGroups, createRangeCounts } from "./range-counts";
import { type Part, type ReadTime, type ReadTimes, tallyBy } from "./read-time";
import { keepsMinutes } from "./time-plan";

/** Bounds of the latency's groups in milliseconds; the last group has none. */
const LATENCY_BOUNDS = [1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000];
const SIZES = { minute: MINUTE_MS, hour: HOUR_MS } as const;

/** Reads statistics of calls, each from one consistent state of the database. */
export function createStatisticsReads(
  read: ReadTime,
  readTimes: ReadTimes,
  clock: Pick<Clock, "now">,
): StatisticsReads {
  const hasMinutes = ({ of, since }: StatisticsRange): boolean =>
    keepsMinutes(DIMENSIONS[of?.dimension ?? "all"].minutes, since, clock.now());

  /** @param steps how many, each point's own the last, its figures are of */
  async function readPoints(range: CountedRange, starts: readonly number[], steps = 1): Promise<StatisticsSeries> {
    const { request, data } = await read(range, { bounds: starts });
    const tallies = tallyBy(data, request, ({ at }) => findPoint(starts, at));
    const none = toFigures(createTally());
    return {
      points: starts.map((start, index) => {
        const only = tallies.get(index);
        if (steps === 1) return { start, ...(only === undefined ? none : toFigures(only)) };
        const window = Array.from({ length: steps }, (_, back) => tallies.get(index - back) ?? []).flat();
        return { start, ...toFigures(mergeTallies(window)) };
      }),
      rebuilding: data.rebuilding,
    };
  }

  return {
    hasMinutes,
    async totals(range) {
      const { request, data } = await read(range);
      const tally = tallyBy(data, request, () => 0, { apart: true }).get(0) ?? createTally({ apart: true });
      return {
        ...toFigures(tally),
        waits: toWaitFigures(tally),
        latency: groupByTime(tally),
        rebuilding: data.rebuilding,
      };
    },

    series: (request, steps) => readPoints(request, listStarts(request, clock.now()), steps),

    async extent(range) {
      const { request, data } = await read(range, { countsOnly: true });
      let first: number | null = null;
      const tallies = tallyBy(data, request, ({ at }) => {
        first = Math.min(first ?? at, at);
        return 0;
      });
      return { calls: toFigures(tallies.get(0) ?? createTally()).calls, first, rebuilding: data.rebuilding };
    },

    counts: createRangeCounts(readTimes),

    async steps(range, last, zone) {
      const shortest = hasMinutes(range) ? MINUTE_MS : HOUR_MS;
      const steps = listTimeSteps(range.since, last, zone, shortest);
      // Where the zone's offset is not a full hour, midnight is inside a row.
      const toRow = (at: number) => Math.ceil(at / shortest) * shortest;
      const starts = steps.starts.map((start, index) => (index === 0 ? start : toRow(start)));
      const end = toRow(steps.end);
      const until = Math.min(range.until ?? Number.POSITIVE_INFINITY, end);
      return { ...(await readPoints({ ...range, until }, starts)), end };
    },

    async groups({ by, ...range }) {
      const isKind = by === "errorKind";
      const ofTool = range.of?.dimension === "tool" && by === "client";
      const { request, data } = await read(range, isKind ? {} : { dimension: ofTool ? "tool.caller" : by });
      const toValue = ({ errorKind, detail, value }: Part): string => {
        if (isKind) return errorKind;
        if (ofTool) return detail.startsWith(NO_PROGRAM) ? "" : detail;
        return value;
      };
      const tallies = tallyBy(data, request, (part) => toValue(part) || null);
      const groups = [...tallies]
        .map(([value, tally]) => ({ value, ...toFigures(tally) }))
        .filter(({ calls }) => calls > 0);
      return { groups: groups.sort(compareGroups), rebuilding: data.rebuilding };
    },
  };
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
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] as number) <= at) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? null : low - 1;
}
