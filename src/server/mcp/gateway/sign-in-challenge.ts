import { explainDenial, type Permission, type Principal } from "../../../lib/contract/access";
import { MCP_SCOPES } from "../../../lib/contract/connected-client";

export interface Challenge {
  error?: "invalid_token" | "insufficient_scope";
  scope?: string;
  /** Where the client reads how to sign in; null where it cannot. */
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

/** What a client asks for when it signs in: to step up later, it would have to bother the person a second time. */
export const SIGN_IN_SCOPES = Object.keys(MCP_SCOPES).join(" ");

/**
 * What a client is told that may not do something.
 * @param metadata null where clients cannot sign in: tokens are created in the console then, with scopes of its own
 */
export function denialChallenge(
  { role }: Principal,
  permission: Extract<Permission, "read" | "run">,
  metadata: string | null,
): Challenge {
  if (metadata === null) return { error: "insufficient_scope", scope: permission, metadata };
  // Signing in again would change nothing for a person whose role does not allow it.
  if (explainDenial({ role, token: null }, permission) !== null) return { metadata };
  return { error: "insufficient_scope", scope: permission === "run" ? SIGN_IN_SCOPES : "mcp:read", metadata };
}
