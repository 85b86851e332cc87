import type { Database } from "../../../platform/db/database";
import { AMONG, change, type Steps, selectRows } from "../../../platform/db/sql";
import { noteRemoved } from "../../statistics/db/record-changes";
import type { DeleteExecutions, DeletionBy } from "../execution-store";

/** Names deleted executions in the chain of digests, inside the transaction that deletes them. */
export type RecordDeleted = (seqs: readonly number[], actor: string, at: number) => Steps<void>;

/** Transactions that continue the chain of digests take turns. */
export const DIGEST_LOCK = "digests";

/** Rows and bytes of one transaction: some milliseconds, with long search text up to a tenth of a second. */
const SLICE_ROWS = 50;
const SLICE_BYTES = 256 * 1024;

interface DoomedRow {
  seq: number;
  id: string;
  bytes: number;
}

const RELATED = ["Approval", "SamplingRequest", "GatewayTask", "ExecutionEvents", "RuleMatch"];

/**
 * Deletes ended executions with all that belongs to them, in slices with other work in between.
 * @param onDeleted called after each slice; on SQLite, a trigger notes for the search index what was deleted
 */
export function createExecutionDeletes(
  db: Database,
  recordDeleted: RecordDeleted,
  onDeleted: () => void,
): DeleteExecutions {
  // Locks the rows, so that calls pinned at the same time stay.
  const lock = db.kind === "postgres" ? "FOR UPDATE" : "";
  const selectDoomed = `SELECT seq, id, octet_length(arguments) + coalesce(octet_length(result), 0) AS bytes FROM "Execution"
    WHERE id ${AMONG} AND status NOT IN ('running', 'waiting') AND (pinned = false OR ? = 1) ORDER BY seq ${lock}`;

  function* removeSlice(slice: readonly string[], { actor, at, includePinned }: DeletionBy) {
    const found = yield* selectRows<DoomedRow>(selectDoomed, slice, includePinned ? 1 : 0);
    const rows = found.slice(0, countFirst(found));
    if (rows.length === 0) return { rows, waiting: [] };
    const seqs = rows.map(({ seq }) => seq);
    yield* recordDeleted(seqs, actor, at);
    const ids = rows.map(({ id }) => id);
    for (const table of RELATED) yield* change(`DELETE FROM "${table}" WHERE "executionId" ${AMONG}`, ids);
    // The key is kept, so that its request is not sent to the tool again.
    yield* change(`UPDATE "IdempotencyKey" SET "targetId" = '' WHERE "targetId" ${AMONG}`, ids);
    yield* noteRemoved(db.kind, seqs);
    if (db.kind === "postgres") yield* change(`DELETE FROM "ExecutionText" WHERE seq ${AMONG}`, seqs);
    yield* change(`DELETE FROM "Execution" WHERE id ${AMONG}`, ids);
    return { rows, waiting: found.slice(rows.length).map(({ id }) => id) };
  }

  return async (ids, by) => {
    const deleted: { id: string; seq: number }[] = [];
    const waiting = [...ids];
    while (waiting.length > 0) {
      const slice = waiting.splice(0, SLICE_ROWS);
      const outcome = await db.transaction(() => removeSlice(slice, by), DIGEST_LOCK);
      onDeleted();
      waiting.unshift(...outcome.waiting);
      deleted.push(...outcome.rows.map(({ id, seq }) => ({ id, seq })));
      await new Promise((resolve) => setImmediate(resolve));
    }
    return deleted;
  };
}

/** How many rows fit the limit of bytes, at least one. */
function countFirst(rows: readonly DoomedRow[]): number {
  let bytes = 0;
  const count = rows.findIndex((row, at) => {
    bytes += row.bytes;
    return at > 0 && bytes > SLICE_BYTES;
  });
  return count === -1 ? rows.length : count;
}
