import { uiResourceOf } from "../../../../lib/apps/tool-app";
import { getServerName, type ToolDefinition } from "../../../../lib/contract/tool-definition";
import type { ListedTool } from "../../../engine/registry/list-tool";
import { isMappedForm, mapUri } from "../../../platform/shared/mapped-uris";
import { mapMeta } from "../../../platform/shared/result-uris";
import { uiOwners } from "../../../platform/shared/ui-resources";

/** For an address with several servers: maps user interfaces that tools of more than one server name by the same URI. */
export function mapUiResources(tools: readonly ToolDefinition[]) {
  const owners = uiOwners(tools);
  return (definition: ToolDefinition, listed: ListedTool): ListedTool => {
    const server = getServerName(definition);
    if (server === null || uiResourceOf(definition) === null) return listed;
    const isShared = (uri: string): boolean => isMappedForm(uri) || (owners.get(uri)?.length ?? 0) > 1;
    return mapMeta(listed, (uri) => (isShared(uri) ? mapUri(server, uri) : uri)) as ListedTool;
  };
}
