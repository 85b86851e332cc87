import { type Actor, LOCAL_OWNER } from "./actor";
import type { RequestOrigin } from "./audit";

/** From the least to the most: each role may do what the ones before it may. */
export const ROLES = ["viewer", "operator", "editor", "admin"] as const;
export type Role = (typeof ROLES)[number];

/** The uses of an API token, within the role of its owner. Each includes the ones before it. */
export const SCOPES = ["read", "run", "manage"] as const;
export type Scope = (typeof SCOPES)[number];

/**
 * - `read`: see everything - `own`: change one's own account, tokens and credentials - `run`: run and replay tools,
 * start runs, answer questions, approve - `edit`: tools, and servers that are not started by a command - `administer`:
 * users, commands of servers, model providers, settings
 */
export const PERMISSIONS = ["read", "own", "run", "edit", "administer"] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** The one table of what a role and a token's scope allow. */
export const REQUIREMENTS: Record<Permission, { role: Role; scope: Scope }> = {
  read: { role: "viewer", scope: "read" },
  own: { role: "viewer", scope: "manage" },
  run: { role: "operator", scope: "run" },
  edit: { role: "editor", scope: "manage" },
  administer: { role: "admin", scope: "manage" },
};

/** The actor of a request with its permissions. */
export interface Principal extends Actor {
  role: Role;
  /** The limits of the API token that was used; null for a user in the console. */
  token: TokenLimits | null;
  /** The origin of the request; absent for work that this server starts itself. */
  origin?: RequestOrigin;
}

export interface TokenLimits {
  id: string;
  name?: string;
  scopes: readonly Scope[];
  /** Names that the token is limited to; null for no limit. */
  tools: readonly string[] | null;
  servers: readonly string[] | null;
  /** Absent or null for no limit. */
  toolsets?: readonly string[] | null;
  /** The toolsets that the user's groups limit MCP clients and tokens to, beside the limits of the token; absent for no limit. */
  groupToolsets?: readonly string[];
}

/** The user of every request while accounts are off. */
export const LOCAL_PRINCIPAL: Principal = { ...LOCAL_OWNER, role: "admin", token: null };

export function hasRole(role: Role, least: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(least);
}

function hasScope(scopes: readonly Scope[], least: Scope): boolean {
  return scopes.some((scope) => SCOPES.indexOf(scope) >= SCOPES.indexOf(least));
}

/** Why a principal may not do something, and who may; null where it may. */
export function explainDenial(
  { role, token }: Pick<Principal, "role" | "token">,
  permission: Permission,
): string | null {
  const needed = REQUIREMENTS[permission];
  if (!hasRole(role, needed.role)) return `This needs the role ${describeRoles(needed.role)}; yours is ${role}`;
  if (token !== null && !hasScope(token.scopes, needed.scope)) {
    return `This needs a token with the scope ${needed.scope}; this one has ${token.scopes.join(", ") || "none"}`;
  }
  return null;
}

/** Saving a toolset: only admins may let calls run without an approval that they would require elsewhere. */
export function permissionForToolset({ overrides }: { overrides: readonly { approval?: string }[] }): Permission {
  return overrides.some(({ approval }) => approval === "never") ? "administer" : "edit";
}

/** `operator, editor or admin`: the roles that may do what `least` may. */
export function describeRoles(least: Role): string {
  const roles = ROLES.slice(ROLES.indexOf(least));
  return roles.length === 1 ? roles.join() : `${roles.slice(0, -1).join(", ")} or ${roles.at(-1)}`;
}

/** Tells whether a token reaches only some tools: its own limits or its user's groups can restrict it. */
export function isLimited(limits: TokenLimits): boolean {
  return limits.groupToolsets !== undefined || hasOwnLimits(limits);
}

const hasOwnLimits = ({ tools, servers, toolsets }: TokenLimits): boolean =>
  tools !== null || servers !== null || (toolsets ?? null) !== null;

const isInGroupToolsets = ({ groupToolsets }: TokenLimits, toolset: string | undefined): boolean =>
  groupToolsets === undefined || (toolset !== undefined && groupToolsets.includes(toolset));

const MAX_LISTED_ADDRESSES = 20;

/**
 * Why the user's groups do not admit an address of `/mcp`, and which they admit; null where they admit it.
 * @param toolset the toolset that the address serves; undefined for any other address
 * @param userName of a user whom another one reads about; absent in an answer to the user
 */
export function explainGroupLimit(
  limits: TokenLimits | null,
  toolset: string | undefined,
  userName?: string,
): string | null {
  const admitted = limits?.groupToolsets;
  if (limits === null || admitted === undefined || isInGroupToolsets(limits, toolset)) return null;
  const limit =
    userName === undefined
      ? "Your groups at the identity provider limit you to toolsets"
      : `The groups of ${userName} at the identity provider limit this user to toolsets`;
  if (admitted.length === 0) return `${limit}, and none is left: an admin can choose one in Settings → People`;
  const listed = admitted.slice(0, MAX_LISTED_ADDRESSES).map((name) => `/mcp/sets/${encodeURIComponent(name)}`);
  const more = admitted.length > listed.length ? ` (and ${admitted.length - listed.length} more)` : "";
  return `${limit}: use ${listed.join(" or ")}${more}`;
}

/** Why a token that is for some tools only may not do anything else. */
export function explainLimits(limits: TokenLimits): string {
  return (
    explainGroupLimit(limits, undefined) ??
    "This token is limited to tools, servers or toolsets: it can run these, and nothing else"
  );
}

/**
 * Whether the limits of a token admit a tool. `server` is null for a tool that belongs to none.
 * @param toolset through which the tool is called; a token for a toolset may call every tool of it there, and only there. So
 * may a user whose groups give toolsets.
 */
export function admitsTool(limits: TokenLimits, name: string, server: string | null, toolset?: string): boolean {
  const { tools, servers, toolsets } = limits;
  if (!isInGroupToolsets(limits, toolset)) return false;
  if (!hasOwnLimits(limits) || (toolset !== undefined && toolsets?.includes(toolset) === true)) return true;
  return tools?.includes(name) === true || (server !== null && servers?.includes(server) === true);
}
