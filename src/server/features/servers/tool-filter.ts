import type { ToolFilter } from "../../../lib/contract/server";
import type { ServerTool } from "../../../lib/contract/server-tool";
import { catalogToolName } from "../../../lib/portable-name";
import type { ReadTools } from "./read-server-tools";

/** Takes the tools out of a server's list that its settings do not offer; they stay visible, with the reason. */
export function applyToolFilter(read: ReadTools, filter: ToolFilter | undefined): ReadTools {
  if (filter === undefined) return read;
  const names = new Set(filter.names);
  const offered = (name: string): boolean => names.has(name) === (filter.mode === "only");
  return {
    ...read,
    definitions: read.definitions.filter(({ handler }) => offered(handler)),
    tools: read.tools.map((tool) =>
      tool.status !== "usable" || tool.name === null || offered(tool.name) ? tool : exclude(tool, filter),
    ),
  };
}

/** Whether a name that the catalog does not have is one of a tool that the server's settings exclude. */
export function isExcluded(
  server: { settings: { name: string }; tools: readonly ServerTool[] } | undefined,
  toolName: string,
): boolean {
  return (
    server?.tools.some(
      ({ status, name }) =>
        status === "excluded" && name !== null && catalogToolName(server.settings.name, name) === toolName,
    ) ?? false
  );
}

function exclude(tool: ServerTool, { mode }: ToolFilter): ServerTool {
  const reason =
    mode === "only" ? "Not among the tools that the server's settings offer" : "Excluded by the server's settings";
  return { ...tool, catalogName: null, status: "excluded", reason };
}
