import type { DeleteExecutions } from "../../../features/executions/execution-store";
import type { Database } from "../../database";

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
  { raw, write }: Pick<Database, "raw" | "write">,
  recordDeleted: RecordDeleted,
): DeleteExecutions {
  const select = raw
    .prepare<[string], DoomedRow>(
      `SELECT seq, id, octet_length(arguments) + coalesce(octet_length(result), 0) AS bytes FROM "Execution"
       WHERE id IN (SELECT value FROM json_each(?)) AND status NOT IN ('running', 'waiting') ORDER BY seq`,
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
  const removeSlice = raw.transaction((rows: readonly DoomedRow[], actor: string, at: number) => {
    recordDeleted(
      rows.map(({ seq }) => seq),
      actor,
      at,
    );
    const ids = JSON.stringify(rows.map(({ id }) => id));
    for (const statement of [...related, markKeys, remove]) statement.run(ids);
  });

  return async (ids, actor, at) => {
    const deleted: { id: string; seq: number }[] = [];
    const waiting = [...ids];
    while (waiting.length > 0) {
      await write(() => {
        const rows = firstRows(select.all(JSON.stringify(waiting.splice(0, SLICE_ROWS))), waiting);
        if (rows.length > 0) removeSlice.immediate(rows, actor, at);
        deleted.push(...rows.map(({ id, seq }) => ({ id, seq })));
      });
      await new Promise((resolve) => setImmediate(resolve));
    }
    return deleted;
  };
}

/** Rows up to the limit of bytes, at least one; the others wait. */
function firstRows(rows: readonly DoomedRow[], waiting: string[]): DoomedRow[] {
  let bytes = 0;
  const count = rows.findIndex((row, at) => {
    bytes += row.bytes;
    return at > 0 && bytes > SLICE_BYTES;
  });
  if (count === -1) return [...rows];
  waiting.unshift(...rows.slice(count).map(({ id }) => id));
  return rows.slice(0, count);
}
