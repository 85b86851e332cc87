import {
  type inferParserType,
  parseAsArrayOf,
  parseAsBoolean,
  parseAsInteger,
  parseAsString,
  parseAsStringLiteral,
} from "nuqs/server";
import { OUTCOMES, SOURCES } from "@/app/_components/executions/summary/execution-labels";
import type { ExecutionFilter, ExecutionOrder } from "@/lib/contract/execution";
import { EXECUTION_KINDS } from "@/lib/contract/execution-kind";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

export const TIME_RANGES = ["15m", "1h", "24h", "7d", "30d", "custom"] as const;
export type TimeRange = (typeof TIME_RANGES)[number];

export const TIME_RANGE_LABELS: Record<TimeRange, string> = {
  "15m": "Last 15 minutes",
  "1h": "Last hour",
  "24h": "Last 24 hours",
  "7d": "Last 7 days",
  "30d": "Last 30 days",
  custom: "Custom range",
};

const RANGE_MS: Record<Exclude<TimeRange, "custom">, number> = {
  "15m": 15 * MINUTE,
  "1h": HOUR,
  "24h": 24 * HOUR,
  "7d": 7 * 24 * HOUR,
  "30d": 30 * 24 * HOUR,
};

/** Orders other than newest first; `-` is descending. */
export const SORTS = ["duration", "-duration", "size", "-size"] as const;

export const SORT_LABELS: Record<(typeof SORTS)[number], string> = {
  "-duration": "Longest first",
  duration: "Shortest first",
  "-size": "Largest first",
  size: "Smallest first",
};

/** The filters of Executions in the address; server and browser read the same. */
export const FILTER_PARAMS = {
  tool: parseAsArrayOf(parseAsString).withDefault([]),
  kind: parseAsArrayOf(parseAsStringLiteral(EXECUTION_KINDS)).withDefault([]),
  status: parseAsArrayOf(parseAsStringLiteral(OUTCOMES)).withDefault([]),
  source: parseAsArrayOf(parseAsStringLiteral(SOURCES)).withDefault([]),
  actor: parseAsString.withDefault(""),
  range: parseAsStringLiteral(TIME_RANGES),
  /** Of a custom range, epoch milliseconds. */
  since: parseAsInteger,
  until: parseAsInteger,
  pinned: parseAsBoolean.withDefault(false),
  /** The run whose calls are shown; a link of its page sets it. */
  run: parseAsString.withDefault(""),
  /** The definition whose calls are shown; a link of a tool's versions sets it. */
  definition: parseAsString.withDefault(""),
  /** The toolset whose calls are shown; a link of its page sets it. */
  toolset: parseAsString.withDefault(""),
  /** Calls whose lens failed; a link of the lens sets it. */
  lensFailed: parseAsBoolean.withDefault(false),
  q: parseAsString.withDefault(""),
  sort: parseAsStringLiteral(SORTS),
};

export type FilterParams = inferParserType<typeof FILTER_PARAMS>;

/** Rows of a page of the list. */
const PAGE_ROWS = 50;

/** Shorter texts are in nearly every call, and the index cannot find them. */
export const LEAST_SEARCH_CHARS = 3;

/** The filter for the server. `since` is a fixed start of the time range, so that the query key does not change with the clock. */
export function toFilter(params: FilterParams, since: number | null): ExecutionFilter {
  const q = params.q.trim().slice(0, 200);
  return {
    ...(params.tool.length > 0 ? { tool: params.tool.slice(0, 50).map((name) => name.slice(0, 200)) } : {}),
    ...(params.kind.length > 0 ? { kind: params.kind } : {}),
    ...(params.status.length > 0 ? { status: params.status } : {}),
    ...(params.source.length > 0 ? { source: params.source } : {}),
    ...(params.actor !== "" ? { actor: params.actor.slice(0, 200) } : {}),
    ...(params.pinned ? { pinned: true } : {}),
    ...(params.lensFailed ? { lensFailed: true } : {}),
    ...(params.run !== "" ? { runId: params.run.slice(0, 100) } : {}),
    ...(params.toolset !== "" ? { toolset: params.toolset.slice(0, 100) } : {}),
    ...(params.definition !== "" ? { definition: params.definition.slice(0, 100) } : {}),
    ...(q.length >= LEAST_SEARCH_CHARS ? { q } : {}),
    ...toTimes(params, since),
  };
}

function toTimes(
  { range, ...custom }: FilterParams,
  rangeStart: number | null,
): Pick<ExecutionFilter, "since" | "until"> {
  const since = range === "custom" ? custom.since : rangeStart;
  return {
    ...(since !== null ? { since } : {}),
    ...(range === "custom" && custom.until !== null ? { until: custom.until } : {}),
  };
}

export interface ListInput {
  filter: ExecutionFilter;
  limit: number;
  order?: ExecutionOrder;
}

/** What `executions.list` is asked for, by the server's prefetch and by the browser. */
export function toListInput(params: FilterParams, since: number | null): ListInput {
  const filter = toFilter(params, since);
  if (params.sort === null) return { filter, limit: PAGE_ROWS };
  const descending = params.sort.startsWith("-");
  return { filter, limit: PAGE_ROWS, order: { by: params.sort.endsWith("size") ? "size" : "duration", descending } };
}

/** Where a time range begins when it is chosen at `now`. */
export function toRangeStart(range: TimeRange | null, now: number): number | null {
  return range === null || range === "custom" ? null : now - RANGE_MS[range];
}

export function isFiltered(params: FilterParams): boolean {
  return Object.keys(toFilter(params, toRangeStart(params.range, 0))).length > 0;
}
