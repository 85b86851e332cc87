import type pg from "pg";
import type { PostgresDatabase, SqliteDatabase } from "../../../platform/db/database";
import { LOCK_SPACE, runPoolTransaction, runSteps } from "../../../platform/db/postgres/postgres-sql";
import { change, type Steps, selectRows } from "../../../platform/db/sql";
import { type CallFacts, isOpen } from "./call-facts";
import { STATISTICS_LOCK } from "./count-batch";
import { RebuildTally } from "./rebuild-tally";
import { noteEnded } from "./record-changes";
import { changeStatistics, removeSome } from "./statistic-rows";
import { listFacts } from "./statistics-sql";

/** Higher than the number of every call: the old rows of statistics are being removed. */
const CLEARING = Number.MAX_SAFE_INTEGER;
const REMOVED_AT_ONCE = 300;
const READ_AT_ONCE = 500;
/** Rows that are gathered before they are written: those of a day and more, so that few are written twice. */
const GATHERED_ROWS = 20_000;
const WRITTEN_AT_ONCE = 300;

const SELECT_BELOW = `SELECT ${listFacts("e")} FROM "Execution" e WHERE e."seq" < ? ORDER BY e."seq" DESC LIMIT ?`;

/** Marks figures as incomplete until each call is counted again. */
export function* beginRebuild(): Steps<void> {
  yield* change('DELETE FROM "StatisticRebuild"');
  yield* change('INSERT INTO "StatisticRebuild" ("id", "below") VALUES (1, ?)', CLEARING);
}

function* clearPart(): Steps<void> {
  const removed = yield* change(removeSome("true", REMOVED_AT_ONCE));
  if (removed > 0) return;
  yield* change('DELETE FROM "UncountedDeletion"');
  yield* change('DELETE FROM "UncountedExecution"');
  for (const place of ['"StatisticRebuild" SET "below"', '"StatisticWatermark" SET "seq"']) {
    yield* change(`UPDATE ${place} = (SELECT coalesce(max("seq"), 0) + 1 FROM "Execution")`);
  }
}

/** Reads the next calls; what ended among them since the rebuild began is counted with them. */
function* readPart(below: number): Steps<CallFacts[]> {
  const facts = yield* selectRows<CallFacts>(SELECT_BELOW, below, READ_AT_ONCE);
  const last = facts.at(-1);
  if (last === undefined) return facts;
  // Open calls are counted once they have ended.
  yield* change('DELETE FROM "UncountedExecution" WHERE "seq" >= ? AND "seq" < ?', last.seq, below);
  yield* noteEnded(facts.filter(isOpen).map(({ seq }) => seq));
  yield* change('UPDATE "StatisticRebuild" SET "below" = ?', last.seq);
  return facts;
}

/**
 * A rebuild on SQLite, in transactions of some milliseconds, from the newest calls to the oldest. What it has read and not written is
 * in memory, so after the end of a process it begins again.
 */
export function createSqliteRebuild(db: Pick<SqliteDatabase, "transaction" | "row">, now: () => number) {
  const run = <T>(work: () => Steps<T>): Promise<T> => db.transaction(work, STATISTICS_LOCK);
  let tally = new RebuildTally(now());
  let hasBegun = false;
  let isWriting = false;

  async function write(): Promise<void> {
    const part = tally.next(WRITTEN_AT_ONCE);
    await run(() => changeStatistics("sqlite", part, true));
    tally.drop(part);
    isWriting = part.length > 0;
  }

  /** @returns whether there are more calls */
  async function read(below: number): Promise<boolean> {
    const facts = await run(() => readPart(below));
    tally.add(facts);
    isWriting = tally.size >= GATHERED_ROWS || (facts.length === 0 && tally.size > 0);
    return facts.length > 0 || isWriting;
  }

  /** @returns whether there is more to do */
  return async (): Promise<boolean> => {
    const state = await db.row<{ below: number }>('SELECT "below" FROM "StatisticRebuild"');
    if (state === undefined) return false;
    if (!hasBegun || state.below === CLEARING) {
      if (!hasBegun && state.below !== CLEARING) await run(beginRebuild);
      tally = new RebuildTally(now());
      [hasBegun, isWriting] = [true, false];
      await run(clearPart);
      return true;
    }
    if (isWriting) {
      await write();
      return true;
    }
    if (await read(state.below)) return true;
    await run(() => change('DELETE FROM "StatisticRebuild"'));
    hasBegun = false;
    return false;
  };
}

/**
 * Rebuilds within one transaction, from one snapshot: calls that it sees as noted are in that snapshot, and all others
 * are noted for later. Others may read and write at the same time. Rejects with `code` 40001 where the statistics were
 * just changed: try again.
 */
export async function rebuildFromSnapshot(
  { pool }: PostgresDatabase,
  options: { lock: number; now: number; signal: AbortSignal },
): Promise<void> {
  const work = async (client: pg.ClientBase): Promise<void> => {
    const tally = new RebuildTally(options.now);
    async function write(): Promise<void> {
      for (let part = tally.next(WRITTEN_AT_ONCE); part.length > 0; part = tally.next(WRITTEN_AT_ONCE)) {
        options.signal.throwIfAborted();
        await runSteps(client, changeStatistics("postgres", part));
        tally.drop(part);
      }
    }
    await client.query(`SELECT pg_advisory_xact_lock(${LOCK_SPACE}, ${options.lock})`);
    for (const table of [
      "Statistic",
      "UncountedExecution",
      "UncountedDeletion",
      "StatisticWatermark",
      "StatisticRebuild",
    ]) {
      await client.query(`DELETE FROM "${table}"`);
    }
    for (let below = Number.MAX_SAFE_INTEGER; ; ) {
      const facts = await runSteps(client, selectRows<CallFacts>(SELECT_BELOW, below, READ_AT_ONCE));
      const last = facts.at(-1);
      if (last === undefined) break;
      tally.add(facts);
      if (tally.size >= GATHERED_ROWS) await write();
      below = last.seq;
    }
    await write();
  };
  await runPoolTransaction(pool, work, "BEGIN; SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
}
