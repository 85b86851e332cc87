import type {
  CallGroup,
  FailedFigures,
  OverviewStats,
  ServerFigures,
  ToolFigures,
  ToolStatistics,
  ToolStats,
} from "../../../../lib/contract/execution";
import { EXECUTION_KINDS } from "../../../../lib/contract/execution-kind";
import type { StatisticFigures } from "../../../../lib/contract/statistics";
import type { DefinitionUse } from "../../../../lib/contract/tool-version";
import { listDayStarts } from "../../../../lib/format/time-zone";
import type { Clock } from "../../../engine/ports";
import type { FigurePeriod } from "../../executions/execution-store";
import type { StatisticsReads } from "../statistics-store";
import { createTally, toFigures, toWaitFigures } from "./call-tally";
import { DAY_MS, HOUR_MS } from "./count-facts";
import { NO_PROGRAM } from "./dimensions";
import { type ReadTime, tallyBy } from "./read-time";

const MAX_OVERVIEW_DAYS = 90;
const TOP = 5;
const MAX_GROUPS = 10;
/** A tool with fewer finished calls is in no ranking by duration: one slow call says little. */
const MIN_RANKED_CALLS = 5;

const UNKNOWN = "not_found";

type Now = Pick<Clock, "now">;

/** Days that begin with a full hour, so that no call has to be read. */
const toSince = (days: number, { now }: Now): number => Math.floor((now() - days * DAY_MS) / HOUR_MS) * HOUR_MS;

/** The figures of pages, all from rows of statistics. */
export function createPageFigures(statistics: StatisticsReads, read: ReadTime, clock: Now) {
  return {
    overview: createOverview(read, clock),
    ...createToolFigures(statistics, read, clock),

    /** @param lastUses when each tool that was ever called was used last */
    async toolFigures(days: number, lastUses: readonly Pick<ToolFigures, "toolName" | "lastUsedAt">[]) {
      const { request, data } = await read({ since: toSince(days, clock) }, { dimension: "tool", countsOnly: true });
      const tallies = tallyBy(data, request, ({ value }) => value);
      return lastUses.map(({ toolName, lastUsedAt }): ToolFigures => {
        const { classes } = tallies.get(toolName) ?? createTally();
        return { toolName, ...toFailedFigures(classes), lastUsedAt };
      });
    },

    async serverFigures(days: number): Promise<ServerFigures[]> {
      const { groups } = await statistics.groups({ since: toSince(days, clock), by: "server" });
      return groups.map(({ value, p95Ms, ...figures }) => ({
        serverName: value,
        ...toFailedFigures(figures),
        p95Ms,
      }));
    },

    /** Counts all calls, including reads of resources and prompts. */
    async counts() {
      const { request, data } = await read(
        { since: 0, kinds: [...EXECUTION_KINDS] },
        { dimension: "source", countsOnly: true },
      );
      const tallies = tallyBy(data, request, ({ value }) => value);
      const sum = (key: "calls" | "running") =>
        [...tallies.values()].reduce((calls, { classes }) => calls + classes[key], 0);
      return {
        executions: sum("calls"),
        replays: tallies.get("replay")?.classes.calls ?? 0,
        running: sum("running"),
        rebuilding: data.rebuilding,
      };
    },
  };
}

function createOverview(read: ReadTime, clock: Now): (asked: number, zone: string) => Promise<OverviewStats> {
  return async (asked, zone) => {
    const count = Math.max(1, Math.min(Math.trunc(asked), MAX_OVERVIEW_DAYS));
    const starts = listDayStarts(clock.now(), count, zone);
    const since = starts[0]?.start ?? clock.now();
    const all = await read({ since }, { bounds: starts.map(({ start }) => start) });
    const byTool = await read({ since }, { dimension: "tool" });
    const total = tallyBy(all.data, all.request, () => 0).get(0) ?? createTally();
    // A clock that ran ahead counts as today.
    const days = tallyBy(all.data, all.request, ({ at }) => starts.findLast(({ start }) => start <= at)?.day ?? null);
    const tools = listFigures(tallyBy(byTool.data, byTool.request, ({ value }) => value));
    const failing = tools
      .filter(({ failed }) => failed > 0)
      .map(({ value, finished, failed }) => ({ toolName: value, finished, failed }))
      .sort((left, right) => right.failed - left.failed || left.finished - right.finished)
      .slice(0, TOP);
    const unknown = listFigures(
      tallyBy(byTool.data, byTool.request, ({ errorKind, value }) => (errorKind === UNKNOWN ? value : null)),
    ).filter(({ value }) => failing.every(({ toolName }) => toolName !== value));
    const ranked = tools.filter(({ finished }) => finished >= MIN_RANKED_CALLS);
    return {
      totals: { ...toFigures(total), waits: toWaitFigures(total) },
      days: starts.map(({ day }) => ({ day, ...toFigures(days.get(day) ?? createTally()) })),
      slowest: ranked
        .flatMap(({ value, calls, p95Ms }) => (p95Ms === null ? [] : [{ toolName: value, calls, p95Ms }]))
        .sort((left, right) => right.p95Ms - left.p95Ms)
        .slice(0, TOP),
      failing,
      unknown: unknown
        .map(({ value, calls }) => ({ toolName: value, calls }))
        .sort((left, right) => right.calls - left.calls)
        .slice(0, TOP),
      rebuilding: all.data.rebuilding,
    };
  };
}

