import { createHash } from "node:crypto";
import { isPlainObject } from "../../../../lib/contract/json";
import type { SessionStore } from "../../../mcp/gateway/session-store";
import type { Database } from "../../../platform/db/database";

/** SQLite limits the parameters of one statement; the rest is deleted the next time. */
const MAX_PRUNED = 900;

/** Sessions in the database, by the hash of their id. */
export function createGatewaySessionStore({ db }: { db: Database }): SessionStore {
  const { gatewaySession } = db.prisma;
  return {
    async create({ id, clientInfo, clientCapabilities, createdAt, lastUsedAt, ...rest }) {
      const data = {
        idHash: hashId(id),
        client: JSON.stringify({ clientInfo, clientCapabilities }),
        createdAt: BigInt(createdAt),
        lastUsedAt: BigInt(lastUsedAt),
        ...rest,
      };
      await db.write(() => gatewaySession.create({ data }));
    },

    async find(id) {
      const row = await gatewaySession.findUnique({ where: { idHash: hashId(id) } });
      if (row === null) return null;
      const { address, protocol, logLevel, owner } = row;
      const { clientInfo, clientCapabilities } = parseClient(row.client);
      const times = { createdAt: Number(row.createdAt), lastUsedAt: Number(row.lastUsedAt) };
      return { id, address, protocol, clientInfo, clientCapabilities, logLevel, owner, ...times };
    },

    async markUsed(id, lastUsedAt) {
      const data = { lastUsedAt: BigInt(lastUsedAt) };
      await db.write(() => gatewaySession.updateMany({ where: { idHash: hashId(id) }, data }));
    },

    async setLogLevel(id, logLevel) {
      await db.write(() => gatewaySession.updateMany({ where: { idHash: hashId(id) }, data: { logLevel } }));
    },

    async delete(id) {
      await db.write(() => gatewaySession.deleteMany({ where: { idHash: hashId(id) } }));
    },

    async adopt(id, from, to) {
      const where = { idHash: hashId(id), owner: from };
      const { count } = await db.write(() => gatewaySession.updateMany({ where, data: { owner: to } }));
      return count === 1;
    },

    async release(owner) {
      await db.write(() => gatewaySession.updateMany({ where: { owner }, data: { owner: null } }));
    },

    async prune(unusedSince, keep) {
      const expired = { lastUsedAt: { lte: BigInt(unusedSince) } };
      if ((await gatewaySession.count({ where: expired })) > 0) {
        await db.write(() => gatewaySession.deleteMany({ where: expired }));
      }
      const surplus = (await gatewaySession.count()) - keep;
      if (surplus <= 0) return;
      const oldest = await gatewaySession.findMany({
        orderBy: { lastUsedAt: "asc" },
        take: Math.min(surplus, MAX_PRUNED),
      });
      const idHashes = oldest.map(({ idHash }) => idHash);
      await db.write(() => gatewaySession.deleteMany({ where: { idHash: { in: idHashes } } }));
    },
  };
}

const hashId = (id: string): string => createHash("sha256").update(id).digest("base64url");

function parseClient(text: string): { clientInfo?: unknown; clientCapabilities?: unknown } {
  const value: unknown = JSON.parse(text);
  return isPlainObject(value) ? value : {};
}
