import type { ToolDefinition } from "./tool-definition-schema";

export type {
  DeprecatedKey,
  ToolAnnotations,
  ToolDefinition,
  ToolOrigin,
} from "./tool-definition-schema";

/** Separates a server and its tool in the names of the catalog; the first one splits. */
export const TOOL_SEPARATOR = "__";

/** A JSON pointer below the root; `*` as a part matches any member or item. */
export const SENSITIVE_PATH_PATTERN = /^(?:\/(?:[^~/]|~[01])+)+$/;

export const SENSITIVE_PATH_RULE = "must be a path such as /password or /users/*/token";

export const MAX_SENSITIVE_PATHS = 200;

/** Types that users can create; `function` exists only in code, `mcp` on a server. */
export const CATALOG_IMPLEMENTATION_TYPES = ["mock", "builtin", "internal"] as const;

export const IMPLEMENTATION_TYPES = ["mock", "builtin", "internal", "function", "mcp"] as const;

export type ImplementationType = (typeof IMPLEMENTATION_TYPES)[number];

export const TOOL_NAME_PATTERN = /^[A-Za-z0-9_.-]{1,128}$/;

export const PROVIDERS = ["openai", "anthropic", "gemini", "ollama"] as const;

export type Provider = (typeof PROVIDERS)[number];

/** A tool as models get it through their providers, as OpenAI's strict mode takes it, and as clients of the MCP gateway get it. */
export const TOOL_FORMATS = ["openai", "openai-strict", "anthropic", "gemini", "ollama", "mcp"] as const;

export type ToolFormat = (typeof TOOL_FORMATS)[number];

/** Null for a tool that runs on no MCP server. */
export function getServerName({ implementation }: ToolDefinition): string | null {
  return implementation.type === "mcp" ? implementation.server : null;
}
