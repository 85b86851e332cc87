import type { Actor, AuditEntry, AuditFacets } from "../../../../lib/contract";
import type { AuditChain } from "../../../features/audit/audit-chain";
import type { AuditStore, ChainHead, NewAuditEntry } from "../../../features/audit/audit-store";
import type { Database } from "../../database";
import { prepareWith } from "../coordination/sql";
import { toConditions } from "./audit-conditions";

const HEAD = "audit.head";
/** Reading gives way to other work after about this long. */
const SLICE_MS = 8;
const FIRST_ROWS = 256;
const MOST_ROWS = 8_192;
/** Of one page; the next page goes on where this one ended. */
const MAX_SEARCH_MS = 2_000;
/** Options of one filter. */
const MAX_FACETS = 500;

type Row = Omit<AuditEntry, "actor" | "target"> & {
  actorId: string;
  actorName: string;
  targetKind: string | null;
  targetName: string | null;
};

export function createAuditStore({ db, chain }: { db: Database; chain: AuditChain }): AuditStore {
  const { raw } = db;
  const { rows, values, write } = prepareWith(db);
  const selectLast = values<number>('SELECT coalesce(max("seq"), 0) FROM "AuditEntry"');
  const selectHead = values<string>('SELECT "value" FROM "Setting" WHERE "key" = ?');
  const writeHead = write(
    `INSERT INTO "Setting" ("key", "value", "updatedAt") VALUES (?, ?, ?)
     ON CONFLICT ("key") DO UPDATE SET "value" = excluded."value", "updatedAt" = excluded."updatedAt"`,
  );
  const insert = write(
    `INSERT INTO "AuditEntry" ("seq", "at", "actorId", "actorName", "token", "address", "door", "action", "targetKind",
       "targetName", "outcome", "error", "before", "after", "times", "hash")
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const selectAfter = rows<Row>('SELECT * FROM "AuditEntry" WHERE "seq" > ? ORDER BY "seq" LIMIT ?');
  const selectActors = rows<Actor>(
    `SELECT DISTINCT "actorId" AS id, "actorName" AS name FROM "AuditEntry" ORDER BY "actorName" LIMIT ?`,
  );
  const selectActions = values<string>('SELECT DISTINCT "action" FROM "AuditEntry" ORDER BY 1 LIMIT ?');
  const selectTargets = values<string>(
    'SELECT DISTINCT "targetKind" FROM "AuditEntry" WHERE "targetKind" IS NOT NULL ORDER BY 1 LIMIT ?',
  );
  const readHead = (): ChainHead | null => parseHead(selectHead.get(HEAD));

  // Immediate: another process must not append between reading the head and the insert.
  const append = raw.transaction((entry: NewAuditEntry): AuditEntry => {
    const head = readHead();
    const last = selectLast.get() ?? 0;
    // From the head and not the last row, so that a removed row leaves a gap. A head that was removed or changed begins
    // a new chain, which shows as well.
    const isSound = head !== null && chain.isSealed(head) && head.seq >= last;
    const seq = (isSound ? head.seq : last) + 1;
    const hash = chain.hash(isSound ? head.hash : null, { ...entry, seq });
    const { at, actor, token, address, door, action, target, outcome, error, before, after, times } = entry;
    insert.run(
      ...[seq, at, actor.id, actor.name, token, address, door, action, target?.kind ?? null, target?.name ?? null],
      ...[outcome, error, before, after, times, hash],
    );
    writeHead.run(HEAD, JSON.stringify({ seq, hash, seal: chain.seal(seq, hash) } satisfies ChainHead), at);
    return { ...entry, seq, hash };
  });
  const readAfter = raw.transaction((seq: number, limit: number) => ({
    entries: selectAfter.all(seq, limit).map(toEntry),
    head: readHead(),
  }));

  return {
    append: (entry) => db.write(() => append.immediate(entry)),
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

function toEntry({ actorId, actorName, targetKind, targetName, ...row }: Row): AuditEntry {
  const target = targetKind === null || targetName === null ? null : { kind: targetKind, name: targetName };
  return { ...row, actor: { id: actorId, name: actorName }, target };
}

function parseHead(text: string | undefined): ChainHead | null {
  if (text === undefined) return null;
  try {
    const { seq, hash, seal } = JSON.parse(text) as Record<keyof ChainHead, unknown>;
    // What cannot be read is a head with a seal that is wrong.
    return { seq: Number(seq), hash: String(hash), seal: String(seal) };
  } catch {
    return { seq: 0, hash: "", seal: "" };
  }
}
