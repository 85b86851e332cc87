import { getUiResource } from "../../../lib/apps/tool-app";
import { getServerName, type ToolDefinition } from "../../../lib/contract/tool-definition";

/** The servers whose tools name a URI for their user interface, by URI. */
export function uiOwners(tools: readonly ToolDefinition[]): ReadonlyMap<string, readonly string[]> {
  const owners = new Map<string, string[]>();
  for (const tool of tools) {
    const uri = getUiResource(tool);
    const server = getServerName(tool);
    if (uri === null || server === null) continue;
    const servers = owners.get(uri) ?? [];
    if (!servers.includes(server)) owners.set(uri, [...servers, server]);
  }
  return owners;
}
