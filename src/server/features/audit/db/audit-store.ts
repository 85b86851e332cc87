import type { Actor } from "../../../../lib/contract/actor";
import { type AuditEntry, type AuditFacets, SYSTEM_ACTOR } from "../../../../lib/contract/audit";
import type { AuditFilter } from "../../../../lib/contract/audit-filter";
import type { SqliteDatabase } from "../../../platform/db/database";
import { AMONG, prepareWith } from "../../../platform/db/sqlite/prepare-with";
import { likePattern } from "../../executions/db/execution-text";
import type { AuditAnchor, ChainEnd } from "../audit-anchor";
import type { AuditChain } from "../audit-chain";
import type { AuditStore, NewAuditEntry } from "../audit-store";
import { prepareHead } from "./chain-head";

const HEAD = "audit.head";
const NO_ANCHOR = "The file that keeps the end of the log outside the database was missing at the start";
/** Reading gives way to other work after about this long. */
const SLICE_MS = 8;
const FIRST_ROWS = 256;
const MOST_ROWS = 8_192;
/** The time limit of one page; the next page continues where this one ended. */
const MAX_SEARCH_MS = 2_000;
/** Options of one filter. */
const MAX_FACETS = 500;

type Row = Omit<AuditEntry, "actor" | "target"> & {
  actorId: string;
  actorName: string;
  targetKind: string | null;
  targetName: string | null;
};

export interface AuditStorePorts {
  db: SqliteDatabase;
  chain: AuditChain;
  /** Keeps the end outside the database; without one, a rollback of rows and head does not show. */
  anchor?: AuditAnchor | null;
  /** The log is not what this process or an earlier one wrote. */
  onDamage?(damage: string): void;
}

