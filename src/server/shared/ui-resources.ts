import { getServerName, type ToolDefinition } from "../../lib/contract";
import { isPlainObject } from "../../lib/contract/json";

/** The resource that shows a tool's calls in hosts of MCP Apps; null for a tool without one. */
export function uiResourceOf({ _meta: meta }: { [key: string]: unknown }): string | null {
  if (!isPlainObject(meta)) return null;
  const uri = isPlainObject(meta.ui) ? meta.ui.resourceUri : meta["ui/resourceUri"];
  return typeof uri === "string" ? uri : null;
}

/** The servers whose tools name a URI for their user interface, by URI. */
export function uiOwners(tools: readonly ToolDefinition[]): ReadonlyMap<string, readonly string[]> {
  const owners = new Map<string, string[]>();
  for (const tool of tools) {
    const uri = uiResourceOf(tool);
    const server = getServerName(tool);
    if (uri === null || server === null) continue;
    const servers = owners.get(uri) ?? [];
    if (!servers.includes(server)) owners.set(uri, [...servers, server]);
  }
  return owners;
}
