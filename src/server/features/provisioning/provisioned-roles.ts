import { hasRole, type Role } from "../../../lib/contract/access";
import type { Person } from "../../../lib/contract/account";
import type { GroupRoles } from "../../../lib/contract/provisioning";

/** The role by groups; null where groups do not set roles. */
export function decideRole({ defaultRole, groups }: GroupRoles, memberOf: readonly string[]): Role | null {
  if (groups.length === 0) return null;
  const given = groups.filter(({ group }) => memberOf.includes(group)).map(({ role }) => role);
  return given.length === 0 ? defaultRole : given.reduce((most, role) => (hasRole(role, most) ? role : most));
}

/** Whether these new roles, and these users switched off, leave an admin who may sign in. */
export function leavesAdmin(
  people: readonly Pick<Person, "id" | "role" | "disabledAt">[],
  roles: ReadonlyMap<string, Role>,
) {
  return people.some(({ id, role, disabledAt }) => disabledAt === null && (roles.get(id) ?? role) === "admin");
}