export function createAuditStore(ports: AuditStorePorts): AuditStore {
  const { db, anchor = null, onDamage = () => undefined } = ports;
  const { raw } = db;
  const { rows, values } = prepareWith(db);
  const { append, begin, readHead, selectLast } = prepareAppend(ports);
  const selectAfter = rows<Row>('SELECT * FROM "AuditEntry" WHERE "seq" > ? ORDER BY "seq" LIMIT ?');
  const selectActors = rows<Actor>(
    `SELECT DISTINCT "actorId" AS id, "actorName" AS name FROM "AuditEntry" ORDER BY "actorName" LIMIT ?`,
  );
  const selectActions = values<string>('SELECT DISTINCT "action" FROM "AuditEntry" ORDER BY 1 LIMIT ?');
  const selectTargets = values<string>(
    'SELECT DISTINCT "targetKind" FROM "AuditEntry" WHERE "targetKind" IS NOT NULL ORDER BY 1 LIMIT ?',
  );
  const readAfter = raw.transaction((seq: number, limit: number) => ({
    entries: selectAfter.all(seq, limit).map(toEntry),
    head: readHead(),
  }));

  return {
    async begin() {
      const { damage, end } = await db.write(() => begin.immediate(Date.now()));
      if (damage !== null) onDamage(damage);
      if (end !== null) anchor?.note("audit", end);
    },
    async append(entry) {
      const { damage, written } = await db.write(() => append.immediate(entry));
      if (damage !== null) onDamage(damage);
      anchor?.note("audit", { seq: written.seq, hash: written.hash });
      return written;
    },
    readAfter: async (seq, limit) => readAfter(seq, limit),

    async list(filter, cursor, limit) {
      const { sql, values: given } = toConditions(filter);
      const select = rows<Row>(
        `SELECT * FROM "AuditEntry" WHERE "seq" < ? AND "seq" >= ? ${sql} ORDER BY "seq" DESC LIMIT ?`,
      );
      const items: AuditEntry[] = [];
      const until = performance.now() + MAX_SEARCH_MS;
      let below = Math.min(cursor ?? Number.MAX_SAFE_INTEGER, (selectLast.get() ?? 0) + 1);
      for (let atOnce = FIRST_ROWS; below > 1 && performance.now() < until; ) {
        const begun = performance.now();
        const from = Math.max(1, below - atOnce);
        items.push(...select.all(below, from, ...given, limit - items.length).map(toEntry));
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
      const actors = new Map(selectActors.all(MAX_FACETS).map((actor) => [actor.id, actor]));
      return {
        actors: [...actors.values()],
        actions: selectActions.all(MAX_FACETS),
        targets: selectTargets.all(MAX_FACETS),
      };
    },
  };
}

/** The statements that write. All compare the log with what is known of its end, in the transaction that adds to it. */
function prepareAppend({ db, chain, anchor = null }: AuditStorePorts) {
  const { raw } = db;
  const { values, write } = prepareWith(db);
  const head = prepareHead(db, HEAD, chain, anchor !== null);
  const selectLast = values<number>('SELECT coalesce(max("seq"), 0) FROM "AuditEntry"');
  const selectHash = values<string>('SELECT "hash" FROM "AuditEntry" WHERE "seq" = ?');
  const insert = write(
    `INSERT INTO "AuditEntry" ("seq", "at", "actorId", "actorName", "token", "address", "door", "action", "targetKind",
       "targetName", "outcome", "error", "before", "after", "times", "hash")
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );

  /** The position of the next entry, and the damage of the log. */
  function findPlace(): { seq: number; previous: string | null; damage: string | null } {
    const end = head.read();
    const last = selectLast.get() ?? 0;
    // From the head and not the last row, so that a removed row leaves a gap. A head that was removed or changed begins
    // a new chain, which shows as well.
    const isSound = end !== null && chain.isSealed(end) && end.seq >= last;
    const place = { seq: (isSound ? end.seq : last) + 1, previous: isSound && end.seq > 0 ? end.hash : null };
    const known = anchor?.ends.audit ?? null;
    if (known === null || (isSound && known.seq === 0) || (isSound && selectHash.get(known.seq) === known.hash)) {
      return { ...place, damage: null };
    }
    const damage = `Entry ${known.seq} of the audit log or its sealed end is missing or was changed: entries were removed, or the database was replaced by an older copy`;
    // After what was written, so that what is missing leaves a gap for ever.
    return place.seq > known.seq + 1
      ? { ...place, damage }
      : { seq: known.seq + 1, previous: known.hash || null, damage };
  }

  function insertAt(entry: NewAuditEntry, seq: number, previous: string | null): AuditEntry {
    const hash = chain.hash(previous, { ...entry, seq });
    const { at, actor, token, address, door, action, target, outcome, error, before, after, times } = entry;
    insert.run(
      ...[seq, at, actor.id, actor.name, token, address, door, action, target?.kind ?? null, target?.name ?? null],
      ...[outcome, error, before, after, times, hash],
    );
    head.write(seq, hash, at);
    return { ...entry, seq, hash };
  }

  // Immediate: a command must not append between reading the head and the insert.
  const append = raw.transaction((entry: NewAuditEntry): { written: AuditEntry; damage: string | null } => {
    const { seq, previous, damage } = findPlace();
    if (damage === null) return { written: insertAt(entry, seq, previous), damage };
    const note = insertAt(describeDamage(damage, entry.at), seq, previous);
    return { written: insertAt(entry, note.seq + 1, note.hash), damage };
  });

  const begin = raw.transaction((at: number): { end: ChainEnd | null; damage: string | null } => {
    const end = head.read();
    const isUnknown = (anchor?.ends.audit ?? null) === null;
    if (end === null && isUnknown && (selectLast.get() ?? 0) === 0) {
      head.write(0, "", at);
      return { end: { seq: 0, hash: "" }, damage: null };
    }
    const { seq, previous, damage } = findPlace();
    const isMissing = anchor !== null && isUnknown && end !== null && chain.isAnchored(end);
    const fault = damage ?? anchor?.problem ?? (isMissing ? NO_ANCHOR : null);
    if (fault === null) return { end: previous === null ? null : { seq: seq - 1, hash: previous }, damage: null };
    const note = insertAt(describeDamage(fault, at), seq, previous);
    return { end: { seq: note.seq, hash: note.hash }, damage: fault };
  });

  return { append, begin, readHead: head.read, selectLast };
}

/** An entry that shows what the server noticed where the log is read. */
function describeDamage(error: string, at: number): NewAuditEntry {
  return {
    ...{ at, actor: SYSTEM_ACTOR, token: null, address: null, door: "system" },
    ...{ action: "audit.damaged", target: null, outcome: "failed", error, before: null, after: null, times: 1 },
  };
}

function toEntry({ actorId, actorName, targetKind, targetName, ...row }: Row): AuditEntry {
  const target = targetKind === null || targetName === null ? null : { kind: targetKind, name: targetName };
  return { ...row, actor: { id: actorId, name: actorName }, target };
}

const SEARCHED = ["actorName", "token", "address", "action", "targetName", "error", "before", "after"];

/** The part of a WHERE clause, beginning with AND, and what its question marks stand for. */
function toConditions(filter: AuditFilter): { sql: string; values: (string | number)[] } {
  const { actor, action, target, outcome, since, until, q } = filter;
  const conditions: [sql: string, ...values: (string | number)[]][] = [];
  const among = (column: string, chosen: readonly string[] | undefined): void => {
    if (chosen !== undefined && chosen.length > 0) conditions.push([`"${column}" ${AMONG}`, JSON.stringify(chosen)]);
  };
  among("actorId", actor);
  among("action", action);
  among("targetKind", target);
  if (outcome !== undefined) conditions.push(['"outcome" = ?', outcome]);
  if (since !== undefined) conditions.push(['"at" >= ?', since]);
  if (until !== undefined) conditions.push(['"at" <= ?', until]);
  if (q !== undefined && q !== "") {
    const matches = SEARCHED.map((column) => `"${column}" LIKE ? ESCAPE '!'`).join(" OR ");
    conditions.push([`(${matches})`, ...SEARCHED.map(() => likePattern(q))]);
  }
  return {
    sql: conditions.map(([sql]) => `AND ${sql}`).join(" "),
    values: conditions.flatMap(([, ...values]) => values),
  };
}