/** The statistics on the page of one tool. */
function createToolFigures(statistics: StatisticsReads, read: ReadTime, clock: Now) {
  async function readGroups(
    name: string,
    dimension: "tool.caller" | "tool.version",
    since: number,
    countsOnly = false,
  ) {
    const { request, data } = await read({ since, of: { dimension: "tool", value: name } }, { dimension, countsOnly });
    return { ...data, tallies: tallyBy(data, request, ({ detail }) => detail) };
  }

  async function toolStats(name: string): Promise<ToolStats> {
    const {
      latency: _latency,
      rebuilding: _rebuilding,
      ...figures
    } = await statistics.totals({
      since: 0,
      of: { dimension: "tool", value: name },
    });
    return figures;
  }

  return {
    toolStats,

    async definitionUse(tools: readonly string[]): Promise<DefinitionUse> {
      const counts = new Map<string, number>();
      let complete = true;
      for (const tool of tools) {
        const { tallies, rebuilding } = await readGroups(tool, "tool.version", 0, true);
        complete &&= !rebuilding;
        for (const [hash, { classes }] of tallies) {
          if (hash !== "" && classes.calls > 0) counts.set(hash, (counts.get(hash) ?? 0) + classes.calls);
        }
      }
      return { counts: Object.fromEntries(counts), complete };
    },

    /** A tool's calls of a period, without what only the calls themselves say. */
    async toolStatistics(name: string, { days, zone }: FigurePeriod) {
      const first = days === null ? undefined : listDayStarts(clock.now(), days, zone)[0];
      const since = first?.start ?? 0;
      const { latency, rebuilding, ...total } = await statistics.totals({
        since,
        of: { dimension: "tool", value: name },
      });
      const callers = await readGroups(name, "tool.caller", since);
      const versions = await readGroups(name, "tool.version", since);
      return {
        since: first?.start ?? null,
        total,
        latency,
        clients: toCallers(callers.tallies),
        versions: listFigures(versions.tallies).map((figures) => toGroup(figures.value || null, figures)),
        rebuilding,
      };
    },
  };
}

export type PageFigures = ReturnType<typeof createPageFigures>;

type Tallies = ReturnType<typeof tallyBy<string>>;

function listFigures(tallies: Tallies) {
  return [...tallies].map(([value, tally]) => ({ value, ...toFigures(tally) })).filter(({ calls }) => calls > 0);
}

const toFailedFigures = ({
  calls,
  finished,
  failed,
  error,
  timedOut,
  interrupted,
  invalid,
}: FailedFigures & { calls: number }): FailedFigures & { calls: number } => ({
  calls,
  finished,
  failed,
  error,
  timedOut,
  interrupted,
  invalid,
});

const toGroup = (key: string | null, figures: StatisticFigures): CallGroup => ({
  key,
  ...toFailedFigures(figures),
  p50Ms: figures.p50Ms,
  p95Ms: figures.p95Ms,
});

/** Groups callers by program, or by source where a call names none. */
function toCallers(tallies: Tallies): ToolStatistics["clients"] {
  return listFigures(tallies)
    .sort((left, right) => right.calls - left.calls)
    .slice(0, MAX_GROUPS)
    .map(({ value, ...figures }) =>
      value.startsWith(NO_PROGRAM)
        ? { ...toGroup(null, figures), source: value.slice(NO_PROGRAM.length) }
        : { ...toGroup(value, figures), source: null },
    );
}
