import type { Actor } from "../../../../lib/contract/actor";
import { SYSTEM_ACTOR } from "../../../../lib/contract/audit";
import type { AuditEntry, AuditFacets } from "../../../../lib/contract/audit-entry";
import type { AuditFilter } from "../../../../lib/contract/audit-filter";
import { createTextPattern } from "../../../calls/executions/db/text-pattern";
import type { Database } from "../../../platform/db/database";
import { AMONG, change, type SqlValue, type Steps, selectRow } from "../../../platform/db/sql";
import type { AuditAnchor, ChainEnd } from "../audit-anchor";
import type { AuditChain } from "../audit-chain";
import type { AuditStore, NewAuditEntry } from "../audit-store";
import { createHead, parseHead, selectWithHead } from "./chain-head";

const HEAD = "audit.head";
/** Transactions that add entries take turns. */
const LOCK = "audit";
const ERASED =
  "The log was empty and its sealed end missing at the start, although the database has users, executions or digests from after the audit log began: it was erased";
/** The migration that adds the log: what is younger was written while there was one. On PostgreSQL the first one has it. */
const LOG_ADDED = "20261203000000_audit_log";
const SELECT_ADDED = `SELECT coalesce(max(CASE WHEN migration_name = ? THEN finished_at END), min(finished_at)) AS at
  FROM "_prisma_migrations" WHERE rolled_back_at IS NULL`;
const SELECT_NEWEST = `SELECT (SELECT max("createdAt") FROM "User") AS "user", (SELECT max("queuedAt") FROM "Execution") AS execution,
    (SELECT count(*) FROM "ExecutionDigest") AS digests`;
const NO_ANCHOR = "The file that keeps the end of the log outside the database was missing at the start";
/** The time after which reading lets other work run. */
const SLICE_MS = 8;
const FIRST_ROWS = 256;
const MOST_ROWS = 8_192;
/** The time limit of one page; the next page continues where this one ended. */
const MAX_SEARCH_MS = 2_000;
/** The number of options of one filter. */
const MAX_FACETS = 500;

type Row = Omit<AuditEntry, "actor" | "target"> & {
  actorId: string;
  actorName: string;
  targetKind: string | null;
  targetName: string | null;
};

export interface AuditStorePorts {
  db: Database;
  chain: AuditChain;
  /** Keeps the end outside the database; without one, a rollback of rows and head does not show. */
  anchor?: AuditAnchor | null;
  /** The database was restored: the file that keeps the end outside it is of another log. */
  isRestored?: boolean;
  /** The log is not what this process or an earlier one wrote. */
  onDamage?(damage: string): void;
}

export function createAuditStore(ports: AuditStorePorts): AuditStore {
  const { db, anchor = null, onDamage = () => undefined } = ports;
  const { append, begin, isNew } = createAppend(ports);
  const readAll = async (sql: string): Promise<string[]> =>
    (await db.rows<{ value: string }>(sql, MAX_FACETS)).map(({ value }) => value);

  return {
    async begin() {
      // The file first: a process that ends in between must not leave a log whose file seems to have been removed.
      if (anchor !== null && (await db.transaction(isNew, LOCK))) {
        anchor.note("audit", { seq: 0, hash: "" });
        await anchor.flush();
      }
      const at = Date.now();
      const { damage, end } = await db.transaction(() => begin(at), LOCK);
      if (damage !== null) onDamage(damage);
      if (end !== null) anchor?.note("audit", end);
    },
    async append(entry) {
      const { damage, written } = await db.transaction(() => append(entry), LOCK);
      if (damage !== null) onDamage(damage);
      anchor?.note("audit", { seq: written.seq, hash: written.hash });
      return written;
    },
    async readAfter(seq, limit) {
      const found = await db.rows<Row & { head: string | null }>(selectWithHead("AuditEntry"), HEAD, seq, limit);
      const entries = found.filter((row) => row.seq !== null).map(({ head: _head, ...row }) => toEntry(row));
      return { entries, head: parseHead(found[0]?.head ?? null) };
    },

    async list(filter, cursor, limit) {
      const { sql, values: given } = toConditions(filter, db.kind === "postgres" ? "ILIKE" : "LIKE");
      const select = `SELECT * FROM "AuditEntry" WHERE "seq" < ? AND "seq" >= ? ${sql} ORDER BY "seq" DESC LIMIT ?`;
      const last = await db.row<{ last: number }>(SELECT_LAST);
      const items: AuditEntry[] = [];
      const until = performance.now() + MAX_SEARCH_MS;
      let below = Math.min(cursor ?? Number.MAX_SAFE_INTEGER, (last?.last ?? 0) + 1);
      for (let atOnce = FIRST_ROWS; below > 1 && performance.now() < until; ) {
        const begun = performance.now();
        const from = Math.max(1, below - atOnce);
        const rows = await db.rows<Row>(select, below, from, ...given, limit - items.length);
        items.push(...rows.map(toEntry));
        if (items.length >= limit) return { items, nextCursor: items.at(-1)?.seq ?? null };
        below = from;
        const tookMs = performance.now() - begun;
        if (tookMs < SLICE_MS / 2) atOnce = Math.min(atOnce * 2, MOST_ROWS);
        else if (tookMs > SLICE_MS) atOnce = Math.max(FIRST_ROWS, atOnce >> 1);
        await new Promise((resolve) => setImmediate(resolve));
      }
      return { items, nextCursor: below > 1 ? below : null };
    },

    async facets(): Promise<AuditFacets> {
      const actors = await db.rows<Actor>(
        `SELECT DISTINCT "actorId" AS id, "actorName" AS name FROM "AuditEntry" ORDER BY "actorName" LIMIT ?`,
        MAX_FACETS,
      );
      return {
        actors: [...new Map(actors.map((actor) => [actor.id, actor])).values()],
        actions: await readAll('SELECT DISTINCT "action" AS value FROM "AuditEntry" ORDER BY 1 LIMIT ?'),
        targets: await readAll(
          'SELECT DISTINCT "targetKind" AS value FROM "AuditEntry" WHERE "targetKind" IS NOT NULL ORDER BY 1 LIMIT ?',
        ),
      };
    },
  };
}

