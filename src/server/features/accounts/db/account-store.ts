import { roleSchema, type User } from "../../../../lib/contract/account";
import { hashSessionToken, isHashedSessionToken } from "../../../platform/auth/session-token";
import type { Database } from "../../../platform/db/database";
import type { Account, AccountLink, User as UserRow } from "../../../platform/db/generated/client";
import { change, type SqlValue } from "../../../platform/db/sql";
import type { AccountStore, StoredLink } from "../account-store";

type UserChanges = Parameters<AccountStore["updateUser"]>[1];

/** The auth library's name of the identity provider. */
const SIGN_ON = "oidc";

/** A role of a later version, or of a row edited by hand, gives the least rights. */
const storedRole = roleSchema.catch("viewer");

export function toUser(row: UserRow & { accounts?: Pick<Account, "providerId">[] }, lastSeenAt: Date | null): User {
  const { id, name, email, accounts } = row;
  const has = (provider: string): boolean => accounts?.some(({ providerId }) => providerId === provider) === true;
  return {
    id,
    name,
    email,
    role: storedRole.parse(row.role),
    disabledAt: row.disabledAt?.getTime() ?? null,
    createdAt: row.createdAt.getTime(),
    lastSeenAt: lastSeenAt?.getTime() ?? null,
    ...(accounts && {
      signIn: [...(has("credential") ? (["password"] as const) : []), ...(has(SIGN_ON) ? (["sso"] as const) : [])],
    }),
  };
}

function toLink(row: AccountLink): StoredLink {
  const { tokenHash, kind, email, role, userId, creatorId, creatorName, createdAt, expiresAt } = row;
  return {
    tokenHash,
    email,
    userId,
    kind: kind as StoredLink["kind"],
    role: role === null ? null : storedRole.parse(role),
    creator: { id: creatorId, name: creatorName },
    createdAt: Number(createdAt),
    expiresAt: Number(expiresAt),
  };
}

/** Changes of admins take turns. */
const ADMINS = "admins";
/** The last active admin must stay one: the condition is part of each statement. */
const OTHER_ADMIN = `(SELECT COUNT(*) FROM "User" WHERE "role" = 'admin' AND "disabledAt" IS NULL AND "id" <> ?
  AND "id" NOT IN (SELECT "userId" FROM "ServiceAccount")) > 0`;
const IS_NO_ADMIN = `("role" <> 'admin' OR "disabledAt" IS NOT NULL OR "id" IN (SELECT "userId" FROM "ServiceAccount"))`;

const lastSession = {
  sessions: { orderBy: { updatedAt: "desc" }, take: 1 },
  accounts: { select: { providerId: true } },
} as const;

/** Approval links that were sent stay void when the account is switched on again: the user has to confirm their channels again. */
const END_LINKS = 'DELETE FROM "ApprovalChannel" WHERE "userId" = ?';

function deleteUser(db: Database, id: string): Promise<boolean> {
  const condition = `"id" = ? AND (${IS_NO_ADMIN} OR ${OTHER_ADMIN})`;
  return db.transaction(function* () {
    const isRemoved = (yield* change(`DELETE FROM "User" WHERE ${condition}`, id, id)) > 0;
    if (isRemoved) {
      yield* change('DELETE FROM "FavoriteTool" WHERE "personId" = ?', id);
      yield* change(END_LINKS, id);
    }
    return isRemoved;
  }, ADMINS);
}

function updateUser(db: Database, id: string, changes: UserChanges): Promise<boolean> {
  const { name, role, disabledAt } = changes;
  const date = DATES[db.kind].value;
  const columns: [sql: string, value: SqlValue | undefined][] = [
    ['"name" = ?', name],
    ['"role" = ?', role],
    [`"disabledAt" = ${date}`, disabledAt],
    [`"updatedAt" = ${date}`, Date.now()],
  ];
  const set = columns.flatMap(([sql, value]) => (value === undefined ? [] : [{ sql, value }]));
  const staysAdmin = (role ?? "admin") === "admin" && (disabledAt ?? null) === null;
  const guard = staysAdmin ? "" : ` AND (${IS_NO_ADMIN} OR ${OTHER_ADMIN})`;
  const sql = `UPDATE "User" SET ${set.map((column) => column.sql).join(", ")} WHERE "id" = ?${guard}`;
  const given = [...set.map(({ value }) => value), id, ...(staysAdmin ? [] : [id])];
  return db.transaction(function* () {
    const isChanged = (yield* change(sql, ...given)) > 0;
    if (isChanged && typeof disabledAt === "number") yield* change(END_LINKS, id);
    return isChanged;
  }, ADMINS);
}

/** Dates are numbers of milliseconds on SQLite. */
export const DATES = {
  sqlite: { value: "?", lifetimeMs: '"expiresAt" - "createdAt"' },
  postgres: {
    value: "to_timestamp(CAST(? AS double precision) / 1000) AT TIME ZONE 'UTC'",
    lifetimeMs: 'EXTRACT(EPOCH FROM "expiresAt" - "createdAt") * 1000',
  },
} as const;

