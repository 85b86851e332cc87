import { DIGEST_LOCK, type RecordDeleted } from "../../../calls/executions/db/execution-deletes";
import type { Database } from "../../../platform/db/database";
import { AMONG, change, type Steps, selectRow } from "../../../platform/db/sql";
import type { AuditAnchor, ChainEnd } from "../audit-anchor";
import type { DigestChain, ExecutionDigest, StoredApproval, StoredExecution } from "../execution-digest";
import type { ExecutionDigestStore, NewDigest, StoredDefinition } from "../execution-digest-store";
import { createHead, parseHead, selectWithHead } from "./chain-head";

const HEAD = "executions.head";
/** The size of one digest. */
const MAX_DELETED = 20_000;

type Row = Omit<ExecutionDigest, "open"> & { open: string };

export interface DigestStorePorts {
  db: Database;
  chain: DigestChain;
  anchor: Pick<AuditAnchor, "note"> | null;
}

const INSERT = `INSERT INTO "ExecutionDigest" ("seq", "kind", "at", "actor", "toSeq", "open", "marks", "hash")
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
/** Left out is what may change after the decision: whether it allows further calls of its run. */
const SELECT_APPROVALS = `SELECT "executionId", "status", "requestedAt", "expiresAt", "decidedAt", "deciderId", "deciderName", "reason",
    "requestedArguments", "mode" FROM "Approval" WHERE "executionId" ${AMONG}`;
const SELECT_BACKDATED = 'SELECT "id" FROM "Execution" WHERE "seq" > ? AND "queuedAt" < ? ORDER BY "seq" LIMIT ?';
const SELECT_DEFINITIONS =
  'SELECT "hash", "toolName", "json" FROM "Definition" WHERE "hash" > ? ORDER BY "hash" LIMIT ?';
const COUNT_UNDEFINED = `SELECT count(*) AS count FROM "Execution" e WHERE e."definitionHash" IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM "Definition" d WHERE d."hash" = e."definitionHash")`;
const SELECT_NEWEST = 'SELECT * FROM "ExecutionDigest" ORDER BY "seq" DESC LIMIT 1';

type DigestStore = ExecutionDigestStore & { recordDeleted: RecordDeleted };

export function createExecutionDigestStore({ db, chain, anchor }: DigestStorePorts): DigestStore {
  const head = createHead(HEAD, chain, anchor !== null);

  function* selectNewest(): Steps<ExecutionDigest | null> {
    return parse(yield* selectRow<Row>(SELECT_NEWEST));
  }

  function* insertNext(digest: NewDigest, last: ExecutionDigest | null): Steps<ChainEnd> {
    const given = { ...digest, seq: (last?.seq ?? 0) + 1 };
    const { seq, kind, at, actor, toSeq, open, marks } = given;
    const hash = chain.hashDigest(last?.hash ?? null, given);
    yield* change(INSERT, seq, kind, at, actor, toSeq, JSON.stringify(open), marks, hash);
    yield* head.write(seq, hash, at);
    return { seq, hash };
  }

  function* appendNext(follows: number, digest: NewDigest): Steps<ChainEnd | null> {
    const last = yield* selectNewest();
    return (last?.seq ?? 0) === follows ? yield* insertNext(digest, last) : null;
  }

  /** Adds the decisions on the executions. */
  async function addApprovals(rows: Omit<StoredExecution, "approval">[]): Promise<StoredExecution[]> {
    const ids = rows.map(({ id }) => id as string);
    const approvals = ids.length === 0 ? [] : await db.rows<StoredApproval>(SELECT_APPROVALS, ids);
    const byId = new Map(approvals.map((approval) => [approval.executionId, approval]));
    return rows.map((row) => ({ ...row, approval: byId.get(row.id as string) ?? null }) as StoredExecution);
  }

  return {
    newest: async () => parse(await db.row<Row>(SELECT_NEWEST)),
    async lastQueuedBefore(time) {
      const row = await db.row<{ seq: number }>(
        'SELECT "seq" FROM "Execution" WHERE "queuedAt" < ? ORDER BY "queuedAt" DESC LIMIT 1',
        time,
      );
      return row?.seq ?? 0;
    },
    read: async (seqs) => addApprovals(await db.rows(`SELECT * FROM "Execution" WHERE "seq" ${AMONG}`, seqs)),
    readNext: async (seq, toSeq, limit) =>
      addApprovals(
        await db.rows(
          'SELECT * FROM "Execution" WHERE "seq" > ? AND "seq" <= ? ORDER BY "seq" LIMIT ?',
          seq,
          toSeq,
          limit,
        ),
      ),
    async append(follows, digest) {
      const end = await db.transaction(() => appendNext(follows, digest), DIGEST_LOCK);
      if (end !== null) anchor?.note("executions", end);
      return end !== null;
    },
    *recordDeleted(seqs, actor, at) {
      for (let from = 0; from < seqs.length; from += MAX_DELETED) {
        const last = yield* selectNewest();
        const { toSeq, open } = last ?? { toSeq: 0, open: [] };
        const marks = chain.toDeletedMarks(seqs.slice(from, from + MAX_DELETED));
        yield* insertNext({ kind: "deleted", at, actor, toSeq, open, marks }, last);
      }
    },
    async readAfter(seq) {
      const [found] = await db.rows<Row & { head: string | null }>(selectWithHead("ExecutionDigest"), HEAD, seq, 1);
      if (found === undefined) return { digest: null, head: null };
      const { head: text, ...row } = found;
      return { digest: parse(row.seq === null ? undefined : row), head: parseHead(text) };
    },
    async numbersBetween(from, to) {
      const rows = await db.rows<{ seq: number }>(
        'SELECT "seq" FROM "Execution" WHERE "seq" > ? AND "seq" <= ? ORDER BY "seq"',
        from,
        to,
      );
      return rows.map(({ seq }) => seq);
    },
    async countAfter(seq) {
      const row = await db.row<{ count: number }>('SELECT count(*) AS count FROM "Execution" WHERE "seq" > ?', seq);
      return row?.count ?? 0;
    },
    listBackdated: (seq, before, limit) => db.rows<{ id: string }>(SELECT_BACKDATED, seq, before, limit),
    nextDefinitions: (after, limit) => db.rows<StoredDefinition>(SELECT_DEFINITIONS, after, limit),
    async countUndefined() {
      return (await db.row<{ count: number }>(COUNT_UNDEFINED))?.count ?? 0;
    },
  };
}

function parse(row: Row | undefined): ExecutionDigest | null {
  return row === undefined ? null : { ...row, open: JSON.parse(row.open) as number[] };
}