const SELECT_LAST = 'SELECT coalesce(max("seq"), 0) AS last FROM "AuditEntry"';
const INSERT = `INSERT INTO "AuditEntry" ("seq", "at", "actorId", "actorName", "token", "address", "door", "action", "targetKind",
    "targetName", "outcome", "error", "before", "after", "times", "hash")
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** The transactions that write. Each compares the log with what is known of its end before it adds to it. */
function createAppend({ chain, anchor = null, isRestored = false }: AuditStorePorts) {
  const head = createHead(HEAD, chain, anchor !== null);

  function* readLast(): Steps<number> {
    return (yield* selectRow<{ last: number }>(SELECT_LAST))?.last ?? 0;
  }

  function* readHash(seq: number): Steps<string | undefined> {
    return (yield* selectRow<{ hash: string }>('SELECT "hash" FROM "AuditEntry" WHERE "seq" = ?', seq))?.hash;
  }

  /** The position of the next entry, and the damage of the log. */
  function* findPlace(): Steps<{ seq: number; previous: string | null; damage: string | null }> {
    const end = yield* head.read();
    const last = yield* readLast();
    // Counts from the head instead of the last row, so that a removed row leaves a gap. A head that was removed or
    // changed begins a new chain, which shows as well.
    const isSound = end !== null && chain.isSealed(end) && end.seq >= last;
    const place = { seq: (isSound ? end.seq : last) + 1, previous: isSound && end.seq > 0 ? end.hash : null };
    const known = anchor?.ends.audit ?? null;
    if (known === null || (isSound && known.seq === 0)) return { ...place, damage: null };
    if (isSound && (yield* readHash(known.seq)) === known.hash) return { ...place, damage: null };
    const damage = `Entry ${known.seq} of the audit log or its sealed end is missing or was changed: entries were removed, or the database was replaced by an older copy`;
    // Continues after the last written entry, so that a missing one leaves a gap forever.
    return place.seq > known.seq + 1
      ? { ...place, damage }
      : { seq: known.seq + 1, previous: known.hash || null, damage };
  }

  function* insertAt(entry: NewAuditEntry, seq: number, previous: string | null): Steps<AuditEntry> {
    const hash = chain.hash(previous, { ...entry, seq });
    const { at, actor, token, address, door, action, target, outcome, error, before, after, times } = entry;
    yield* change(
      INSERT,
      seq,
      at,
      actor.id,
      actor.name,
      token,
      address,
      door,
      action,
      target?.kind ?? null,
      target?.name ?? null,
      outcome,
      error,
      before,
      after,
      times,
      hash,
    );
    yield* head.write(seq, hash, at);
    return { ...entry, seq, hash };
  }

  function* append(entry: NewAuditEntry): Steps<{ written: AuditEntry; damage: string | null }> {
    const { seq, previous, damage } = yield* findPlace();
    if (damage === null) return { written: yield* insertAt(entry, seq, previous), damage };
    const note = yield* insertAt(describeDamage(damage, entry.at), seq, previous);
    return { written: yield* insertAt(entry, note.seq + 1, note.hash), damage };
  }

  /** Returns true when neither the database nor the anchor has an entry. */
  function* isNew(): Steps<boolean> {
    return (anchor?.ends.audit?.seq ?? 0) === 0 && (yield* head.read()) === null && (yield* readLast()) === 0;
  }

  /** Whether the database has what was written while there was a log. */
  function* isUsed(): Steps<boolean> {
    const added = yield* selectRow<{ at: StoredTime }>(SELECT_ADDED, LOG_ADDED);
    const newest = yield* selectRow<{ user: StoredTime; execution: StoredTime; digests: number }>(SELECT_NEWEST);
    const since = toTime(added?.at ?? null);
    return Number(newest?.digests) > 0 || [newest?.user, newest?.execution].some((at) => toTime(at ?? null) > since);
  }

  function* begin(at: number): Steps<{ end: ChainEnd | null; damage: string | null }> {
    const end = yield* head.read();
    const isUnknown = (anchor?.ends.audit ?? null) === null;
    if (yield* isNew()) {
      if (yield* isUsed()) {
        // The second entry: that the first one is missing shows for ever.
        const note = yield* insertAt(describeDamage(ERASED, at), 2, null);
        return { end: { seq: note.seq, hash: note.hash }, damage: ERASED };
      }
      yield* head.write(0, "", at);
      return { end: { seq: 0, hash: "" }, damage: null };
    }
    const { seq, previous, damage } = yield* findPlace();
    const isMissing = anchor !== null && isUnknown && !isRestored && end !== null && chain.isAnchored(end);
    const fault = damage ?? anchor?.problem ?? (isMissing ? NO_ANCHOR : null);
    if (fault === null) return { end: previous === null ? null : { seq: seq - 1, hash: previous }, damage: null };
    const note = yield* insertAt(describeDamage(fault, at), seq, previous);
    return { end: { seq: note.seq, hash: note.hash }, damage: fault };
  }

  return { append, begin, isNew };
}

/** A time as the databases give it. */
type StoredTime = string | number | bigint | Date | null;

const toTime = (at: StoredTime): number => new Date(typeof at === "bigint" ? Number(at) : (at ?? 0)).getTime();

/** An entry that shows what the server noticed where the log is read. */
function describeDamage(error: string, at: number): NewAuditEntry {
  return {
    at,
    actor: SYSTEM_ACTOR,
    token: null,
    address: null,
    door: "system",
    action: "audit.damaged",
    target: null,
    outcome: "failed",
    error,
    before: null,
    after: null,
    times: 1,
  };
}

function toEntry({ actorId, actorName, targetKind, targetName, ...row }: Row): AuditEntry {
  const target = targetKind === null || targetName === null ? null : { kind: targetKind, name: targetName };
  return { ...row, actor: { id: actorId, name: actorName }, target };
}

const SEARCHED = ["actorName", "token", "address", "action", "targetName", "error", "before", "after"];

/** The part of a WHERE clause that begins with AND, and the values of its question marks. */
function toConditions(filter: AuditFilter, like: "LIKE" | "ILIKE"): { sql: string; values: SqlValue[] } {
  const { actor, action, target, outcome, since, until, q } = filter;
  const conditions: [sql: string, ...values: SqlValue[]][] = [];
  const among = (column: string, chosen: readonly string[] | undefined): void => {
    if (chosen !== undefined && chosen.length > 0) conditions.push([`"${column}" ${AMONG}`, chosen]);
  };
  among("actorId", actor);
  among("action", action);
  among("targetKind", target);
  if (outcome !== undefined) conditions.push(['"outcome" = ?', outcome]);
  if (since !== undefined) conditions.push(['"at" >= ?', since]);
  if (until !== undefined) conditions.push(['"at" <= ?', until]);
  if (q !== undefined && q !== "") {
    const matches = SEARCHED.map((column) => `"${column}" ${like} ? ESCAPE '!'`).join(" OR ");
    conditions.push([`(${matches})`, ...SEARCHED.map(() => createTextPattern(q).like)]);
  }
  return {
    sql: conditions.map(([sql]) => `AND ${sql}`).join(" "),
    values: conditions.flatMap(([, ...values]) => values),
  };
}
