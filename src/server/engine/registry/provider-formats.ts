import type { JsonSchema } from "../../../lib/contract/json";
import { PROVIDERS, type Provider, type ToolDefinition } from "../../../lib/contract/tool-definition";
import { toSentDescription } from "../../../lib/contract/tool-facts";

export interface OpenAiTool {
  type: "function";
  function: { name: string; description: string; parameters: JsonSchema };
}
export interface GeminiTool {
  functionDeclarations: { name: string; description: string; parameters: JsonSchema }[];
}
export interface AnthropicTool {
  name: string;
  description: string;
  input_schema: JsonSchema;
}
export type ProviderFormat = OpenAiTool | GeminiTool | AnthropicTool;

/** @throws Error that names the provider and those that are supported */
export function requireProvider(provider: string): Provider {
  const known = PROVIDERS.find((candidate) => candidate === provider);
  if (known === undefined) {
    throw new Error(`Provider '${provider}' is not supported; supported are ${PROVIDERS.join(", ")}`);
  }
  return known;
}

/** One tool in the form of one provider's API. Gemini's client merges its tools into one object. */
export function convertTool(provider: Provider, tool: ToolDefinition): ProviderFormat {
  const { name, parameters } = tool;
  const description = toSentDescription(tool);
  switch (provider) {
    case "openai":
    case "ollama":
      return { type: "function", function: { name, description, parameters } };
    case "gemini":
      return { functionDeclarations: [{ name, description, parameters }] };
    case "anthropic":
      return { name, description, input_schema: parameters };
  }
}
