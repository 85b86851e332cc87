import { FILTERED_STATES, hasState, STATE_WORDS } from "@/app/_components/tools/summary/tool-marks";
import { defineFilters, oneName, oneOf, order, type Params, searchText, toggle } from "@/app/_kit/list/filters";
import { compareForReaders } from "@/lib/compare-for-readers";
import type { ToolSummary } from "@/lib/contract/catalog-tool";
import { createWordMatcher } from "@/lib/match-words";
import { TOOL_SORT_LABELS, TOOL_SORTS } from "./tool-order";

const ORIGINS = ["console", "config", "code", "server"] as const satisfies readonly ToolSummary["origin"][];
const APPROVAL_WORDS = { asks: "required", free: "not required" } as const;
const MAX_NAME_CHARS = 200;

/** The filters of the catalog in the address, so that a link shows the same list. */
export const TOOL_FILTERS = defineFilters({
  q: searchText({ label: "Search tools", placeholder: "Search name, description, tag", instant: true }),
  type: oneName(MAX_NAME_CHARS, { label: "Type" }),
  origin: oneOf(ORIGINS, { label: "Origin" }),
  /** The MCP server that a tool runs on. */
  server: oneName(MAX_NAME_CHARS, { label: "Server" }),
  tag: oneName(MAX_NAME_CHARS, { label: "Tag" }),
  state: oneOf(FILTERED_STATES, { label: "State", words: STATE_WORDS }),
  /** The tool requires approval. */
  approval: oneOf(["asks", "free"], { label: "Approval", words: APPROVAL_WORDS }),
  sort: order(TOOL_SORTS, {
    label: "Sort",
    any: "Default order",
    words: TOOL_SORT_LABELS,
    className: "w-auto! max-w-44 md:ml-auto",
  }),
  favorites: toggle({ label: "Favorites" }),
  mine: toggle({ label: "Mine" }),
  problems: toggle({ label: "Has problems" }),
});

export type ToolFilters = Omit<Params<typeof TOOL_FILTERS.filters>, "sort">;

export function hasProblems(tool: ToolSummary): boolean {
  return tool.quality.some((note) => note.severity === "warning");
}

/** The user whose favorites and tools the filters select. */
interface Viewer {
  favorites: ReadonlySet<string>;
  /** The user's id. */
  me: string;
}

/** Every word of the search must occur in name, title, description, handler or tags. */
export function filterTools(
  tools: readonly ToolSummary[],
  filters: ToolFilters,
  { favorites, me }: Viewer,
): ToolSummary[] {
  const matches = createWordMatcher(filters.q);
  return tools.filter((tool) => {
    if (filters.type !== "" && tool.implementationType !== filters.type) return false;
    if (filters.origin !== null && tool.origin !== filters.origin) return false;
    if (filters.server !== "" && tool.server !== filters.server) return false;
    if (filters.tag !== "" && !tool.tags.includes(filters.tag)) return false;
    if (filters.state !== null && !hasState(tool, filters.state)) return false;
    if (filters.favorites && !favorites.has(tool.name)) return false;
    if (filters.mine && tool.owner?.id !== me) return false;
    if (filters.approval !== null && tool.approval.required !== (filters.approval === "asks")) return false;
    if (filters.problems && !hasProblems(tool)) return false;
    return matches(tool.name, tool.title, tool.description, tool.handler, ...tool.tags);
  });
}

/** Returns the values that occur. */
export function listFilterChoices(tools: readonly ToolSummary[]) {
  const sorted = (values: Iterable<string>) =>
    [...new Set(values)].filter((value) => value !== "").sort(compareForReaders);
  return {
    types: sorted(tools.map((tool) => tool.implementationType)),
    servers: sorted(tools.map((tool) => tool.server ?? "")),
    tags: sorted(tools.flatMap((tool) => tool.tags)),
  };
}
