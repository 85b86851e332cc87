import { createSerializer, parseAsString, parseAsStringLiteral } from "nuqs/server";
import {
  DURATION_LABELS,
  DURATIONS,
  ERROR_KIND_LABELS,
  ERROR_KINDS,
  KIND_LABELS,
  OUTCOME_LABELS,
  OUTCOMES,
  SIZE_LABELS,
  SIZES,
  SOURCE_LABELS,
  SOURCES,
} from "@/app/_components/executions/summary/execution-labels";
import {
  defineFilters,
  instant,
  leastNumber,
  manyNames,
  manyOf,
  oneName,
  order,
  type Params,
  searchText,
  toggle,
  toNothing,
} from "@/app/_kit/list/filters";
import { type RangeEnds, timeRange, toRangeEnds } from "@/app/_kit/list/time-range";
import type { ExecutionFilter, ExecutionOrder } from "@/lib/contract/execution";
import { EXECUTION_KINDS } from "@/lib/contract/execution-kind";

/** The mode of the chart above the list. */
const CHARTS = ["calls", "duration", "none"] as const;

/** Orders other than newest first; `-` is descending. */
export const SORTS = ["duration", "-duration", "size", "-size"] as const;

const SORT_LABELS: Record<(typeof SORTS)[number], string> = {
  "-duration": "Longest first",
  duration: "Shortest first",
  "-size": "Largest first",
  size: "Smallest first",
};

/** Amounts in US dollars. */
const COSTS = ["0.01", "0.1", "1", "10"] as const;

const COST_LABELS: Record<(typeof COSTS)[number], string> = {
  "0.01": "$0.01 or more",
  "0.1": "$0.10 or more",
  "1": "$1 or more",
  "10": "$10 or more",
};

/** Shorter texts are in nearly every call, and the index cannot find them. */
const LEAST_SEARCH_CHARS = 3;

const IN_ADDRESS = defineFilters(
  {
    q: searchText({
      label: "Search arguments, results and errors",
      placeholder: "Search arguments, results, ids",
      least: LEAST_SEARCH_CHARS,
    }),
    tool: manyNames({ label: "Tool", mono: true, most: 50, maxChars: 200 }),
    kind: manyOf(EXECUTION_KINDS, { label: "Kind", words: KIND_LABELS }),
    status: manyOf(OUTCOMES, { label: "Status", words: OUTCOME_LABELS }),
    source: manyOf(SOURCES, { label: "Source", words: SOURCE_LABELS }),
    /** The first characters of the error; a link of a tool's statistics sets it. */
    message: oneName(200, { label: "Message" }),
    errorKind: manyOf(ERROR_KINDS, { label: "Error", words: ERROR_KIND_LABELS }),
    actor: oneName(200, { label: "Caller" }),
    range: timeRange(["today", "yesterday", "1h", "24h", "7d", "30d", "custom"], false),
    /** The start of a custom range, epoch milliseconds. */
    since: { ...instant(), toSent: toNothing },
    until: { ...instant(), toSent: toNothing },
    sort: order(SORTS, { label: "Sort", any: "Newest first", words: SORT_LABELS, className: "w-auto! md:hidden" }),
    pinned: toggle({ label: "Pinned" }),
    tag: manyNames({ label: "Tag", most: 50, maxChars: 100 }),
    duration: manyOf(DURATIONS, { label: "Duration", words: DURATION_LABELS }),
    size: manyOf(SIZES, { label: "Size", words: SIZE_LABELS }),
    minCost: leastNumber(COSTS, { label: "Cost", words: COST_LABELS }),
    /** The program that called, in any version. */
    client: oneName(200, { label: "Client", mono: true }),
    /** A link of the run's page sets it. */
    run: oneName(100, { label: "Run" }),
    /** One version of a definition; a link in the tool's versions sets it. */
    definition: oneName(100, { label: "Definition", mono: true }),
    /** A change that waits, by its hash; a link of its review sets it. */
    change: oneName(100, { label: "Broken by change", mono: true }),
    toolset: oneName(100, { label: "Toolset", mono: true }),
    /** Calls that a rule decided, or would have; links of the rules set it. */
    rule: oneName(100, { label: "Rule", mono: true }),
    server: oneName(200, { label: "Server", mono: true }),
    /** Calls whose caller received the whole result because the lens failed. */
    lensFailed: toggle({ label: "Lens failed" }),
  },
  "Filter executions",
);

export type FilterParams = Params<typeof IN_ADDRESS.filters>;

/** The filters of Executions in the address; server and browser read the same. */
export const EXECUTION_FILTERS = {
  ...IN_ADDRESS,
  isFiltered: (params: FilterParams): boolean =>
    Object.keys(toFilter(params, toRangeEnds(params.range, 0, "UTC"))).length > 0,
};

/** All that the address of the list says, with the view that was opened and the tab of a page around it. */
export const LIST_ADDRESS = {
  ...IN_ADDRESS.parsers,
  chart: parseAsStringLiteral(CHARTS).withDefault("calls"),
  view: parseAsString.withDefault(""),
  tab: parseAsString.withDefault(""),
};

/** Returns the query of an address, with its `?` where there is anything in it. */
export const writeListAddress = createSerializer(LIST_ADDRESS);

const PAGE_ROWS = 50;

/** The filter for the server. `ends` of the time range are fixed, so that the query key does not change with the clock. */
export function toFilter(params: FilterParams, ends: RangeEnds): ExecutionFilter {
  const { run, ...filter } = IN_ADDRESS.toFilter(params);
  const { since, until } = params.range === "custom" ? params : ends;
  return {
    ...filter,
    ...(run !== undefined ? { runId: run } : {}),
    ...(since !== null ? { since } : {}),
    ...(until !== null ? { until } : {}),
  };
}

export interface ListInput {
  filter: ExecutionFilter;
  limit: number;
  order?: ExecutionOrder;
}

/** Returns the input of `executions.list`, for the server's prefetch and for the browser. */
export function toListInput(params: FilterParams, ends: RangeEnds): ListInput {
  const filter = toFilter(params, ends);
  if (params.sort === null) return { filter, limit: PAGE_ROWS };
  const descending = params.sort.startsWith("-");
  return { filter, limit: PAGE_ROWS, order: { by: params.sort.endsWith("size") ? "size" : "duration", descending } };
}
