import type { Scope } from "./access";

/** The scopes that an MCP client asks for, and what each allows. */
export const MCP_SCOPES = { "mcp:read": "read", "mcp:run": "run" } as const satisfies Record<string, Scope>;
export type McpScope = keyof typeof MCP_SCOPES;

export const isMcpScope = (scope: string): scope is McpScope => Object.hasOwn(MCP_SCOPES, scope);

/** Other scopes, such as `offline_access`, allow nothing here. */
export function readMcpScopes(scopes: readonly string[]): Scope[] {
  return Object.entries(MCP_SCOPES).flatMap(([name, scope]) => (scopes.includes(name) ? [scope] : []));
}
