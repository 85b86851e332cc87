import type { ToolDefinition } from "../../../lib/contract";
import { describeDeprecation, readDeprecation } from "../../../lib/contract/deprecation";

/** A tool as `tools/list` shows it. */
export interface ListedTool {
  name: string;
  [key: string]: unknown;
}

/** What a definition may carry for the list, as it is. */
const PASSED_THROUGH = ["icons", "_meta", "outputSchema"] as const;
const SHOWN = ["title", "description", "annotations"] as const;

/**
 * A tool for MCP clients, under the name that they get.
 * @param nameOf the name that they get for another tool of the catalog
 */
export function listTool(
  definition: ToolDefinition,
  name: string,
  nameOf: (name: string) => string = (each) => each,
): ListedTool {
  const { parameters: inputSchema, implementation } = definition;
  const sent = implementation.type === "mcp" ? definition.listed : undefined;
  // What a server listed goes to its clients as it is: nothing of the catalogue's own is put in its place. Only tasks are
  // Toolroom's affair, which calls every tool without one.
  const { execution: _, ...fields } = sent ?? {};
  const listed: ListedTool = { ...fields, name, inputSchema };
  const keys = sent === undefined ? [...SHOWN, ...PASSED_THROUGH] : PASSED_THROUGH;
  for (const key of keys) if (definition[key] !== undefined) listed[key] = definition[key];
  const deprecation = readDeprecation(definition);
  if (deprecation !== null) {
    const { description } = listed;
    // A server may list a tool without a description.
    const rest = typeof description === "string" && description !== "" ? ` ${description}` : "";
    listed.description = describeDeprecation(deprecation, nameOf) + rest;
  }
  return listed;
}
