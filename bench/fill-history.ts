import type { Database } from "../src/server/platform/db/database";

const AT_ONCE = 20_000;
export const DAY_MS = 86_400_000;
/** The calls are spread over as many days. */
const DAYS = 90;

interface HistorySize {
  calls: number;
  /** The moment after the newest call. */
  now: number;
}

/** The time between two calls. */
const toStep = (calls: number): number => Math.floor((DAYS * DAY_MS) / calls);

/** The time before which a share of the calls was made. */
export const timeOf = (share: number, { calls, now }: HistorySize): number =>
  now - Math.floor(calls * (1 - share)) * toStep(calls);

/** The history that a database has from an earlier run; null for an empty one. */
export async function readHistory(db: Database): Promise<HistorySize | null> {
  const newest = await db.row<{ calls: number; at: number }>(
    'SELECT seq AS calls, "queuedAt" AS at FROM "Execution" ORDER BY seq DESC LIMIT 1',
  );
  return newest === undefined ? null : { calls: newest.calls, now: newest.at + toStep(newest.calls) };
}

/** Calls of 40 tools; one in 50 failed. `needle_` and a number is once in the whole history, and every text has `"query"`. */
export async function fillHistory(db: Database, { calls, now }: HistorySize): Promise<void> {
  const stepMs = toStep(calls);
  const failed = "i % 50 = 7";
  const text = `'{"query":"orders of customer cus_' || (i * 7919 % 1000003) || '","limit":' || (i % 90) || ',"note":"' || CASE
    WHEN i % 400 = 0 THEN 'urgent delivery' ELSE 'the usual delivery' END || ' to the warehouse in the harbour, second gate on the left"}'`;
  const result = `'{"orders":[{"id":"ord_' || (i * 104729 % 1000003) || '","total":' || (i % 977) || ',"state":"shipped"},{"id":"ord_' ||
    (i * 15485863 % 1000003) || '","total":12,"state":"open"}],"page":"needle_' || i || '"}'`;
  const end = `${now} - (${calls} - i) * ${stepMs}`;
  const insert = `INSERT INTO "Execution" (id, status, "toolName", source, "actorId", "actorName", "queuedAt", "startedAt", "finishedAt",
      "executionTimeMs", "validateMs", "runMs", "resultBytes", "storedBytes", "instanceId", "errorKind", error, arguments, result, client, searchable)
    WITH RECURSIVE n(i) AS (SELECT CAST(? AS bigint) UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?)
    SELECT 'exec_bench' || i, CASE WHEN ${failed} THEN 'failed' ELSE 'succeeded' END, 'tool_' || (i * 31 % 40),
      CASE i % 3 WHEN 0 THEN 'agent' WHEN 1 THEN 'gateway' ELSE 'api' END, 'user_' || (i % 12), 'User', ${end}, ${end} + 1, ${end} + 9,
      (i * 37 % 900) + 0.25, 0.05, (i * 37 % 900) + 0.125, 300, 300, 'bench', CASE WHEN ${failed} THEN 'tool_error' END,
      CASE WHEN ${failed} THEN 'The upstream service refused the order' END, ${text}, ${result}, 'client/' || (i % 5), 1 FROM n`;
  for (let first = 0; first < calls; first += AT_ONCE) await db.change(insert, first, Math.min(first + AT_ONCE, calls));
  if (db.kind === "sqlite") {
    db.raw.exec("ANALYZE");
    return;
  }
  // The index is made at once, which is many times as fast as row by row.
  await db.pool.query('SET statement_timeout = 0; DROP INDEX IF EXISTS "ExecutionText_trgm"');
  const client = await db.connect("bench");
  await client.query(`SET statement_timeout = 0; INSERT INTO "ExecutionText" (seq, body)
    SELECT seq, lower(concat_ws(chr(1), arguments, result, error)) FROM "Execution"`);
  await client.query('CREATE INDEX "ExecutionText_trgm" ON "ExecutionText" USING gin (body gin_trgm_ops)');
  await client.query("VACUUM ANALYZE");
  await client.end();
}
