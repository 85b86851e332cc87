import { TOOL_SEPARATOR } from "../../../lib/contract/tool-definition";
import type { ToolsetInput } from "../../../lib/contract/toolset";

/** New names of tools and servers, by those that they had. */
export type Renames = Record<"tool" | "server", ReadonlyMap<string, string>>;

/**
 * The selection after tools and servers were renamed. A pattern is changed where it begins with the whole prefix of a
 * server: the purpose of any other pattern is not known.
 */
export function renameInToolset<Selection extends ToolsetInput>(toolset: Selection, renamed: Renames): Selection {
  const toServer = (server: string): string => renamed.server.get(server) ?? server;
  const toTool = (tool: string): string => {
    const [server = "", ...rest] = tool.split(TOOL_SEPARATOR);
    const moved = rest.length === 0 ? undefined : renamed.server.get(server);
    return renamed.tool.get(tool) ?? (moved === undefined ? tool : [moved, ...rest].join(TOOL_SEPARATOR));
  };
  const each = (names: readonly string[], rename: (name: string) => string): string[] => [
    ...new Set(names.map(rename)),
  ];
  const overrides = toolset.overrides.map((override) => ({ override, tool: toTool(override.tool) }));
  return {
    ...toolset,
    tools: each(toolset.tools, toTool),
    patterns: each(toolset.patterns, toTool),
    pinned: each(toolset.pinned, toTool),
    servers: each(toolset.servers, toServer),
    contents: each(toolset.contents, toServer),
    // An override that waited for a tool of the new name gives way to that of the renamed tool.
    overrides: overrides
      .filter(
        ({ override, tool }) =>
          override.tool !== tool || !overrides.some((other) => other.override !== override && other.tool === tool),
      )
      .map(({ override, tool }) => (override.tool === tool ? override : { ...override, tool })),
  };
}
