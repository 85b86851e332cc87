import { z } from "zod";
import { leftOutSchema, servedToolSchema } from "../../../../lib/contract/client";
import type { Database } from "../../../platform/db/database";
import { AMONG, change, type SqlValue, type Steps, selectRow, selectRows } from "../../../platform/db/sql";
import type { ClientStore, RecordedAccess, SessionUpdate, StoredClientSession, StoredListing } from "../client-store";

const contentSchema = z.object({
  tools: z.array(servedToolSchema),
  leftOut: z.array(leftOutSchema),
  leftOutCount: z.number(),
});

const COLUMNS =
  '"id", "clientId", "name", "version", "era", "protocol", "address", "access", "actorId", "actorName", "tokenId", "tokenName", "startedAt", "seenAt", "endedAt", "noticedAt", "notices"';
const VALUES = "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?";
const UPDATE = `ON CONFLICT ("id") DO UPDATE SET "protocol" = excluded."protocol", "access" = excluded."access", "actorName" = excluded."actorName",
    "seenAt" = CASE WHEN excluded."seenAt" > "ClientSession"."seenAt" THEN excluded."seenAt" ELSE "ClientSession"."seenAt" END,
    "endedAt" = COALESCE(excluded."endedAt", "ClientSession"."endedAt"),
    "noticedAt" = CASE WHEN "ClientSession"."noticedAt" IS NULL OR excluded."noticedAt" > "ClientSession"."noticedAt"
      THEN excluded."noticedAt" ELSE "ClientSession"."noticedAt" END,
    "notices" = "ClientSession"."notices" + excluded."notices"`;
const SAVE_SESSION = `INSERT INTO "ClientSession" (${COLUMNS}) VALUES ${VALUES}) ${UPDATE}`;
const IS_FIRST = `COALESCE("ClientSession"."listHash", excluded."listHash") = excluded."listHash"`;
const keepTime = (name: "listFirstAt" | "listLastAt", sign: "<" | ">"): string =>
  `"${name}" = CASE WHEN ${IS_FIRST} AND ("ClientSession"."${name}" IS NULL OR excluded."${name}" ${sign} "ClientSession"."${name}")
      THEN excluded."${name}" ELSE "ClientSession"."${name}" END`;
/** With a list, which the row keeps if it is the session's first one: a row of its own costs as much as the session's. */
const SAVE_LISTED = `INSERT INTO "ClientSession" (${COLUMNS}, "listHash", "listFirstAt", "listLastAt", "listCount") VALUES ${VALUES}, ?, ?, ?, ?)
  ${UPDATE}, ${keepTime("listFirstAt", "<")}, ${keepTime("listLastAt", ">")},
    "listCount" = "ClientSession"."listCount" + CASE WHEN ${IS_FIRST} THEN excluded."listCount" ELSE 0 END,
    "listHash" = COALESCE("ClientSession"."listHash", excluded."listHash")
  RETURNING "listHash"`;
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

function toValues(session: StoredClientSession): SqlValue[] {
  const { id, clientId, name, version, era, protocol, address, access, actor, token } = session;
  return [
    ...[id, clientId, name, version, era, protocol, address, JSON.stringify(access), actor.id, actor.name],
    ...[token?.id ?? null, token?.name ?? null, session.startedAt, session.seenAt, session.endedAt],
    ...[session.noticedAt, session.notices],
  ];
}

function* saveUpdates(updates: readonly SessionUpdate[]): Steps<void> {
  for (const { session, listings } of updates) {
    const [first, ...others] = listings;
    if (first === undefined) {
      yield* change(SAVE_SESSION, ...toValues(session));
      continue;
    }
    const values = [...toValues(session), ...toListValues(first)];
    const kept = yield* selectRow<{ listHash: string }>(SAVE_LISTED, ...values);
    for (const listing of kept?.listHash === first.hash ? others : listings) {
      yield* change(SAVE_LISTING, session.id, ...toListValues(listing));
    }
  }
}

const toListValues = ({ hash, firstAt, lastAt, count }: SessionUpdate["listings"][number]) => [
  hash,
  firstAt,
  lastAt,
  count,
];

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
    `DELETE FROM "ServedList" WHERE "at" < ? AND "hash" NOT IN (SELECT "hash" FROM "ClientListing")
       AND "hash" NOT IN (SELECT "listHash" FROM "ClientSession" WHERE "listHash" IS NOT NULL)`,
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
        `SELECT l."sessionId", l."hash", min(l."firstAt") AS "firstAt", max(l."lastAt") AS "lastAt", sum(l."count") AS "count",
           COALESCE(max(s."tools"), 0) AS "tools"
         FROM (SELECT "sessionId", "hash", "firstAt", "lastAt", "count" FROM "ClientListing" WHERE "sessionId" ${AMONG}
           UNION ALL SELECT "id", "listHash", "listFirstAt", "listLastAt", "listCount" FROM "ClientSession"
             WHERE "listHash" IS NOT NULL AND "id" ${AMONG}) l
         LEFT JOIN "ServedList" s ON s."hash" = l."hash"
         GROUP BY l."sessionId", l."hash" ORDER BY max(l."lastAt") DESC`,
        sessionIds,
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
