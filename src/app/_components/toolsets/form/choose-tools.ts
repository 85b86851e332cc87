import type { NamedTool } from "@/lib/contract/tool-list";
import type { ToolsetPreview } from "@/lib/contract/toolset";
import { matchesPattern, selectsTool, type ToolsetSelection } from "@/lib/select-tool";

/** A tool that a draft selects, with its known facts. */
export interface ChosenTool {
  /** The tool's name in the catalog. */
  name: string;
  server: string | null;
  /** Empty until the server has previewed it. */
  arguments: readonly string[];
  /** Whether only a pattern selects it. */
  byPattern: boolean;
  missing: boolean;
  leftOut: boolean;
  pinned: boolean;
}

/**
 * The tools of a draft: first those chosen by name, in that order, then those of servers and patterns, in the order of the
 * catalog. A new name, or a preview, moves no row.
 * @param catalog the enabled tools; null while they are not known
 */
export function chooseTools(
  selection: ToolsetSelection,
  catalog: readonly NamedTool[] | null,
  preview: ToolsetPreview | null,
): ChosenTool[] {
  const known = new Map((catalog ?? []).map((tool) => [tool.name, tool]));
  const previewed = new Map((preview?.tools ?? []).map((tool) => [tool.tool, tool]));
  const others = (catalog ?? []).filter(
    ({ name, server }) => !selection.tools.includes(name) && selectsTool({ ...selection, tools: [] }, name, server),
  );
  return [...selection.tools, ...others.map(({ name }) => name)].map((name) => {
    const tool = known.get(name);
    const shown = previewed.get(name);
    const server = tool?.server ?? null;
    return {
      name,
      server,
      arguments: shown?.originalArguments ?? [],
      byPattern: !selectsTool({ ...selection, patterns: [] }, name, server),
      missing: catalog !== null && tool === undefined,
      leftOut: shown?.leftOut ?? false,
      pinned: shown?.pinned ?? false,
    };
  });
}

/** The names of the tools that patterns select. */
export function matchPatterns(patterns: readonly string[], catalog: readonly NamedTool[]): ReadonlySet<string> {
  return new Set(
    catalog.flatMap(({ name }) => (patterns.some((pattern) => matchesPattern(pattern, name)) ? [name] : [])),
  );
}
