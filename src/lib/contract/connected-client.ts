import type { Scope } from "./access";

/** The scopes that an MCP client asks for, and what each allows. */
export const MCP_SCOPES = { "mcp:read": "read", "mcp:run": "run" } as const satisfies Record<string, Scope>;
export type McpScope = keyof typeof MCP_SCOPES;

export const isMcpScope = (scope: string): scope is McpScope => Object.hasOwn(MCP_SCOPES, scope);

/** Others, such as `offline_access`, allow nothing here. */
export function readMcpScopes(scopes: readonly string[]): Scope[] {
  return Object.entries(MCP_SCOPES).flatMap(([name, scope]) => (scopes.includes(name) ? [scope] : []));
}

/** A program that a person allowed to use `/mcp` in the person's name. Times are epoch milliseconds. */
export interface ConnectedClient {
  id: string;
  /** Chosen by the program, untrusted. */
  name: string;
  /** Where the program receives its sign-in, such as `claude.ai`, `localhost` or `cursor://anysphere.cursor-mcp`. */
  hosts: string[];
  scopes: Scope[];
  connectedAt: number;
  /** When it last got a token, which it does every ten minutes while it is used. */
  lastSeenAt: number;
}

/** The facts that the consent page shows of the requesting program. */
export interface ConsentRequest {
  clientName: string;
  /** The host and port that receive the sign-in. */
  host: string;
  /** It is this machine: any program on it may receive the sign-in. */
  loopback: boolean;
  /** The scheme by which a program of the user's machine receives the sign-in, such as `cursor:`; null for http and https. */
  scheme: string | null;
  /** The whole address, as the program registered it. */
  redirect: string;
  scopes: McpScope[];
  /** The server that the token is for; null for all. */
  server: string | null;
  /** The person's earlier consent, and which parts of this request it does not cover; null for none. */
  before: { allowedAt: number; changed: Record<"scopes" | "tools" | "address", boolean> } | null;
}
