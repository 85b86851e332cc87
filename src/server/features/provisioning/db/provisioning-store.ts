import type { Database } from "../../../platform/db/database";
import type { ScimGroup, ScimMember, ScimUser, User } from "../../../platform/db/generated/client";
import { AMONG, change } from "../../../platform/db/sql";
import { isUniqueViolation } from "../../../platform/db/storage-error";
import { toUser } from "../../accounts/db/account-store";
import type { ProvisionedGroup, ProvisionedUser, ProvisioningStore, StoredUser } from "../provisioning-store";

const toKey = (name: string): string => name.toLowerCase();

const userParts = { user: { include: { groups: { include: { group: true } } } } } as const;

type UserRow = ScimUser & { user: User & { groups: (ScimMember & { group: ScimGroup })[] } };

function toProvisionedUser({ user, attributes, createdAt, updatedAt }: UserRow): StoredUser {
  const { id, name, email, role, disabledAt } = toUser(user, null);
  return {
    user: { id, name, email, role, disabledAt },
    attributes,
    groups: user.groups.map(({ group }) => ({ id: group.id, name: group.displayName })),
    createdAt: Number(createdAt),
    updatedAt: Number(updatedAt),
  };
}

function toGroup(row: ScimGroup & { members?: (ScimMember & { user: User })[] }): ProvisionedGroup {
  const { id, displayName, externalId, members = [], createdAt, updatedAt } = row;
  return {
    id,
    displayName,
    externalId,
    members: members.map(({ user }) => ({ id: user.id, name: user.name })),
    createdAt: Number(createdAt),
    updatedAt: Number(updatedAt),
  };
}

/** @returns false where a unique name is taken */
async function isWritten(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (isUniqueViolation(error)) return false;
    throw error;
  }
}

export function createProvisioningStore({ db }: { db: Database }): ProvisioningStore {
  const { scimUser, scimGroup, scimMember, user } = db.prisma;
  const toColumns = (attributes: ProvisionedUser["attributes"], at: number) => ({
    nameKey: toKey(attributes.userName),
    externalId: attributes.externalId ?? null,
    attributes: JSON.stringify(attributes),
    updatedAt: BigInt(at),
  });
  const memberParts = { members: { include: { user: true }, orderBy: { userId: "asc" } } } as const;

  return {
    async listUsers({ id, nameKey, externalId, email, name }, { skip, take }) {
      const account = { ...(email !== undefined && { email }), ...(name !== undefined && { name }) };
      const where = {
        ...(id !== undefined && { userId: id }),
        ...(nameKey !== undefined && { nameKey }),
        ...(externalId !== undefined && { externalId }),
        ...(Object.keys(account).length > 0 && { user: account }),
      };
      const orderBy = [{ createdAt: "asc" as const }, { userId: "asc" as const }];
      const total = await scimUser.count({ where });
      const rows = take === 0 ? [] : await scimUser.findMany({ where, orderBy, skip, take, include: userParts });
      return { total, users: rows.map(toProvisionedUser) };
    },

    async findUser(id) {
      const row = await scimUser.findUnique({ where: { userId: id }, include: userParts });
      return row === null ? null : toProvisionedUser(row);
    },

    async createUser(userId, attributes, at) {
      const data = { userId, ...toColumns(attributes, at), createdAt: BigInt(at) };
      return await isWritten(db.write(() => scimUser.create({ data })));
    },

    async updateUser(userId, attributes, at) {
      const data = toColumns(attributes, at);
      return await isWritten(db.write(() => scimUser.updateMany({ where: { userId }, data })));
    },

    async setAddress(userId, email) {
      const isTaken = (await user.findFirst({ where: { email, id: { not: userId } } })) !== null;
      if (isTaken) return false;
      return await isWritten(db.write(() => user.updateMany({ where: { id: userId }, data: { email } })));
    },

    async listGroups({ id, nameKey, externalId, memberId }, { skip, take, members }) {
      const where = {
        ...(id !== undefined && { id }),
        ...(nameKey !== undefined && { nameKey }),
        ...(externalId !== undefined && { externalId }),
        ...(memberId !== undefined && { members: { some: { userId: memberId } } }),
      };
      const orderBy = [{ createdAt: "asc" as const }, { id: "asc" as const }];
      const total = await scimGroup.count({ where });
      if (take === 0) return { total, groups: [] };
      const rows = members
        ? await scimGroup.findMany({ where, orderBy, skip, take, include: memberParts })
        : await scimGroup.findMany({ where, orderBy, skip, take });
      return { total, groups: rows.map(toGroup) };
    },

    async findGroup(id) {
      const row = await scimGroup.findUnique({ where: { id }, include: memberParts });
      return row === null ? null : toGroup(row);
    },

    async count() {
      const rows = await scimGroup.findMany({
        orderBy: { nameKey: "asc" },
        include: { _count: { select: { members: true } } },
      });
      const groups = rows.map(({ displayName, _count }) => ({ name: displayName, members: _count.members }));
      return { users: await scimUser.count(), groups };
    },

    async findKnown(userIds) {
      const sql = `SELECT "userId" FROM "ScimUser" WHERE "userId" ${AMONG}`;
      return new Set((await db.rows<{ userId: string }>(sql, userIds)).map(({ userId }) => userId));
    },

    async createGroup({ id, displayName, externalId, at }) {
      const times = { createdAt: BigInt(at), updatedAt: BigInt(at) };
      const data = { id, displayName, nameKey: toKey(displayName), externalId, ...times };
      return await isWritten(db.write(() => scimGroup.create({ data })));
    },

    async updateGroup({ id, displayName, externalId, at }) {
      const data = { displayName, nameKey: toKey(displayName), externalId, updatedAt: BigInt(at) };
      return await isWritten(db.write(() => scimGroup.updateMany({ where: { id }, data })));
    },

    async changeMembers(groupId, { added, removed }) {
      await db.transaction(function* () {
        yield* change(`DELETE FROM "ScimMember" WHERE "groupId" = ? AND "userId" ${AMONG}`, groupId, removed);
        yield* change(
          `INSERT INTO "ScimMember" ("groupId", "userId") SELECT g."id", u."userId" FROM "ScimGroup" g, "ScimUser" u
            WHERE g."id" = ? AND u."userId" ${AMONG} ON CONFLICT DO NOTHING`,
          groupId,
          added,
        );
      });
    },

    deleteGroup: (id) => db.write(async () => (await scimGroup.deleteMany({ where: { id } })).count === 1),

    async listMemberships(userIds) {
      const rows = await scimMember.findMany({
        where: userIds === null ? {} : { userId: { in: [...userIds] } },
        include: { group: true },
      });
      const names = new Map<string, string[]>();
      for (const { userId, group } of rows) names.set(userId, [...(names.get(userId) ?? []), group.displayName]);
      return names;
    },
  };
}
