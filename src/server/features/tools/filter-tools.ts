import { compareForReaders } from "../../../lib/compare-for-readers";
import type { ToolSummary } from "../../../lib/contract/catalog-tool";
import { hasMark } from "../../../lib/contract/tool-facts";
import type { ToolFacets, ToolFilter } from "../../../lib/contract/tool-list";
import { createWordMatcher } from "../../../lib/match-words";
import { hasProblems } from "../../../lib/tool-problems";
import { remember } from "../../platform/shared/remember";

/** The user whose favorites and tools the filters select. */
interface Viewer {
  favorites: ReadonlySet<string>;
  me: string;
}

/** Every word of the search must occur in name, title, description, handler or tags. */
export function filterTools(tools: readonly ToolSummary[], filter: ToolFilter, viewer: Viewer): readonly ToolSummary[] {
  // The array itself, of which the order is remembered.
  if (Object.values(filter).every((part) => part === undefined)) return tools;
  const matches = createWordMatcher(filter.q ?? "");
  return tools.filter(
    (tool) =>
      isSelected(tool, filter, viewer) && matches(tool.name, tool.title, tool.description, tool.handler, ...tool.tags),
  );
}

function isSelected(tool: ToolSummary, filter: ToolFilter, { favorites, me }: Viewer): boolean {
  if (filter.type !== undefined && tool.implementationType !== filter.type) return false;
  if (filter.origin !== undefined && tool.origin !== filter.origin) return false;
  if (filter.server !== undefined && tool.server !== filter.server) return false;
  if (filter.tag !== undefined && !tool.tags.includes(filter.tag)) return false;
  if (filter.state === "enabled" && !tool.enabled) return false;
  if (filter.state !== undefined && filter.state !== "enabled" && !hasMark(tool, filter.state)) return false;
  if (filter.approval !== undefined && tool.approval.required !== (filter.approval === "asks")) return false;
  if (filter.names !== undefined && !filter.names.includes(tool.name)) return false;
  if (filter.offered && !isOffered(tool)) return false;
  if (filter.favorites && !favorites.has(tool.name)) return false;
  if (filter.mine && tool.owner?.id !== me) return false;
  return !filter.problems || hasProblems(tool);
}

/** Whether models may be offered a tool. */
const isOffered = ({ enabled, appOnly }: ToolSummary): boolean => enabled && appOnly !== true;

/** The values that occur. */
export const listFacets = remember((tools: readonly ToolSummary[]): ToolFacets => {
  const sorted = (values: Iterable<string>) =>
    [...new Set(values)].filter((value) => value !== "").sort(compareForReaders);
  return {
    types: sorted(tools.map((tool) => tool.implementationType)),
    servers: sorted(tools.map((tool) => tool.server ?? "")),
    tags: sorted(tools.flatMap((tool) => tool.tags)),
  };
});
