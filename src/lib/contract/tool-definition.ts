import type { JsonSchema, JsonValue } from "./json";

/**
 * A tool in configuration, catalogue and code. Unknown keys are kept and ignored, so that a definition written for another
 * product survives a round trip.
 */
export interface ToolDefinition {
  /** 1–128 characters of `A-Za-z0-9_.-`, the rule of the Model Context Protocol; unique in the catalogue. */
  name: string;
  title?: string;
  description: string;
  type: "function";
  /** A label; `implementation` names what runs. */
  handler: string;
  /** JSON Schema whose root `type` is `"object"`. */
  parameters: JsonSchema;
  implementation: ToolImplementation;
  annotations?: ToolAnnotations;
  /** JSON Schema of `structuredContent`, for tools that promise one. */
  outputSchema?: JsonSchema;
  /**
   * For a tool of an MCP server: the server's entry without schemas, icons and `_meta`, if `title`, `description` and
   * `annotations` do not say exactly the same. Clients of the gateway get it.
   */
  listed?: Record<string, unknown>;
  tags?: string[];
  /** Overrides the global limits for this tool. */
  timeout_ms?: number;
  /** Each progress report restarts the time limit, up to this total. */
  max_total_timeout_ms?: number;
  max_stored_bytes?: number;
  max_model_chars?: number;
  /** JSON pointers of values that are stored masked, beside those that the schemas mark; `*` matches any member or item. */
  sensitive?: SensitivePaths;
  /** Calls still work; models and clients read it in the description. `readDeprecation` reads it. */
  deprecated?: DeprecatedKey;
  /** Whether it requires approval; default: the server's policy. */
  approval?: "always" | "never";
  [key: string]: unknown;
}

/** `true`, a note, or an object. `successor`: the name of a tool in the catalog. */
export type DeprecatedKey = boolean | string | { successor?: string; note?: string };

export interface SensitivePaths {
  arguments?: string[];
  results?: string[];
}

/** A JSON pointer below the root; `*` as a part matches any member or item. */
export const SENSITIVE_PATH_PATTERN = /^(?:\/(?:[^~/]|~[01])+)+$/;
export const SENSITIVE_PATH_RULE = "must be a path such as /password or /users/*/token";
export const MAX_SENSITIVE_PATHS = 200;

export type ToolImplementation =
  | { type: "mock"; mock_response: JsonValue; [key: string]: unknown }
  | { type: "builtin"; handler: string; [key: string]: unknown }
  | { type: "internal"; handler: string; [key: string]: unknown }
  | { type: "function"; [key: string]: unknown }
  /** A tool of an MCP server; `tool` is the server's name for it. */
  | { type: "mcp"; server: string; tool: string; [key: string]: unknown };

/** Types that users can create; `function` exists only in code, `mcp` on a server. */
export const CATALOGUE_IMPLEMENTATION_TYPES = ["mock", "builtin", "internal"] as const;
export const IMPLEMENTATION_TYPES = ["mock", "builtin", "internal", "function", "mcp"] as const;
export type ImplementationType = (typeof IMPLEMENTATION_TYPES)[number];

/** Hints of the Model Context Protocol: claims of the tool's author, not to be trusted. */
export interface ToolAnnotations {
  title?: string;
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

export const TOOL_NAME_PATTERN = /^[A-Za-z0-9_.-]{1,128}$/;

/** Decides who may change a tool. */
export type ToolOrigin = "console" | "config" | "code" | "server";

export const PROVIDERS = ["openai", "anthropic", "gemini", "ollama"] as const;
export type Provider = (typeof PROVIDERS)[number];

/** Whom a tool is shown to: models through their providers, and clients of the MCP gateway. */
export const TOOL_FORMATS = [...PROVIDERS, "mcp"] as const;
export type ToolFormat = (typeof TOOL_FORMATS)[number];

/** Null for a tool that runs on no MCP server. */
export function getServerName({ implementation }: ToolDefinition): string | null {
  return implementation.type === "mcp" ? implementation.server : null;
}
