import type { PostgresDatabase } from "../../../platform/db/database";
import { LOCK_SPACE, runSteps } from "../../../platform/db/postgres/postgres-sql";
import { change, type Steps, selectRow, selectRows } from "../../../platform/db/sql";
import type { CallFacts } from "./call-facts";
import { type BatchSize, createBatchSize, fitBatch, toAdded } from "./count-batch";
import { changeStatistics, removeSome } from "./statistic-rows";
import { listFacts } from "./statistics-sql";

/** Above the number of every call: the old rows of statistics are being removed. */
const CLEARING = Number.MAX_SAFE_INTEGER;
const REMOVED_AT_ONCE = 2_000;

/** From now on figures are incomplete, until each call is counted again. */
export function* beginRebuild(): Steps<void> {
  yield* change('DELETE FROM "StatisticRebuild"');
  yield* change('INSERT INTO "StatisticRebuild" ("id", "below") VALUES (1, ?)', CLEARING);
}

const SELECT_BELOW = `SELECT ${listFacts("e")} FROM "Execution" e WHERE e."seq" < ? ORDER BY e."seq" DESC LIMIT ?`;

/** One transaction of a rebuild on SQLite, from the newest calls to the oldest. @returns whether there are more */
export function* rebuildPart(size: BatchSize, now: number): Steps<boolean> {
  const state = yield* selectRow<{ below: number }>('SELECT "below" FROM "StatisticRebuild"');
  if (state === undefined) return false;
  if (state.below === CLEARING) return yield* clearPart();
  const facts = yield* selectRows<CallFacts>(SELECT_BELOW, state.below, size.calls);
  if (facts.length === 0) {
    yield* change('DELETE FROM "StatisticRebuild"');
    return false;
  }
  const toEnded = (items: readonly CallFacts[]) =>
    toAdded(items.filter(({ status }) => status !== "running" && status !== "waiting"));
  const { count, changes } = fitBatch(size, facts, toEnded, now);
  yield* changeStatistics("sqlite", changes);
  const from = facts[count - 1]?.seq ?? 0;
  // What ended since the rebuild began has just been counted.
  yield* change('DELETE FROM "UncountedExecution" WHERE "seq" >= ? AND "seq" < ?', from, state.below);
  yield* change('UPDATE "StatisticRebuild" SET "below" = ?', from);
  return true;
}

function* clearPart(): Steps<boolean> {
  const removed = yield* change(removeSome("true", REMOVED_AT_ONCE));
  if (removed > 0) return true;
  yield* change('DELETE FROM "UncountedDeletion"');
  yield* change('UPDATE "StatisticRebuild" SET "below" = (SELECT coalesce(max("seq"), 0) + 1 FROM "Execution")');
  return true;
}

/** Calls that are read from PostgreSQL at once. */
const READ_AT_ONCE = 1_000;

/**
 * Rebuilds within one transaction, from one snapshot: what it sees as noted is in that snapshot, and all else is noted for
 * later. Others read and write meanwhile. Rejects with `code` 40001 where the statistics were just changed: try again.
 */
export async function rebuildFromSnapshot(
  { pool }: PostgresDatabase,
  options: { lock: number; now: number; signal: AbortSignal },
): Promise<void> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query("BEGIN; SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
    await client.query(`SELECT pg_advisory_xact_lock(${LOCK_SPACE}, ${options.lock})`);
    const size = createBatchSize();
    for (const table of ["Statistic", "UncountedExecution", "UncountedDeletion", "StatisticRebuild"]) {
      await client.query(`DELETE FROM "${table}"`);
    }
    for (let below = Number.MAX_SAFE_INTEGER; ; ) {
      options.signal.throwIfAborted();
      const facts = await runSteps(client, selectRows<CallFacts>(SELECT_BELOW, below, READ_AT_ONCE));
      const last = facts.at(-1);
      if (last === undefined) break;
      const ended = facts.filter(({ status }) => status !== "running" && status !== "waiting");
      for (let from = 0; from < ended.length; ) {
        const { count, changes } = fitBatch(size, ended.slice(from), toAdded, options.now);
        await runSteps(client, changeStatistics("postgres", changes));
        from += count;
      }
      below = last.seq;
    }
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}
