import type { Database } from "../../../platform/db/database";
import type { ApiToken, ServiceAccount, User } from "../../../platform/db/generated/client";
import { change } from "../../../platform/db/sql";
import type { ServiceAccountStore, StoredServiceAccount } from "../service-account-store";
import { DATES, toUser } from "./account-store";

/** A domain that receives no mail, and that no identity provider vouches for. */
const MAIL_DOMAIN = "service-accounts.invalid";

const parts = { user: { include: { tokens: { where: { revokedAt: null } } } } } as const;

function toAccount({ user, about, ownerId }: ServiceAccount & { user: User & { tokens: ApiToken[] } }) {
  const { id, name, role, disabledAt, createdAt } = toUser(user, null);
  const uses = user.tokens.flatMap(({ lastUsedAt }) => (lastUsedAt === null ? [] : [Number(lastUsedAt)]));
  return {
    id,
    name,
    about,
    role,
    ownerId,
    disabledAt,
    createdAt,
    tokens: user.tokens.length,
    lastUsedAt: uses.length === 0 ? null : Math.max(...uses),
  } satisfies StoredServiceAccount;
}

export function createServiceAccountStore({ db }: { db: Database }): ServiceAccountStore {
  const { serviceAccount } = db.prisma;
  return {
    async list() {
      const orderBy = [{ user: { name: "asc" as const } }, { userId: "asc" as const }];
      return (await serviceAccount.findMany({ include: parts, orderBy })).map(toAccount);
    },

    async find(id) {
      const row = await serviceAccount.findUnique({ where: { userId: id }, include: parts });
      return row === null ? null : toAccount(row);
    },

    async create({ id, name, about, role, ownerId, createdAt }) {
      const { value } = DATES[db.kind];
      const user = `INSERT INTO "User" ("id", "name", "email", "role", "createdAt", "updatedAt")
        VALUES (?, ?, ?, ?, ${value}, ${value})`;
      await db.transaction(function* () {
        yield* change(user, id, name, `${id.toLowerCase()}@${MAIL_DOMAIN}`, role, createdAt, createdAt);
        yield* change(
          'INSERT INTO "ServiceAccount" ("userId", "about", "ownerId") VALUES (?, ?, ?)',
          id,
          about,
          ownerId,
        );
      });
    },

    async update(id, { about, ownerId }) {
      const data = { ...(about !== undefined && { about }), ...(ownerId !== undefined && { ownerId }) };
      await db.write(() => serviceAccount.updateMany({ where: { userId: id }, data }));
    },
  };
}
