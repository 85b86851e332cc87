import { isRecordedName } from "./agent-endpoint";
import { isContentName } from "./execution-kind";
import { getServerName, type ToolDefinition } from "./tool-definition";

/** Whether a call is of a tool of the catalog: not a read of a resource or prompt, and not of one of Toolroom's own tools. */
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
