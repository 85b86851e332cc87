import { STATE_WORDS } from "@/app/_components/tools/summary/tool-marks";
import { defineFilters, oneName, oneOf, order, type Params, searchText, toggle } from "@/app/_kit/list/filters";
import type { ToolSummary } from "@/lib/contract/catalog-tool";
import { APPROVAL_NEEDS, MAX_FILTER_CHARS, TOOL_SORTS, TOOL_STATES, type ToolSort } from "@/lib/contract/tool-filter";

const ORIGINS = ["console", "config", "code", "server"] as const satisfies readonly ToolSummary["origin"][];
const APPROVAL_WORDS = { asks: "required", free: "not required" } as const;
const SORT_WORDS: Record<ToolSort, string> = {
  name: "Name, A to Z",
  "-name": "Name, Z to A",
  "-calls": "Most calls",
  calls: "Fewest calls",
  "-failures": "Highest failure rate",
  failures: "Lowest failure rate",
  "-used": "Recently used",
  used: "Least recently used",
  favorites: "Favorites first",
};
/** More than a window shows; the HTML of a page has the first rows. */
const FIRST_ROWS = 30;
const ROWS = 100;

/** The filters of the catalog in the address, so that a link shows the same list. */
export const TOOL_FILTERS = defineFilters({
  q: searchText({ label: "Search tools", placeholder: "Search name, description, tag" }),
  type: oneName(MAX_FILTER_CHARS, { label: "Type" }),
  origin: oneOf(ORIGINS, { label: "Origin" }),
  /** The MCP server that a tool runs on. */
  server: oneName(MAX_FILTER_CHARS, { label: "Server" }),
  tag: oneName(MAX_FILTER_CHARS, { label: "Tag" }),
  state: oneOf(TOOL_STATES, { label: "State", words: STATE_WORDS }),
  /** Whether the tool requires approval. */
  approval: oneOf(APPROVAL_NEEDS, { label: "Approval", words: APPROVAL_WORDS }),
  sort: order(TOOL_SORTS, {
    label: "Sort",
    any: "Default order",
    words: SORT_WORDS,
    className: "w-auto! max-w-44 md:ml-auto",
  }),
  favorites: toggle({ label: "Favorites" }),
  mine: toggle({ label: "Mine" }),
  problems: toggle({ label: "Has problems" }),
});

type ToolParams = Params<typeof TOOL_FILTERS.filters>;

/** The input of the list for the filters in the address: the page prefetches what its view reads. */
export function toListInput(params: ToolParams) {
  const filter = TOOL_FILTERS.toFilter(params);
  return { filter, ...(params.sort !== null && { sort: params.sort }), figures: true, first: FIRST_ROWS, limit: ROWS };
}
