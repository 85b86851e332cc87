import type { ProvisionedGroup, ProvisionedUser } from "./provisioning-store";
import { GROUP_SCHEMA, USER_SCHEMA } from "./scim-discovery";
import { toVersion } from "./scim-version";

const meta = (resourceType: string, location: string, times: { createdAt: number; updatedAt: number }) => ({
  resourceType,
  created: new Date(times.createdAt).toISOString(),
  lastModified: new Date(times.updatedAt).toISOString(),
  location,
});

export const readUserVersion = ({ user, attributes, groups, updatedAt }: ProvisionedUser): string =>
  toVersion([user.id, attributes, user.disabledAt === null, groups, updatedAt]);

/** Of a group with its members. */
export const readGroupVersion = ({ id, displayName, externalId, members, updatedAt }: ProvisionedGroup): string =>
  toVersion([id, displayName, externalId, members, updatedAt]);

export function toUserResource(user: ProvisionedUser, base: string) {
  const { user: account, attributes, groups, ...times } = user;
  return {
    schemas: [USER_SCHEMA],
    id: account.id,
    ...attributes,
    active: account.disabledAt === null,
    groups: groups.map(({ id, name }) => ({ value: id, display: name, $ref: `${base}/Groups/${id}` })),
    meta: { ...meta("User", `${base}/Users/${account.id}`, times), version: readUserVersion(user) },
  };
}

/** @param isBrief leaves the members out, and with them the version, which covers them */
export function toGroupResource(group: ProvisionedGroup, base: string, isBrief: boolean) {
  const { id, displayName, externalId, members, ...times } = group;
  const shown = members.map((member) => ({
    value: member.id,
    display: member.name,
    $ref: `${base}/Users/${member.id}`,
    type: "User",
  }));
  return {
    schemas: [GROUP_SCHEMA],
    id,
    displayName,
    ...(externalId !== null && { externalId }),
    ...(!isBrief && { members: shown }),
    meta: {
      ...meta("Group", `${base}/Groups/${id}`, times),
      ...(!isBrief && { version: readGroupVersion(group) }),
    },
  };
}
