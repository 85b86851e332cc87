import { z } from "zod";
import { leftOutSchema, servedToolSchema } from "../../../../lib/contract/client";
import type { Database } from "../../../platform/db/database";
import { AMONG, change, type SqlValue, type Steps, selectRows } from "../../../platform/db/sql";
import type { ClientStore, RecordedAccess, SessionUpdate, StoredClientSession, StoredListing } from "../client-store";

const contentSchema = z.object({
  tools: z.array(servedToolSchema),
  leftOut: z.array(leftOutSchema),
  leftOutCount: z.number(),
});

const COLUMNS =
  '"id", "clientId", "name", "version", "era", "protocol", "address", "access", "actorId", "actorName", "tokenId", "tokenName", "startedAt", "seenAt", "endedAt", "noticedAt", "notices"';
const SAVE_SESSION = `INSERT INTO "ClientSession" (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT ("id") DO UPDATE SET "protocol" = excluded."protocol", "access" = excluded."access", "actorName" = excluded."actorName",
    "seenAt" = CASE WHEN excluded."seenAt" > "ClientSession"."seenAt" THEN excluded."seenAt" ELSE "ClientSession"."seenAt" END,
    "endedAt" = COALESCE(excluded."endedAt", "ClientSession"."endedAt"),
    "noticedAt" = CASE WHEN "ClientSession"."noticedAt" IS NULL OR excluded."noticedAt" > "ClientSession"."noticedAt"
      THEN excluded."noticedAt" ELSE "ClientSession"."noticedAt" END,
    "notices" = "ClientSession"."notices" + excluded."notices"`;
const SAVE_LISTING = `INSERT INTO "ClientListing" ("sessionId", "hash", "firstAt", "lastAt", "count") VALUES (?, ?, ?, ?, ?)
  ON CONFLICT ("sessionId", "hash") DO UPDATE SET "count" = "ClientListing"."count" + excluded."count",
    "firstAt" = CASE WHEN excluded."firstAt" < "ClientListing"."firstAt" THEN excluded."firstAt" ELSE "ClientListing"."firstAt" END,
    "lastAt" = CASE WHEN excluded."lastAt" > "ClientListing"."lastAt" THEN excluded."lastAt" ELSE "ClientListing"."lastAt" END`;
const SELECT = `SELECT ${COLUMNS} FROM "ClientSession"`;

interface SessionRow {
  id: string;
  clientId: string;
  name: string;
  version: string;
  era: string;
  protocol: string;
  address: string;
  access: string;
  actorId: string;
  actorName: string;
  tokenId: string | null;
  tokenName: string | null;
  startedAt: number | bigint;
  seenAt: number | bigint;
  endedAt: number | bigint | null;
  noticedAt: number | bigint | null;
  notices: number | bigint;
}

const toTime = (value: number | bigint | null): number | null => (value === null ? null : Number(value));

function toSession(row: SessionRow): StoredClientSession {
  const { id, clientId, name, version, protocol, address, tokenId } = row;
  return {
    ...{ id, clientId, name, version, protocol, address },
    era: row.era === "session" ? "session" : "stateless",
    access: JSON.parse(row.access) as RecordedAccess,
    actor: { id: row.actorId, name: row.actorName },
    token: tokenId === null ? null : { id: tokenId, name: row.tokenName ?? tokenId },
    ...{ startedAt: Number(row.startedAt), seenAt: Number(row.seenAt), endedAt: toTime(row.endedAt) },
    ...{ noticedAt: toTime(row.noticedAt), notices: Number(row.notices) },
  };
}

function toValues({ session }: SessionUpdate): SqlValue[] {
  const { id, clientId, name, version, era, protocol, address, access, actor, token } = session;
  return [
    ...[id, clientId, name, version, era, protocol, address, JSON.stringify(access), actor.id, actor.name],
    ...[token?.id ?? null, token?.name ?? null, session.startedAt, session.seenAt, session.endedAt],
    ...[session.noticedAt, session.notices],
  ];
}

