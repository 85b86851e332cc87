import type { CassetteTool } from "../../../../lib/cassette/cassette-file";
import { isPlainObject } from "../../../../lib/contract/json";
import type { ToolDefinition } from "../../../../lib/contract/tool-definition";

/** A recorded tool as a definition: what reads definitions reads it too. */
export function toDefinition({ entry, server, sensitive }: CassetteTool): ToolDefinition {
  const { name, title, description, inputSchema, outputSchema, annotations } = entry;
  return {
    name,
    ...(typeof title === "string" ? { title } : {}),
    description: typeof description === "string" ? description : name,
    type: "function",
    handler: name,
    parameters: inputSchema,
    ...(isPlainObject(outputSchema) ? { outputSchema } : {}),
    ...(isPlainObject(annotations) ? { annotations } : {}),
    implementation: { type: "mcp", server: server ?? "", tool: name },
    ...(sensitive.length === 0 ? {} : { sensitive: { arguments: [...sensitive] } }),
    listed: entry,
  };
}
