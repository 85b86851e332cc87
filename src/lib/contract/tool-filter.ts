import { TOOL_MARKS } from "./tool-facts";

/** Days that the figures of tools and servers in lists cover, as those of Overview. */
export const FIGURE_DAYS = 7;

/** Without a sort, the team's own tools come first, then server by server, each in the order of its list. */
export const TOOL_SORTS = [
  "name",
  "-name",
  "calls",
  "-calls",
  "failures",
  "-failures",
  "used",
  "-used",
  "favorites",
] as const;
export type ToolSort = (typeof TOOL_SORTS)[number];

/** The states by which the catalog is filtered. */
export const TOOL_STATES = ["enabled", ...TOOL_MARKS] as const;

/** Whether a tool requires approval. */
export const APPROVAL_NEEDS = ["asks", "free"] as const;

/** Longest name, and longest search, of a filter. */
export const MAX_FILTER_CHARS = 200;

/** Most tools of a page of the list. */
export const MAX_LISTED_TOOLS = 200;
