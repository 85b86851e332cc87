import { z } from "zod";
import { leftOutSchema, servedToolSchema } from "../../../../lib/contract/client";
import type { Database } from "../../../platform/db/database";
import { AMONG, change, type SqlValue, type Steps, selectRow, selectRows } from "../../../platform/db/sql";
import type {
  ClientStore,
  RecordedAccess,
  ServedEntry,
  SessionUpdate,
  StoredClientSession,
  StoredListing,
} from "../client-store";

const contentSchema = z.object({
  tools: z.array(servedToolSchema),
  leftOut: z.array(leftOutSchema),
  leftOutCount: z.number(),
});

const COLUMNS =
  '"id", "clientId", "name", "version", "era", "protocol", "address", "access", "actorId", "actorName", "tokenId", "tokenName", "startedAt", "seenAt", "endedAt", "noticedAt", "notices", "calls", "callId", "callTool", "calledAt"';
const VALUES = `(${Array(21).fill("?").join(", ")}`;
const IS_NEWER_CALL = `COALESCE(excluded."calledAt", 0) > COALESCE("ClientSession"."calledAt", 0)`;
const keepCall = (name: "callId" | "callTool" | "calledAt"): string =>
  `"${name}" = CASE WHEN ${IS_NEWER_CALL} THEN excluded."${name}" ELSE "ClientSession"."${name}" END`;
const UPDATE = `ON CONFLICT ("id") DO UPDATE SET "protocol" = excluded."protocol", "access" = excluded."access", "actorName" = excluded."actorName",
    "seenAt" = CASE WHEN excluded."seenAt" > "ClientSession"."seenAt" THEN excluded."seenAt" ELSE "ClientSession"."seenAt" END,
    "endedAt" = COALESCE(excluded."endedAt", "ClientSession"."endedAt"),
    "noticedAt" = CASE WHEN "ClientSession"."noticedAt" IS NULL OR excluded."noticedAt" > "ClientSession"."noticedAt"
      THEN excluded."noticedAt" ELSE "ClientSession"."noticedAt" END,
    "notices" = "ClientSession"."notices" + excluded."notices", "calls" = "ClientSession"."calls" + excluded."calls",
    ${keepCall("callId")}, ${keepCall("callTool")}, ${keepCall("calledAt")}`;
const SAVE_SESSION = `INSERT INTO "ClientSession" (${COLUMNS}) VALUES ${VALUES}) ${UPDATE}`;
const IS_FIRST = `COALESCE("ClientSession"."listHash", excluded."listHash") = excluded."listHash"`;
const keepTime = (name: "listFirstAt" | "listLastAt", sign: "<" | ">"): string =>
  `"${name}" = CASE WHEN ${IS_FIRST} AND ("ClientSession"."${name}" IS NULL OR excluded."${name}" ${sign} "ClientSession"."${name}")
      THEN excluded."${name}" ELSE "ClientSession"."${name}" END`;
/**
 * Saves a session with a list, which the row keeps if it is the session's first one: a row of its own costs as much as
 * the session's.
 */
const SAVE_LISTED = `INSERT INTO "ClientSession" (${COLUMNS}, "listHash", "listFirstAt", "listLastAt", "listCount") VALUES ${VALUES}, ?, ?, ?, ?)
  ${UPDATE}, ${keepTime("listFirstAt", "<")}, ${keepTime("listLastAt", ">")},
    "listCount" = "ClientSession"."listCount" + CASE WHEN ${IS_FIRST} THEN excluded."listCount" ELSE 0 END,
    "listHash" = COALESCE("ClientSession"."listHash", excluded."listHash")
  RETURNING "listHash", "listFirstAt"`;
const SAVE_LISTING = `INSERT INTO "ClientListing" ("sessionId", "hash", "firstAt", "lastAt", "count") VALUES (?, ?, ?, ?, ?)
  ON CONFLICT ("sessionId", "hash") DO UPDATE SET "count" = "ClientListing"."count" + excluded."count",
    "firstAt" = CASE WHEN excluded."firstAt" < "ClientListing"."firstAt" THEN excluded."firstAt" ELSE "ClientListing"."firstAt" END,
    "lastAt" = CASE WHEN excluded."lastAt" > "ClientListing"."lastAt" THEN excluded."lastAt" ELSE "ClientListing"."lastAt" END
  RETURNING "firstAt"`;
/** The row of the list has its first day. */
const SAVE_DAY = `INSERT INTO "ClientListDay" ("sessionId", "hash", "day", "firstAt", "lastAt", "count") VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT ("sessionId", "hash", "day") DO UPDATE SET "count" = "ClientListDay"."count" + excluded."count",
    "firstAt" = CASE WHEN excluded."firstAt" < "ClientListDay"."firstAt" THEN excluded."firstAt" ELSE "ClientListDay"."firstAt" END,
    "lastAt" = CASE WHEN excluded."lastAt" > "ClientListDay"."lastAt" THEN excluded."lastAt" ELSE "ClientListDay"."lastAt" END`;
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
  calls: number | bigint;
  callId: string | null;
  callTool: string | null;
  calledAt: number | bigint | null;
}

