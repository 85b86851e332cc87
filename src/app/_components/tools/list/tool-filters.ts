import { parseAsBoolean, parseAsString, parseAsStringLiteral } from "nuqs";
import type { ToolSummary } from "@/lib/contract/catalogue-tool";

export const TOOL_ORIGINS = ["console", "config", "code", "server"] as const satisfies readonly ToolSummary["origin"][];
export const TOOL_STATES = ["enabled", "disabled", "deprecated"] as const;
export const TOOL_APPROVALS = ["asks", "free"] as const;

/** The address holds the filters, so a link shows the same list. */
export const toolFilterParsers = {
  q: parseAsString.withDefault(""),
  type: parseAsString.withDefault(""),
  origin: parseAsStringLiteral(TOOL_ORIGINS),
  server: parseAsString.withDefault(""),
  tag: parseAsString.withDefault(""),
  state: parseAsStringLiteral(TOOL_STATES),
  approval: parseAsStringLiteral(TOOL_APPROVALS),
  problems: parseAsBoolean.withDefault(false),
  favorites: parseAsBoolean.withDefault(false),
  mine: parseAsBoolean.withDefault(false),
};

export interface ToolFilters {
  q: string;
  type: string;
  origin: ToolSummary["origin"] | null;
  /** The MCP server that a tool runs on. */
  server: string;
  tag: string;
  state: (typeof TOOL_STATES)[number] | null;
  /** Whether a person is asked before the tool runs. */
  approval: "asks" | "free" | null;
  problems: boolean;
  /** Only tools that the person gave a star. */
  favorites: boolean;
  /** Only tools that the person owns. */
  mine: boolean;
}

export const NO_TOOL_FILTERS = {
  q: null,
  type: null,
  origin: null,
  server: null,
  tag: null,
  state: null,
  approval: null,
  problems: null,
  favorites: null,
  mine: null,
} as const;

export function hasProblems(tool: ToolSummary): boolean {
  return tool.quality.some((note) => note.severity === "warning");
}

export function isFiltered({ q, type, origin, server, tag, state, approval, ...toggles }: ToolFilters): boolean {
  return (
    [q, type, server, tag].some((text) => text !== "") ||
    [origin, state, approval].some((part) => part !== null) ||
    toggles.problems ||
    toggles.favorites ||
    toggles.mine
  );
}

/** Whose stars and tools the filters ask for. */
export interface Viewer {
  favorites: ReadonlySet<string>;
  /** The person's id. */
  me: string;
}

/** Every word of the search must occur in name, title, description, handler or tags. */
export function filterTools(
  tools: readonly ToolSummary[],
  filters: ToolFilters,
  { favorites, me }: Viewer,
): ToolSummary[] {
  const words = filters.q.toLowerCase().split(/\s+/).filter(Boolean);
  return tools.filter((tool) => {
    if (filters.type !== "" && tool.implementationType !== filters.type) return false;
    if (filters.origin !== null && tool.origin !== filters.origin) return false;
    if (filters.server !== "" && tool.server !== filters.server) return false;
    if (filters.tag !== "" && !tool.tags.includes(filters.tag)) return false;
    if (filters.state === "deprecated" && tool.deprecation === null) return false;
    if (filters.state === "enabled" && !tool.enabled) return false;
    if (filters.state === "disabled" && tool.enabled) return false;
    if (filters.favorites && !favorites.has(tool.name)) return false;
    if (filters.mine && tool.owner?.id !== me) return false;
    if (filters.approval !== null && tool.approval.required !== (filters.approval === "asks")) return false;
    if (filters.problems && !hasProblems(tool)) return false;
    const text =
      `${tool.name} ${tool.title ?? ""} ${tool.description} ${tool.handler ?? ""} ${tool.tags.join(" ")}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** What the select boxes offer: only what occurs, plus what the address asks for. */
export function listFilterChoices(tools: readonly ToolSummary[], chosen: Pick<ToolFilters, "type" | "server" | "tag">) {
  const sorted = (values: Iterable<string>) => [...new Set(values)].filter((value) => value !== "").sort();
  return {
    types: sorted([...tools.map((tool) => tool.implementationType), chosen.type]),
    servers: sorted([...tools.map((tool) => tool.server ?? ""), chosen.server]),
    tags: sorted([...tools.flatMap((tool) => tool.tags), chosen.tag]),
  };
}
