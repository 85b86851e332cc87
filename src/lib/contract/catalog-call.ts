import { isRecordedName } from "./agent-endpoint";
import { isContentName } from "./execution-kind";
import { getServerName, type ToolDefinition } from "./tool-definition";

/** Tells whether a call runs a tool of the catalog. Reads of resources and prompts do not, nor do Toolroom's own tools. */
export function isCatalogCall({
  toolName,
  definition,
}: {
  toolName: string;
  definition: ToolDefinition | null;
}): boolean {
  if (isContentName(toolName)) return false;
  return definition === null || !isRecordedName(toolName, getServerName(definition));
}
