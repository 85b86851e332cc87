import { isPlainObject } from "../../../lib/contract/json";
import type { SchemaNote } from "../../../lib/contract/schema-note";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { describeFacts } from "../../../lib/contract/tool-facts";
import { toServedSchema } from "./served-schema";

/** A tool as `tools/list` shows it. */
export interface ListedTool {
  name: string;
  [key: string]: unknown;
}

/** The fields of a definition that the list carries unchanged. */
const PASSED_THROUGH = ["icons", "_meta", "outputSchema"] as const;
const SHOWN = ["title", "description", "annotations"] as const;

/** The differences between the list for MCP clients and the definition. */
export function findServedChanges({ parameters, outputSchema }: ToolDefinition): SchemaNote[] {
  const output = outputSchema === undefined ? [] : toServedSchema(outputSchema, "output").notes;
  return [...toServedSchema(parameters, "input").notes, ...output];
}

/** Clients refuse the whole list for an icon of another form. */
function isIcon(icon: unknown): boolean {
  if (!isPlainObject(icon) || typeof icon.src !== "string") return false;
  const { mimeType, sizes, theme } = icon;
  return (
    (mimeType === undefined || typeof mimeType === "string") &&
    (sizes === undefined || (Array.isArray(sizes) && sizes.every((size) => typeof size === "string"))) &&
    (theme === undefined || theme === "light" || theme === "dark")
  );
}

/**
 * A tool for MCP clients, under the name that they get.
 * @param getName the name that they get for another tool of the catalog
 */
export function listTool(
  definition: ToolDefinition,
  name: string,
  getName: (name: string) => string = (each) => each,
): ListedTool {
  const { parameters, outputSchema, icons, implementation } = definition;
  const sent = implementation.type === "mcp" ? definition.listed : undefined;
  // Fields that a server listed reach its clients unchanged: the catalog replaces nothing. Toolroom removes `execution`, as it calls every tool without a
  // task.
  const { execution: _, ...fields } = sent ?? {};
  const listed: ListedTool = { ...fields, name, inputSchema: toServedSchema(parameters, "input").schema };
  const keys = sent === undefined ? [...SHOWN, ...PASSED_THROUGH] : PASSED_THROUGH;
  for (const key of keys) if (definition[key] !== undefined) listed[key] = definition[key];
  if (outputSchema !== undefined) listed.outputSchema = toServedSchema(outputSchema, "output").schema;
  if (Array.isArray(icons)) listed.icons = icons.filter(isIcon);
  const facts = describeFacts(definition, getName);
  if (facts !== "") {
    const { description } = listed;
    // A server may list a tool without a description.
    const rest = typeof description === "string" && description !== "" ? ` ${description}` : "";
    listed.description = facts + rest;
  }
  return listed;
}
