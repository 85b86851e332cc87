import { hasRole, type Principal, type Role, type TokenLimits } from "../../../lib/contract/access";
import type { AuditDoor } from "../../../lib/contract/audit";

/** The toolsets that a user's groups limit MCP clients and tokens to; null for no limit. */
export type FindGroupToolsets = (user: { id: string; role: Role }) => Promise<readonly string[] | null>;

/** Stands for the token of a limited user whose MCP client sends none: a proxy names the user, or a cookie does. */
export const NO_TOKEN: TokenLimits = {
  id: "signed-in",
  name: "No token",
  scopes: ["manage"],
  tools: null,
  servers: null,
};

/** A principal with the limits of its groups, which hold for tokens everywhere and without a token at the gateway. */
export function limitPrincipal(
  principal: Principal,
  groupToolsets: readonly string[] | null,
  door: AuditDoor,
): Principal {
  const { groupToolsets: _former, ...used } = principal.token ?? NO_TOKEN;
  const token = used.id === NO_TOKEN.id ? null : used;
  if (groupToolsets === null || hasRole(principal.role, "admin")) return { ...principal, token };
  if (token === null && door !== "gateway") return { ...principal, token };
  return { ...principal, token: { ...used, groupToolsets } };
}