const toTime = (value: number | bigint | null): number | null => (value === null ? null : Number(value));

function toSession(row: SessionRow): StoredClientSession {
  const { id, clientId, name, version, protocol, address, tokenId } = row;
  return {
    id,
    clientId,
    name,
    version,
    protocol,
    address,
    era: row.era === "session" ? "session" : "stateless",
    access: JSON.parse(row.access) as RecordedAccess,
    actor: { id: row.actorId, name: row.actorName },
    token: tokenId === null ? null : { id: tokenId, name: row.tokenName ?? tokenId },
    startedAt: Number(row.startedAt),
    seenAt: Number(row.seenAt),
    endedAt: toTime(row.endedAt),
    noticedAt: toTime(row.noticedAt),
    notices: Number(row.notices),
    calls: Number(row.calls),
    lastCall: toLastCall(row),
  };
}

function toLastCall({ callId, callTool, calledAt }: SessionRow): StoredClientSession["lastCall"] {
  if (callId === null || calledAt === null) return null;
  return { id: callId, tool: callTool ?? "", at: Number(calledAt) };
}

function toValues(session: StoredClientSession): SqlValue[] {
  const { id, clientId, name, version, era, protocol, address, access, actor, token, lastCall } = session;
  return [
    id,
    clientId,
    name,
    version,
    era,
    protocol,
    address,
    JSON.stringify(access),
    actor.id,
    actor.name,
    token?.id ?? null,
    token?.name ?? null,
    session.startedAt,
    session.seenAt,
    session.endedAt,
    session.noticedAt,
    session.notices,
    session.calls,
    lastCall?.id ?? null,
    lastCall?.tool ?? null,
    lastCall?.at ?? null,
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
    const kept = yield* selectRow<{ listHash: string; listFirstAt: number | bigint }>(SAVE_LISTED, ...values);
    const isKept = kept?.listHash === first.hash;
    if (isKept) yield* saveDay(session.id, first, Number(kept.listFirstAt));
    for (const listing of isKept ? others : listings) {
      const saved = yield* selectRow<{ firstAt: number | bigint }>(SAVE_LISTING, session.id, ...toListValues(listing));
      yield* saveDay(session.id, listing, Number(saved?.firstAt ?? listing.firstAt));
    }
  }
}

const toDay = (at: number): number => Math.floor(at / DAY_MS);

/** @param since when the session first received the list */
function* saveDay(sessionId: string, listing: SessionUpdate["listings"][number], since: number): Steps<void> {
  const { hash, firstAt, lastAt, count } = listing;
  if (toDay(lastAt) === toDay(since)) return;
  yield* change(SAVE_DAY, sessionId, hash, toDay(lastAt), Math.max(firstAt, toDay(lastAt) * DAY_MS), lastAt, count);
}

const toListValues = ({ hash, firstAt, lastAt, count }: SessionUpdate["listings"][number]) => [
  hash,
  firstAt,
  lastAt,
  count,
];

function* prune(seenBefore: number, keep: number, listsBefore: number, keepLists: number): Steps<number> {
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
    yield* change('DELETE FROM "ClientListDay" WHERE "sessionId" NOT IN (SELECT "id" FROM "ClientSession")');
  }
  yield* change(
    `DELETE FROM "ServedList" WHERE "at" < ? AND "hash" NOT IN (SELECT "hash" FROM "ClientListing")
       AND "hash" NOT IN (SELECT "listHash" FROM "ClientSession" WHERE "listHash" IS NOT NULL)`,
    listsBefore,
  );
  yield* change(
    `DELETE FROM "ServedList" WHERE "hash" IN (SELECT l."hash" FROM "ServedList" l LEFT JOIN (
         SELECT "hash", max("lastAt") AS "lastAt" FROM (SELECT "hash", "lastAt" FROM "ClientListing"
           UNION ALL SELECT "listHash", "listLastAt" FROM "ClientSession" WHERE "listHash" IS NOT NULL) given GROUP BY "hash"
       ) g ON g."hash" = l."hash" ORDER BY COALESCE(g."lastAt", l."at") DESC, l."hash" LIMIT ? OFFSET ?)`,
    MAX_DELETED_LISTS,
    keepLists,
  );
  yield* change('DELETE FROM "ServedListTool" WHERE "listHash" NOT IN (SELECT "hash" FROM "ServedList")');
  yield* change(
    `DELETE FROM "ServedTool" WHERE "at" < ? AND NOT EXISTS
       (SELECT 1 FROM "ServedListTool" t WHERE t."toolHash" = "ServedTool"."hash")`,
    listsBefore,
  );
  return deleted;
}

