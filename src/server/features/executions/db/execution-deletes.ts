import type { SqliteDatabase } from "../../../platform/db/database";
import type { DeleteExecutions, DeletionBy } from "../execution-store";

/** Names deleted executions in the chain of digests, inside the transaction that deletes them. */
export type RecordDeleted = (seqs: readonly number[], actor: string, at: number) => void;

/** Rows and bytes of one transaction: some milliseconds. */
const SLICE_ROWS = 50;
const SLICE_BYTES = 4 * 1024 * 1024;

interface DoomedRow {
  seq: number;
  id: string;
  bytes: number;
}

/** Deletes ended executions with all that belongs to them, in slices with other work in between. Triggers keep the text index. */
export function createExecutionDeletes(
  { raw, write }: Pick<SqliteDatabase, "raw" | "write">,
  recordDeleted: RecordDeleted,
): DeleteExecutions {
  const select = raw
    .prepare<[string, number], DoomedRow>(
      `SELECT seq, id, octet_length(arguments) + coalesce(octet_length(result), 0) AS bytes FROM "Execution"
       WHERE id IN (SELECT value FROM json_each(?)) AND status NOT IN ('running', 'waiting') AND pinned <= ?
       ORDER BY seq`,
    )
    .safeIntegers(false);
  const related = ["Approval", "SamplingRequest", "GatewayTask"].map((table) =>
    raw.prepare<[string]>(`DELETE FROM "${table}" WHERE "executionId" IN (SELECT value FROM json_each(?))`),
  );
  const remove = raw.prepare<[string]>('DELETE FROM "Execution" WHERE id IN (SELECT value FROM json_each(?))');
  // The key stays, so that its request is not sent to the tool again.
  const markKeys = raw.prepare<[string]>(
    `UPDATE "IdempotencyKey" SET "targetId" = '' WHERE "targetId" IN (SELECT value FROM json_each(?))`,
  );
  // Reads what is pinned and what runs under the lock that the deletion holds.
  const removeSlice = raw.transaction((slice: readonly string[], { actor, at, includePinned }: DeletionBy) => {
    const found = select.all(JSON.stringify(slice), includePinned ? 1 : 0);
    const rows = found.slice(0, countFirst(found));
    if (rows.length === 0) return { rows, waiting: [] };
    recordDeleted(
      rows.map(({ seq }) => seq),
      actor,
      at,
    );
    const ids = JSON.stringify(rows.map(({ id }) => id));
    for (const statement of [...related, markKeys, remove]) statement.run(ids);
    return { rows, waiting: found.slice(rows.length).map(({ id }) => id) };
  });

  return async (ids, by) => {
    const deleted: { id: string; seq: number }[] = [];
    const waiting = [...ids];
    while (waiting.length > 0) {
      const slice = waiting.splice(0, SLICE_ROWS);
      const outcome = await write(() => removeSlice.immediate(slice, by));
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