function* saveUpdates(updates: readonly SessionUpdate[]): Steps<void> {
  for (const update of updates) {
    yield* change(SAVE_SESSION, ...toValues(update));
    for (const { hash, firstAt, lastAt, count } of update.listings) {
      yield* change(SAVE_LISTING, update.session.id, hash, firstAt, lastAt, count);
    }
  }
}

function* prune(seenBefore: number, keep: number, listsBefore: number): Steps<number> {
  let deleted = yield* change('DELETE FROM "ClientSession" WHERE "seenAt" < ?', seenBefore);
  const [beyond] = yield* selectRows<{ seenAt: number | bigint }>(
    'SELECT "seenAt" FROM "ClientSession" ORDER BY "seenAt" DESC LIMIT 1 OFFSET ?',
    keep,
  );
  if (beyond !== undefined) {
    deleted += yield* change('DELETE FROM "ClientSession" WHERE "seenAt" <= ?', Number(beyond.seenAt));
  }
  if (deleted > 0) {
    yield* change('DELETE FROM "ClientListing" WHERE "sessionId" NOT IN (SELECT "id" FROM "ClientSession")');
  }
  yield* change(
    'DELETE FROM "ServedList" WHERE "at" < ? AND "hash" NOT IN (SELECT "hash" FROM "ClientListing")',
    listsBefore,
  );
  return deleted;
}

/** Many clients may be new at once: a transaction writes this many sessions. */
const AT_ONCE = 100;

export function createClientStore(db: Database): ClientStore {
  return {
    async save(updates) {
      for (let at = 0; at < updates.length; at += AT_ONCE) {
        await db.transaction(() => saveUpdates(updates.slice(at, at + AT_ONCE)));
      }
    },
    async findLists(hashes, at) {
      await db.change(`UPDATE "ServedList" SET "at" = ? WHERE "hash" ${AMONG}`, at, hashes);
      const rows = await db.rows<{ hash: string }>(`SELECT "hash" FROM "ServedList" WHERE "hash" ${AMONG}`, hashes);
      return new Set(rows.map(({ hash }) => hash));
    },
    async saveList(hash, content, at) {
      await db.change(
        'INSERT INTO "ServedList" ("hash", "content", "tools", "at") VALUES (?, ?, ?, ?) ON CONFLICT ("hash") DO NOTHING',
        ...[hash, JSON.stringify(content), content.tools.length, at],
      );
    },
    async readList(hash) {
      const row = await db.row<{ content: string }>('SELECT "content" FROM "ServedList" WHERE "hash" = ?', hash);
      return row === undefined ? null : contentSchema.parse(JSON.parse(row.content));
    },
    list: async (limit) =>
      (await db.rows<SessionRow>(`${SELECT} ORDER BY "seenAt" DESC, "id" LIMIT ?`, limit)).map(toSession),
    ofClient: async (clientId, limit) =>
      (
        await db.rows<SessionRow>(
          `${SELECT} WHERE "clientId" = ? ORDER BY "seenAt" DESC, "id" LIMIT ?`,
          clientId,
          limit,
        )
      ).map(toSession),
    async listings(sessionIds) {
      const rows = await db.rows<Record<keyof StoredListing, string | number | bigint>>(
        `SELECT l."sessionId", l."hash", l."firstAt", l."lastAt", l."count", COALESCE(s."tools", 0) AS "tools"
         FROM "ClientListing" l LEFT JOIN "ServedList" s ON s."hash" = l."hash"
         WHERE l."sessionId" ${AMONG} ORDER BY l."lastAt" DESC`,
        sessionIds,
      );
      return rows.map((row) => ({
        ...{ sessionId: String(row.sessionId), hash: String(row.hash), tools: Number(row.tools) },
        ...{ firstAt: Number(row.firstAt), lastAt: Number(row.lastAt), count: Number(row.count) },
      }));
    },
    prune: (seenBefore, keep, listsBefore) => db.transaction(() => prune(seenBefore, keep, listsBefore)),
  };
}
