import { hasRole, type Role } from "../../../lib/contract/access";
import type { User } from "../../../lib/contract/account";
import type { GroupRole, GroupRoles } from "../../../lib/contract/provisioning";

/** The role by groups; null where groups do not set roles. */
export function decideRole({ defaultRole, groups }: GroupRoles, memberOf: readonly string[]): Role | null {
  const giving = groups.flatMap(({ group, role }) => (role === null ? [] : { group, role }));
  if (giving.length === 0) return null;
  const given = giving.filter(({ group }) => memberOf.includes(group)).map(({ role }) => role);
  return given.length === 0 ? defaultRole : given.reduce((most, role) => (hasRole(role, most) ? role : most));
}

/**
 * The toolsets that a user's groups give, sorted; null where none of them limits its members.
 * @param limits null where they cannot be read, which gives no toolset to members of any group
 */
export function decideToolsets(limits: readonly GroupRole[] | null, memberOf: readonly string[]): string[] | null {
  if (limits === null) return memberOf.length === 0 ? null : [];
  const given = limits.flatMap(({ group, toolsets }) =>
    toolsets !== undefined && memberOf.includes(group) ? [toolsets] : [],
  );
  return given.length === 0 ? null : [...new Set(given.flat())].sort();
}

/** Whether these new roles, and these users switched off, leave an admin who may sign in. */
export function leavesAdmin(
  users: readonly Pick<User, "id" | "role" | "disabledAt">[],
  roles: ReadonlyMap<string, Role>,
) {
  return users.some(({ id, role, disabledAt }) => disabledAt === null && (roles.get(id) ?? role) === "admin");
}
