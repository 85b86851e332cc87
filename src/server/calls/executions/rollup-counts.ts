import { toClasses } from "../../../lib/contract/call-class";
import type { ExecutionCount, ExecutionFilter } from "../../../lib/contract/execution";
import {
  type ExecutionTimeline,
  type FacetCounts,
  type FacetName,
  type TimelinePoint,
  toFacetCounts,
} from "../../../lib/contract/execution-facets";
import { EXECUTION_KINDS } from "../../../lib/contract/execution-kind";
import { type StatisticFigures, toGroup } from "../../../lib/contract/statistics";
import { LONGEST_TIME_MS } from "../../../lib/format/time-steps";
import type { CountedRange } from "../statistics/statistics-store";
import type { ExecutionStore, StoredFilter } from "./execution-store";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** A chart of a shorter range has steps below one hour. */
const SHORT_MS = 15 * HOUR_MS;
/** If the first call of all time is at most this old, its chart starts at an hour instead of a day. */
const NEAR_MS = 72 * HOUR_MS;
/**
 * Up to these counts the calls themselves are read: charts then have exact percentiles, and the statistics lack some of
 * the facets.
 */
const FEW_CALLS = { chart: 200, facets: 4_000 };

/** The facets that are dimensions of the statistics. */
const GROUPED = ["tool", "server", "source", "client", "actor", "toolset", "errorKind"] as const;

/** The filter as a range of the statistics; null where they do not have its calls. */
function toRange({ since = 0, until, kind, status = [], ...rest }: StoredFilter): CountedRange | null {
  const isWhole = since % MINUTE_MS === 0 && (until === undefined || (until + 1) % MINUTE_MS === 0);
  const group = isWhole ? toGroup(rest) : null;
  // Only servers know which calls wait for input.
  if (group === null || status.includes("input")) return null;
  const kinds = kind?.length ? kind : [...EXECUTION_KINDS];
  const classes = status.length > 0 ? { classes: toClasses(status) } : {};
  return { since, kinds, ...(until === undefined ? {} : { until: until + 1 }), ...group, ...classes };
}

/**
 * The exact counts of the statistics, for filters that have more calls than can be read at once.
 * @param few up to which counts the calls are read instead
 */
export function createRollupCounts(
  { statistics, isAlias }: Pick<ExecutionStore, "statistics" | "isAlias">,
  now: () => number,
  few = FEW_CALLS,
) {
  /** Returns the range of a filter and the number of its calls; null if the statistics lack the filter, or it has at most `most` calls. */
  async function findExtent(filter: ExecutionFilter, most: number) {
    const range = toRange(filter);
    if (range === null) return null;
    const { calls, first, rebuilding } = await statistics.extent(range);
    if (first === null || calls <= most || rebuilding) return null;
    return (await isShared(range)) ? null : { range, calls, first };
  }

  /** A filter by tool also matches executions of other tools that were called by this name. */
  const isShared = async ({ of }: CountedRange): Promise<boolean> =>
    of?.dimension === "tool" && (await isAlias(of.value));

  return {
    /** The exact number of calls; null for a filter that the statistics do not have, or without calls. */
    async count(filter: ExecutionFilter): Promise<ExecutionCount | null> {
      const found = await findExtent(filter, 0);
      return found === null ? null : { count: found.calls, more: false };
    },

    /** Counts of the facets that the statistics have; null for a filter that they do not have, or whose calls are few. */
    async facets(filter: ExecutionFilter): Promise<ReadonlyMap<FacetName | "ownTool", FacetCounts> | null> {
      const range = toRange(filter);
      if (range === null || (await isShared(range))) return null;
      // Counts of one tool, server or client are kept by kind of error only.
      const by = range.of === undefined ? GROUPED : (["errorKind"] as const);
      const { calls, groups, classes, kinds, rebuilding } = await statistics.counts(range, by);
      if (calls <= few.facets || rebuilding) return null;
      const toFacet = (values: readonly { value: string; calls: number }[], more = false): FacetCounts => ({
        values: values.map((group) => ({ value: group.value, count: group.calls })),
        more,
      });
      const counts = new Map<FacetName | "ownTool", FacetCounts>(
        [...groups].map(([name, values]) => [name, toFacet(values)]),
      );
      const tools = groups.get("tool");
      if (tools !== undefined) {
        counts.set("ownTool", toFacet(tools));
        // A toolset may show a tool under the name of another one.
        counts.set("tool", toFacet(tools, groups.get("toolset")?.length !== 0));
      }
      counts.set("status", toFacetCounts("status", classes, true));
      if (filter.kind?.length) return counts;
      const ofKinds = EXECUTION_KINDS.map((value) => ({ value, count: kinds.get(value) ?? 0 }));
      return counts.set("kind", { values: ofKinds.filter(({ count }) => count > 0), more: false });
    },

    async timeline(filter: ExecutionFilter, zone: string): Promise<ExecutionTimeline | null> {
      const found = await findExtent(filter, few.chart);
      if (found === null) return null;
      const { range, calls, first } = found;
      const last = Math.min(range.until ?? Number.POSITIVE_INFINITY, now() + 1) - 1;
      const isOpen = last - range.since > LONGEST_TIME_MS;
      const since = isOpen ? await findFirst({ ...range, since: first, until: last + 1 }) : range.since;
      const shown = { ...range, since };
      if (calls <= few.facets && last - since < SHORT_MS && !statistics.hasMinutes(shown)) return null;
      const { points, end, rebuilding } = await statistics.steps(shown, last, zone);
      const begin = isOpen ? points.findIndex((point) => point.calls > 0) : 0;
      return { points: points.slice(Math.max(0, begin)).map(toPoint), end, more: rebuilding };
    },
  };

  /** Returns the hour of the first call, or the start of the range if it is longer than `NEAR_MS`. */
  async function findFirst(range: CountedRange & { until: number }): Promise<number> {
    if (range.until - range.since > NEAR_MS) return range.since;
    const { points } = await statistics.series({ ...range, span: "hour" });
    return points.find(({ calls }) => calls > 0)?.start ?? range.since;
  }
}

function toPoint({
  start,
  finished,
  waiting,
  running,
  ...figures
}: StatisticFigures & { start: number }): TimelinePoint {
  return { ...figures, at: start, succeeded: finished - figures.failed, open: waiting + running };
}