export function createAccountStore({ db }: { db: Database }): AccountStore {
  const { user, session, accountLink } = db.prisma;
  const withLastSeen = (row: UserRow & { sessions: { updatedAt: Date }[]; accounts: { providerId: string }[] }): User =>
    toUser(row, row.sessions[0]?.updatedAt ?? null);

  return {
    async people() {
      const orderBy = [{ createdAt: "asc" as const }, { id: "asc" as const }];
      const rows = await user.findMany({ where: { service: null }, orderBy, include: lastSession });
      return rows.map(withLastSeen);
    },

    async findUser(id) {
      const row = await user.findUnique({ where: { id }, include: lastSession });
      return row === null ? null : withLastSeen(row);
    },

    async findUserByEmail(email) {
      const include = { ...lastSession, provisioned: true };
      const row = await user.findUnique({ where: { email, service: null }, include });
      if (row === null) return null;
      return { ...withLastSeen(row), emailVerified: row.emailVerified, provisioned: row.provisioned !== null };
    },

    countAdmins: () => user.count({ where: { role: "admin", service: null } }),

    updateUser: (id, changes) => updateUser(db, id, changes),

    deleteUser: (id) => deleteUser(db, id),

    async listSeenAtProvider() {
      const rows = await db.prisma.account.findMany({ where: { providerId: SIGN_ON } });
      return rows.map(({ userId, updatedAt }) => ({ userId, seenAt: updatedAt.getTime() }));
    },

    async markSeenAtProvider(userId, at) {
      const data = { updatedAt: new Date(at) };
      await db.write(() => db.prisma.account.updateMany({ where: { userId, providerId: SIGN_ON }, data }));
    },

    async findSession(token) {
      const row = await session.findUnique({ where: { token: hashSessionToken(token) }, include: { user: true } });
      if (row === null) return null;
      return { id: row.id, expiresAt: row.expiresAt.getTime(), user: toUser(row.user, row.updatedAt) };
    },

    async sessions(userId) {
      const rows = await session.findMany({
        where: { userId, expiresAt: { gt: new Date() } },
        orderBy: { createdAt: "desc" },
      });
      return rows.map(({ id, createdAt, expiresAt, userAgent, ipAddress }) => ({
        id,
        userAgent,
        address: ipAddress,
        createdAt: createdAt.getTime(),
        expiresAt: expiresAt.getTime(),
      }));
    },

    async deleteSessions(userId, choice) {
      const which = "id" in choice ? { id: choice.id } : choice.except === null ? {} : { id: { not: choice.except } };
      return (await db.write(() => session.deleteMany({ where: { userId, ...which } }))).count;
    },

    async deleteSessionsLongerThan(ms) {
      // A day of the library is some milliseconds longer than ours.
      await db.change(`DELETE FROM "Session" WHERE ${DATES[db.kind].lifetimeMs} > ?`, ms + 60_000);
    },

    async hashSessionTokens() {
      for (const { id, token } of await session.findMany({ select: { id: true, token: true } })) {
        if (isHashedSessionToken(token)) continue;
        // Another instance of the server may have done it since.
        const data = { token: hashSessionToken(token) };
        await db.write(() => session.updateMany({ where: { id, token }, data }));
      }
    },

    async deleteExpired(now) {
      const date = { expiresAt: { lte: new Date(now) } };
      await db.write(() => session.deleteMany({ where: date }));
      await db.write(() => db.prisma.verification.deleteMany({ where: date }));
      await db.write(() => accountLink.deleteMany({ where: { expiresAt: { lte: BigInt(now) } } }));
    },

    async keepWithinLifetime(now) {
      const { value } = DATES[db.kind];
      const dates = ["Session", "OauthAccessToken", "OauthRefreshToken"].map((table) => ({ table, at: value }));
      for (const { table, at } of [{ table: "AccountLink", at: "?" }, ...dates]) {
        const sql = `UPDATE "${table}" SET "expiresAt" = "expiresAt" - ("createdAt" - ${at}), "createdAt" = ${at}
          WHERE "createdAt" > ${at}`;
        await db.change(sql, now, now, now);
      }
      await db.change('UPDATE "ApiToken" SET "createdAt" = ? WHERE "createdAt" > ?', now, now);
    },

    async createLink({ creator, createdAt, expiresAt, ...link }) {
      const times = { createdAt: BigInt(createdAt), expiresAt: BigInt(expiresAt) };
      const data = { ...link, ...times, creatorId: creator.id, creatorName: creator.name };
      await db.write(() => accountLink.create({ data }));
    },

    async findLink(tokenHash) {
      const row = await accountLink.findUnique({ where: { tokenHash } });
      return row === null ? null : toLink(row);
    },

    takeLink: (tokenHash) => db.write(async () => (await accountLink.deleteMany({ where: { tokenHash } })).count === 1),

    async links(kind) {
      const rows = await accountLink.findMany({
        where: { kind, expiresAt: { gt: BigInt(Date.now()) } },
        orderBy: { createdAt: "desc" },
      });
      return rows.map(toLink).map(({ tokenHash, creator, userId: _userId, ...link }) => ({
        ...link,
        id: tokenHash,
        creatorName: creator.name,
      }));
    },

    async deleteLinks(which) {
      await db.write(() => accountLink.deleteMany({ where: which }));
    },
  };
}
