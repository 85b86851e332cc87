import { type JsonSchema, PROVIDERS, type Provider, type ToolDefinition } from "../../lib/contract";

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

/** One tool as one provider's API takes it. Gemini's one-object-a-tool is merged by its client. */
export function convertTool(provider: Provider, tool: ToolDefinition): ProviderFormat {
  const { name, description, parameters } = tool;
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

/** What a provider would refuse or drop in this tool; sources: the vendors' API errors and SDKs, November 2026. */
export function portabilityNotes(provider: Provider, tool: ToolDefinition): string[] {
  const notes: string[] = [];
  const rule = NAME_RULES[provider];
  if (rule && !rule.pattern.test(tool.name))
    notes.push(`The name does not fit ${rule.text}; a client must send an alias.`);
  const topLevelUnion = ["oneOf", "anyOf", "allOf"].filter((keyword) => Object.hasOwn(tool.parameters, keyword));
  if (topLevelUnion.length > 0 && (provider === "openai" || provider === "anthropic")) {
    notes.push(`${topLevelUnion.join(", ")} at the top of the parameters is refused for the whole request.`);
  }
  if (provider === "openai" && !Object.hasOwn(tool.parameters, "properties")) {
    notes.push("An object without properties is refused; a client must add an empty one.");
  }
  if (provider === "gemini") {
    const found = [...unsupportedKeywords(tool.parameters, GEMINI_UNKNOWN)];
    if (found.length > 0)
      notes.push(`The parameters field does not know ${found.join(", ")}; parametersJsonSchema does.`);
  }
  if (provider === "ollama") {
    const found = [...unsupportedKeywords(tool.parameters, OLLAMA_DROPPED)];
    if (found.length > 0)
      notes.push(`${found.join(", ")} ${found.length === 1 ? "is" : "are"} dropped before the model sees the schema.`);
  }
  return notes;
}

const NAME_RULES: Record<Provider, { pattern: RegExp; text: string } | null> = {
  openai: { pattern: /^[a-zA-Z0-9_-]{1,64}$/, text: "letters, digits, '_' and '-', at most 64" },
  anthropic: { pattern: /^[a-zA-Z0-9_-]{1,128}$/, text: "letters, digits, '_' and '-', at most 128" },
  gemini: { pattern: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/, text: "a letter or '_' first, at most 64 characters" },
  ollama: null,
};

const GEMINI_UNKNOWN = [
  "$ref",
  "$schema",
  "additionalProperties",
  "const",
  "exclusiveMaximum",
  "exclusiveMinimum",
  "patternProperties",
  "prefixItems",
  "propertyNames",
  "uniqueItems",
];
const OLLAMA_DROPPED = ["$ref", "additionalProperties", "allOf", "const", "oneOf", "pattern", "patternProperties"];
const NAMED_SCHEMAS = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);
const DATA_KEYWORDS = new Set(["enum", "const", "default", "examples"]);

/** Which of `keywords` the schema uses, looking into subschemas but not into names or data. */
function unsupportedKeywords(
  schema: unknown,
  keywords: readonly string[],
  found = new Set<string>(),
  depth = 0,
): Set<string> {
  if (typeof schema !== "object" || schema === null || depth > 64) return found;
  if (Array.isArray(schema)) {
    for (const item of schema) unsupportedKeywords(item, keywords, found, depth + 1);
    return found;
  }
  for (const [keyword, value] of Object.entries(schema)) {
    if (keywords.includes(keyword)) found.add(keyword);
    if (DATA_KEYWORDS.has(keyword)) continue;
    if (NAMED_SCHEMAS.has(keyword) && typeof value === "object" && value !== null) {
      for (const named of Object.values(value)) unsupportedKeywords(named, keywords, found, depth + 1);
    } else {
      unsupportedKeywords(value, keywords, found, depth + 1);
    }
  }
  return found;
}
