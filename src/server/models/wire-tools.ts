import type { ChatTool } from "../../lib/contract/chat";
import type { JsonSchema } from "../../lib/contract/json";
import { schemaFor } from "../../lib/schema/providers/provider-schema";
import type { ToolAliases } from "./tool-aliases";

const MAX_DESCRIPTION_CHARS = 1024;

/** For servers that refuse longer descriptions. */
export function withShortDescription(tool: ChatTool): ChatTool {
  return { ...tool, description: tool.description.slice(0, MAX_DESCRIPTION_CHARS) };
}

// One tool as each API takes it. The clients send what these give, and the tool's page shows the same.

export function toOpenAiTool({ name, description, parameters }: ChatTool, aliases: Pick<ToolAliases, "aliasOf">) {
  return {
    type: "function" as const,
    name: aliases.aliasOf(name),
    description,
    parameters: schemaFor("openai", parameters),
    // Left out it means true, which makes every optional parameter a required one.
    strict: false,
  };
}

export function toCompletionsTool({ name, description, parameters }: ChatTool, aliases: Pick<ToolAliases, "aliasOf">) {
  return {
    type: "function" as const,
    function: { name: aliases.aliasOf(name), description, parameters: schemaFor("openai-compatible", parameters) },
  };
}

export function toAnthropicTool({ name, description, parameters }: ChatTool, aliases: Pick<ToolAliases, "aliasOf">) {
  return {
    name: aliases.aliasOf(name),
    description,
    // Roots that are no object are made one by the reduction.
    input_schema: schemaFor("anthropic", parameters) as JsonSchema & { type: "object" },
  };
}

export function toGeminiDeclaration(
  { name, description, parameters }: ChatTool,
  aliases: Pick<ToolAliases, "aliasOf">,
) {
  return { name: aliases.aliasOf(name), description, parametersJsonSchema: schemaFor("gemini", parameters) };
}

/** What the parameters as a whole say has no place in them here, so it is said with the tool. */
export function toOllamaTool({ name, description, parameters }: ChatTool, aliases: Pick<ToolAliases, "aliasOf">) {
  const { description: said, ...schema } = schemaFor("ollama", parameters);
  const told = typeof said === "string" ? `${description}\nParameters: ${said}` : description;
  return {
    type: "function" as const,
    function: { name: aliases.aliasOf(name), description: told, parameters: schema },
  };
}
