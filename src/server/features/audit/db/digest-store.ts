import type { SqliteDatabase } from "../../../platform/db/database";
import { prepareWith } from "../../../platform/db/sqlite/prepare-with";
import type { AuditAnchor, ChainEnd } from "../audit-anchor";
import type { DigestChain, ExecutionDigest, StoredExecution } from "../execution-digest";
import type { ExecutionDigestStore, NewDigest } from "../execution-digest-store";
import { prepareHead } from "./chain-head";

const HEAD = "executions.head";
/** The size of one digest. */
const MAX_DELETED = 20_000;

type Row = Omit<ExecutionDigest, "open"> & { open: string };

export interface DigestStorePorts {
  db: SqliteDatabase;
  chain: DigestChain;
  anchor: Pick<AuditAnchor, "note"> | null;
}

export function createExecutionDigestStore({ db, chain, anchor }: DigestStorePorts): ExecutionDigestStore {
  const { raw } = db;
  const { rows, values } = prepareWith(db);
  const head = prepareHead(db, HEAD, chain, anchor !== null);
  const insert = raw.prepare<(string | number | Buffer | null)[]>(
    `INSERT INTO "ExecutionDigest" ("seq", "kind", "at", "actor", "toSeq", "open", "marks", "hash")
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const selectNewest = rows<Row>('SELECT * FROM "ExecutionDigest" ORDER BY "seq" DESC LIMIT 1');
  const selectAfter = rows<Row>('SELECT * FROM "ExecutionDigest" WHERE "seq" > ? ORDER BY "seq" LIMIT 1');
  const selectExecution = rows<StoredExecution>('SELECT * FROM "Execution" WHERE "seq" = ?');
  const selectNext = rows<StoredExecution>(
    'SELECT * FROM "Execution" WHERE "seq" > ? AND "seq" <= ? ORDER BY "seq" LIMIT 1',
  );
  const selectLastQueued = values<number>(
    'SELECT "seq" FROM "Execution" WHERE "queuedAt" < ? ORDER BY "queuedAt" DESC LIMIT 1',
  );
  const selectNumbers = values<number>('SELECT "seq" FROM "Execution" WHERE "seq" > ? AND "seq" <= ? ORDER BY "seq"');
  const count = values<number>('SELECT count(*) FROM "Execution" WHERE "seq" > ?');
  const newest = () => parse(selectNewest.get());

  /** Expects an open transaction. */
  function insertNext(digest: NewDigest, last: ExecutionDigest | null): ChainEnd {
    const given = { ...digest, seq: (last?.seq ?? 0) + 1 };
    const { seq, kind, at, actor, toSeq, open, marks } = given;
    const hash = chain.hashDigest(last?.hash ?? null, given);
    insert.run(seq, kind, at, actor, toSeq, JSON.stringify(open), marks, hash);
    head.write(seq, hash, at);
    return { seq, hash };
  }

  const appendNext = raw.transaction((follows: number, digest: NewDigest): ChainEnd | null => {
    const last = newest();
    return (last?.seq ?? 0) === follows ? insertNext(digest, last) : null;
  });

  return {
    newest,
    lastQueuedBefore: (time) => selectLastQueued.get(time) ?? 0,
    read: (seq) => selectExecution.get(seq) ?? null,
    readNext: (seq, toSeq) => selectNext.get(seq, toSeq) ?? null,
    async append(follows, digest) {
      const end = await db.write(() => appendNext.immediate(follows, digest));
      if (end !== null) anchor?.note("executions", end);
      return end !== null;
    },
    recordDeleted(seqs, actor, at) {
      for (let from = 0; from < seqs.length; from += MAX_DELETED) {
        const last = newest();
        const { toSeq, open } = last ?? { toSeq: 0, open: [] };
        const marks = chain.toDeletedMarks(seqs.slice(from, from + MAX_DELETED));
        insertNext({ kind: "deleted", at, actor, toSeq, open, marks }, last);
      }
    },
    readAfter: (seq) => ({ digest: parse(selectAfter.get(seq)), head: head.read() }),
    numbersBetween: (from, to) => selectNumbers.all(from, to),
    countAfter: (seq) => count.get(seq) ?? 0,
  };
}

function parse(row: Row | undefined): ExecutionDigest | null {
  return row === undefined ? null : { ...row, open: JSON.parse(row.open) as number[] };
}
