import type { ExecutionFilter } from "../../../lib/contract/execution";
import type { ExecutionTimeline, FacetCounts, FacetName, TimelinePoint } from "../../../lib/contract/execution-facets";
import { EXECUTION_KINDS } from "../../../lib/contract/execution-kind";
import { type StatisticFigures, type StatisticsRange, toGroup } from "../../../lib/contract/statistics";
import type { ExecutionStore, StoredFilter } from "./execution-store";

type Statistics = ExecutionStore["statistics"];

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** As many calls are read themselves: for facets, since statistics do not have all of them; for a timeline, since that costs as little. */
const FEW_CALLS = { facets: 20_000, timeline: 2_000 };
/** The range of a timeline without a start. */
const LONGEST_MS = 730 * DAY_MS;

/** The facets that are dimensions of the statistics. */
const GROUPED = ["tool", "server", "source", "client", "actor", "toolset", "errorKind"] as const;
export type GroupedFacet = (typeof GROUPED)[number];

/** The filter as a range of the statistics; null where they do not have its calls. */
function toRange({ since = 0, until, kind, ...rest }: StoredFilter): StatisticsRange | null {
  const isWhole = since % MINUTE_MS === 0 && (until === undefined || (until + 1) % MINUTE_MS === 0);
  const group = isWhole ? toGroup(rest) : null;
  if (group === null) return null;
  const kinds = kind?.length ? kind : [...EXECUTION_KINDS];
  return { since, kinds, ...(until === undefined ? {} : { until: until + 1 }), ...group };
}

/**
 * The exact counts of the statistics, for filters that have more calls than can be read at once.
 * @param few as many calls are read themselves
 */
export function createRollupCounts(statistics: Statistics, now: () => number, few = FEW_CALLS) {
  async function findRange(filter: ExecutionFilter): Promise<StatisticsRange | null> {
    const range = toRange(filter);
    if (range === null) return null;
    const { calls, rebuilding } = await statistics.totals(range);
    return calls > few.facets && !rebuilding ? range : null;
  }

  async function readGroups(range: StatisticsRange, by: GroupedFacet): Promise<FacetCounts> {
    const { groups, rebuilding } = await statistics.groups({ ...range, by });
    return { values: groups.map(({ value, calls }) => ({ value, count: calls })), more: rebuilding };
  }

  return {
    /** Counts of the facets that the statistics have; null for a filter that they do not have, or whose calls are few. */
    async facets(filter: ExecutionFilter): Promise<ReadonlyMap<FacetName | "ownTool", FacetCounts> | null> {
      const range = await findRange(filter);
      if (range === null) return null;
      const counts = new Map<FacetName | "ownTool", FacetCounts>();
      // Those of one tool, server or client are kept by kind of error only.
      for (const by of GROUPED) {
        if (range.of === undefined || by === "errorKind") counts.set(by, await readGroups(range, by));
      }
      const tools = counts.get("tool");
      if (tools !== undefined) {
        counts.set("ownTool", tools);
        // Through a toolset a tool may have been called by the name of another one.
        counts.set("tool", { ...tools, more: tools.more || counts.get("toolset")?.values.length !== 0 });
      }
      if (filter.kind?.length) return counts;
      const kinds = await Promise.all(
        EXECUTION_KINDS.map(async (kind) => ({
          value: kind,
          count: (await statistics.totals({ ...range, kinds: [kind] })).calls,
        })),
      );
      return counts.set("kind", { values: kinds.filter(({ count }) => count > 0), more: false });
    },

    async timeline(filter: ExecutionFilter, zone: string): Promise<ExecutionTimeline | null> {
      const range = toRange(filter);
      if (range === null) return null;
      const last = Math.min((range.until ?? Number.POSITIVE_INFINITY) - 1, now());
      const isOpen = filter.since === undefined;
      let since = Math.max(range.since, last - LONGEST_MS);
      if (isOpen) {
        const days = await statistics.series({ ...range, since, span: "day", zone });
        since = days.points.find(({ calls }) => calls > 0)?.start ?? last;
      }
      const { points, end, rebuilding } = await statistics.steps({ ...range, since }, last, zone);
      const calls = points.reduce((sum, point) => sum + point.calls, 0);
      if (rebuilding || calls <= few.timeline) return null;
      const first = isOpen ? points.findIndex((point) => point.calls > 0) : 0;
      return { points: points.slice(first).map(toPoint), end, more: false };
    },
  };
}

function toPoint({
  start,
  finished,
  waiting,
  running,
  ...figures
}: StatisticFigures & { start: number }): TimelinePoint {
  const { calls, failed, invalid, rejected, cancelled, p50Ms, p95Ms, p99Ms } = figures;
  return {
    ...{ at: start, calls, succeeded: finished - failed, failed, invalid, rejected, cancelled },
    ...{ open: waiting + running, p50Ms, p95Ms, p99Ms },
  };
}