/** The number of different lists, for all sessions. */
const KEPT_LISTS = 1_000;
const MAX_DELETED_LISTS = 10_000;
/** The number of rows in one statement. */
const ROWS_AT_ONCE = 200;
const DAY_MS = 86_400_000;

/** Many clients may be new at once: a transaction writes this many sessions. */
const AT_ONCE = 100;

const SAVE_LIST_TOOL = `INSERT INTO "ServedListTool" ("listHash", "toolHash") VALUES (?, ?) ON CONFLICT DO NOTHING`;
const SAVE_TOOL = `INSERT INTO "ServedTool" ("hash", "entry", "at") VALUES (?, ?, ?) ON CONFLICT ("hash") DO NOTHING`;
/**
 * The session's row has the time of the first list on the first day; each later day has a row. Times within a day are
 * exact at both ends, so that days of another time zone are, too.
 */
const SELECT_BETWEEN = `SELECT g."sessionId", g."hash", min(g."firstAt") AS "firstAt", max(g."lastAt") AS "lastAt", sum(g."count") AS "count",
    COALESCE(max(s."tools"), 0) AS "tools"
  FROM (SELECT d."sessionId", d."hash", d."firstAt", d."lastAt", d."count" FROM "ClientListDay" d
      JOIN "ClientSession" c ON c."id" = d."sessionId" WHERE c."clientId" = ?
    UNION ALL SELECT l."sessionId", l."hash", l."firstAt", ${toFirstDayEnd('l."firstAt"', 'l."lastAt"')}, l."count" FROM "ClientListing" l
      JOIN "ClientSession" c ON c."id" = l."sessionId" WHERE c."clientId" = ?
    UNION ALL SELECT "id", "listHash", "listFirstAt", ${toFirstDayEnd('"listFirstAt"', '"listLastAt"')}, "listCount" FROM "ClientSession"
      WHERE "listHash" IS NOT NULL AND "clientId" = ?) g
  LEFT JOIN "ServedList" s ON s."hash" = g."hash"
  WHERE g."firstAt" < ? AND g."lastAt" >= ?
  GROUP BY g."sessionId", g."hash" ORDER BY max(g."lastAt") DESC, g."hash" LIMIT ?`;

/** The last time within the day of the first one: where the list was given on later days, the first time alone is known. */
function toFirstDayEnd(first: string, last: string): string {
  return `CASE WHEN ${last} - ${last} % ${DAY_MS} = ${first} - ${first} % ${DAY_MS} THEN ${last} ELSE ${first} END`;
}

type ListingRow = Record<keyof StoredListing, string | number | bigint>;

function toListing(row: ListingRow): StoredListing {
  return {
    sessionId: String(row.sessionId),
    hash: String(row.hash),
    tools: Number(row.tools),
    firstAt: Number(row.firstAt),
    lastAt: Number(row.lastAt),
    count: Number(row.count),
  };
}

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
        hash,
        JSON.stringify(content),
        content.tools.length,
        at,
      );
      const tools = [...new Set(content.tools.map((tool) => tool.hash))];
      for (let from = 0; from < tools.length; from += ROWS_AT_ONCE) {
        const part = tools.slice(from, from + ROWS_AT_ONCE);
        await db.transaction(function* () {
          for (const tool of part) yield* change(SAVE_LIST_TOOL, hash, tool);
        });
      }
    },
    async findTools(hashes) {
      const found = new Set<string>();
      for (let from = 0; from < hashes.length; from += ROWS_AT_ONCE) {
        const part = hashes.slice(from, from + ROWS_AT_ONCE);
        const rows = await db.rows<{ hash: string }>(`SELECT "hash" FROM "ServedTool" WHERE "hash" ${AMONG}`, part);
        for (const { hash } of rows) found.add(hash);
      }
      return found;
    },
    async saveTools(tools, at) {
      await db.transaction(function* () {
        for (const { hash, entry } of tools) yield* change(SAVE_TOOL, hash, entry, at);
      });
    },
    async readTools(hashes) {
      const found = new Map<string, string | null>();
      for (let from = 0; from < hashes.length; from += ROWS_AT_ONCE) {
        const part = hashes.slice(from, from + ROWS_AT_ONCE);
        const rows = await db.rows<ServedEntry>(`SELECT "hash", "entry" FROM "ServedTool" WHERE "hash" ${AMONG}`, part);
        for (const { hash, entry } of rows) found.set(hash, entry);
      }
      return found;
    },
    async listsBetween(clientId, since, until, limit) {
      const rows = await db.rows<ListingRow>(SELECT_BETWEEN, clientId, clientId, clientId, until, since, limit);
      return rows.map(toListing);
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
      const rows = await db.rows<ListingRow>(
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
      return rows.map(toListing);
    },
    prune: (seenBefore, keep, listsBefore, keepLists = KEPT_LISTS) =>
      db.transaction(() => prune(seenBefore, keep, listsBefore, keepLists)),
  };
}
