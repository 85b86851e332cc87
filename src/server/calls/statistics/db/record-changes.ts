import { AMONG, change, type Steps, selectRow, selectRows } from "../../../platform/db/sql";
import { type CallFacts, isCounted } from "./call-facts";
import { listFacts } from "./statistics-sql";

/** Calls with a lower number are not counted yet: a rebuild reads them as they are then. Only SQLite rebuilds in several transactions. */
const NOT_REBUILT = `coalesce((SELECT "below" FROM "StatisticRebuild"), 0)`;

/**
 * Notes that calls have ended, in the transaction that ends them. Those that are noted already are counted as they are then. The
 * journal on SQLite need not: numbers become visible in their order there, and the counter finds what is above its watermark.
 */
export function* noteEnded(seqs: readonly number[]): Steps<void> {
  if (seqs.length === 0) return;
  yield* change(
    `INSERT INTO "UncountedExecution" SELECT e."seq" FROM "Execution" e WHERE e."seq" ${AMONG} ON CONFLICT DO NOTHING`,
    seqs,
  );
}

/** Takes ended calls out of the statistics, before the transaction that deletes or changes them does so. */
export function* noteRemoved(kind: "sqlite" | "postgres", seqs: readonly number[]): Steps<void> {
  // Calls that were not counted yet are only removed from the list.
  const forgotten = yield* selectRows<{ seq: number }>(
    `DELETE FROM "UncountedExecution" WHERE "seq" ${AMONG} RETURNING "seq"`,
    seqs,
  );
  const isForgotten = new Set(forgotten.map(({ seq }) => seq));
  const watermark = yield* selectRow<{ seq: number }>(
    `SELECT "seq" FROM "StatisticWatermark" ${kind === "postgres" ? "FOR SHARE" : ""}`,
  );
  const counted = seqs.filter((seq) => !isForgotten.has(seq) && seq < (watermark?.seq ?? Number.POSITIVE_INFINITY));
  if (counted.length === 0) return;
  const isRebuilt = kind === "sqlite" ? `AND e."seq" >= ${NOT_REBUILT}` : "";
  const facts = yield* selectRows<CallFacts>(
    `SELECT ${listFacts("e")} FROM "Execution" e WHERE e."seq" ${AMONG} AND e."status" NOT IN ('running', 'waiting') ${isRebuilt}`,
    counted,
  );
  const removed = facts.filter(isCounted);
  if (removed.length > 0)
    yield* change('INSERT INTO "UncountedDeletion" ("facts") VALUES (?)', JSON.stringify(removed));
}
