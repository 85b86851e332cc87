import type { ServerResponse } from "node:http";
import { explainDenial, type Permission, type Principal } from "../../../lib/contract/access";
import { MCP_SCOPES } from "../../../lib/contract/connected-client";

/** JSON-RPC has no codes of its own for what goes wrong before a message is understood; servers use this one. */
const HTTP_ERROR = -32_000;
export const SESSION_NOT_FOUND = -32_001;

/** An error that both HTTP and JSON-RPC report. */
export function rejectRequest(
  response: ServerResponse,
  status: number,
  message: string,
  options: { code?: number; id?: unknown; headers?: Record<string, string> } = {},
): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { code = HTTP_ERROR, id = null, headers = {} } = options;
  const body = JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } });
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store", ...headers });
  response.end(body);
}

export interface Challenge {
  error?: "invalid_token" | "insufficient_scope";
  scope?: string;
  /** The address of the sign-in description; null where the client cannot sign in. */
  metadata: string | null;
}

/** The `WWW-Authenticate` header: RFC 6750, section 3, and RFC 9728, section 5.1. */
export function challengeHeader({ error, scope, metadata }: Challenge): Record<string, string> {
  const details = [
    ...(error === undefined ? [] : [`error="${error}"`]),
    ...(scope === undefined ? [] : [`scope="${scope}"`]),
    ...(metadata === null ? [] : [`resource_metadata="${metadata}"`]),
  ];
  return { "www-authenticate": ['Bearer realm="toolroom"', ...details].join(", ") };
}

/** The scopes that a client requests when it signs in: to step up later, it would have to ask the user a second time. */
export const SIGN_IN_SCOPES = Object.keys(MCP_SCOPES).join(" ");

/**
 * The response to a client without permission.
 * @param metadata null where clients cannot sign in: tokens are created in the console then, with scopes of its own
 */
export function denialChallenge(
  { role }: Principal,
  permission: Extract<Permission, "read" | "run">,
  metadata: string | null,
): Challenge {
  if (metadata === null) return { error: "insufficient_scope", scope: permission, metadata };
  // Signing in again would change nothing for a user whose role does not allow it.
  if (explainDenial({ role, token: null }, permission) !== null) return { metadata };
  return { error: "insufficient_scope", scope: permission === "run" ? SIGN_IN_SCOPES : "mcp:read", metadata };
}
