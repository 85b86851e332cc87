import type { JsonSchema, JsonValue } from "./json";

/**
 * A tool as configuration, catalogue and code describe it. Keys that are not named here are kept and ignored,
 * so that a definition written for another product survives a round trip.
 */
export interface ToolDefinition {
  /** 1–128 characters of `A-Za-z0-9_.-`, the rule of the Model Context Protocol; unique in the catalogue. */
  name: string;
  title?: string;
  description: string;
  type: "function";
  /** A label for people; what runs is named by `implementation`. */
  handler: string;
  /** JSON Schema whose root `type` is `"object"`. */
  parameters: JsonSchema;
  implementation: ToolImplementation;
  annotations?: ToolAnnotations;
  /** JSON Schema of `structuredContent`, for tools that promise one. */
  outputSchema?: JsonSchema;
  tags?: string[];
  /** Overrides the global limits for this tool. */
  timeout_ms?: number;
  /** Where present, each progress report starts the time limit anew, up to this in all. */
  max_total_timeout_ms?: number;
  max_stored_bytes?: number;
  max_model_chars?: number;
  /** Whether a person is asked before it runs; where absent, the server's policy decides. */
  approval?: "always" | "never";
  [key: string]: unknown;
}

export type ToolImplementation =
  | { type: "mock"; mock_response: JsonValue; [key: string]: unknown }
  | { type: "builtin"; handler: string; [key: string]: unknown }
  | { type: "internal"; handler: string; [key: string]: unknown }
  | { type: "function"; [key: string]: unknown }
  /** A tool of an MCP server; `tool` is the server's own name of it. */
  | { type: "mcp"; server: string; tool: string; [key: string]: unknown };

/** What a person can create; `function` exists only in code, `mcp` on a server. */
export const CATALOGUE_IMPLEMENTATION_TYPES = ["mock", "builtin", "internal"] as const;
export const IMPLEMENTATION_TYPES = ["mock", "builtin", "internal", "function", "mcp"] as const;
export type ImplementationType = (typeof IMPLEMENTATION_TYPES)[number];

/** Hints of the Model Context Protocol. They are claims of the tool's author, never a reason to trust it. */
export interface ToolAnnotations {
  title?: string;
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

export const TOOL_NAME_PATTERN = /^[A-Za-z0-9_.-]{1,128}$/;

/** Where a tool came from, which decides who may change it. */
export type ToolOrigin = "console" | "config" | "code" | "server";

export const PROVIDERS = ["openai", "anthropic", "gemini", "ollama"] as const;
export type Provider = (typeof PROVIDERS)[number];

/** The MCP server that a tool runs on; null for the team's own. */
export function serverOf({ implementation }: ToolDefinition): string | null {
  return implementation.type === "mcp" ? implementation.server : null;
}
