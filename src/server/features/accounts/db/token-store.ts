import { z } from "zod";
import { type ApiToken, scopeSchema } from "../../../../lib/contract/account";
import type { Database } from "../../../platform/db/database";
import type { ApiToken as TokenRow } from "../../../platform/db/generated/client";
import type { TokenStore } from "../token-store";
import { toUser } from "./account-store";

const storedScopes = z.array(scopeSchema).catch([]);
/** Limits that cannot be read must not turn into no limits. */
const storedNames = z.array(z.string()).catch([]);

const readNames = (text: string | null): string[] | null => (text === null ? null : storedNames.parse(parsed(text)));

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function toToken(row: TokenRow, ownerName: string): ApiToken {
  const { id, name, ownerId, start, scopes, tools, servers, toolsets, createdAt, expiresAt, lastUsedAt } = row;
  return {
    id,
    name,
    ownerId,
    ownerName,
    start,
    scopes: storedScopes.parse(parsed(scopes)),
    tools: readNames(tools),
    servers: readNames(servers),
    ...(toolsets === null ? {} : { toolsets: readNames(toolsets) }),
    createdAt: Number(createdAt),
    expiresAt: expiresAt === null ? null : Number(expiresAt),
    lastUsedAt: lastUsedAt === null ? null : Number(lastUsedAt),
  };
}

export function createTokenStore({ db }: { db: Database }): TokenStore {
  const { apiToken } = db.prisma;
  return {
    async list(ownerId) {
      const rows = await apiToken.findMany({
        where: { revokedAt: null, ...(ownerId === null ? {} : { ownerId }) },
        orderBy: { createdAt: "desc" },
        include: { owner: true },
      });
      return rows.map((row) => toToken(row, row.owner.name));
    },

    async create(
      { ownerName: _ownerName, scopes, tools, servers, toolsets = null, createdAt, expiresAt, lastUsedAt: _, ...token },
      hash,
    ) {
      const data = {
        ...token,
        hash,
        scopes: JSON.stringify(scopes),
        tools: tools === null ? null : JSON.stringify(tools),
        servers: servers === null ? null : JSON.stringify(servers),
        toolsets: toolsets === null ? null : JSON.stringify(toolsets),
        createdAt: BigInt(createdAt),
        expiresAt: expiresAt === null ? null : BigInt(expiresAt),
      };
      await db.write(() => apiToken.create({ data }));
    },

    async findByHash(hash) {
      const row = await apiToken.findUnique({ where: { hash }, include: { owner: true } });
      if (row === null) return null;
      const revokedAt = row.revokedAt === null ? null : Number(row.revokedAt);
      return { token: toToken(row, row.owner.name), owner: toUser(row.owner, null), revokedAt };
    },

    revoke(id, ownerId, at) {
      const where = { id, revokedAt: null, ...(ownerId === null ? {} : { ownerId }) };
      return db.write(async () => {
        const { count } = await apiToken.updateMany({ where, data: { revokedAt: BigInt(at) } });
        return count === 0 ? null : ((await apiToken.findUnique({ where: { id } }))?.ownerId ?? null);
      });
    },

    async revokeAll(ownerId, at) {
      const where = { ownerId, revokedAt: null };
      return (await db.write(() => apiToken.updateMany({ where, data: { revokedAt: BigInt(at) } }))).count;
    },

    async markUsed(id, at) {
      await db.write(() => apiToken.updateMany({ where: { id }, data: { lastUsedAt: BigInt(at) } }));
    },
  };
}
