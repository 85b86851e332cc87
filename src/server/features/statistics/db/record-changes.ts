import { AMONG, change, type Steps, selectRows } from "../../../platform/db/sql";
import { type CallFacts, isCounted } from "./call-facts";
import { listFacts } from "./statistics-sql";

/** Notes that a call has ended, in the transaction that ends it. A call that is noted already is counted as it is then. */
export const NOTE_ENDED = 'INSERT INTO "UncountedExecution" ("seq") VALUES (?) ON CONFLICT ("seq") DO NOTHING';

/** Calls with a lower number are not counted yet: a rebuild reads them as they are then. Only SQLite rebuilds in several transactions. */
const NOT_REBUILT = `coalesce((SELECT "below" FROM "StatisticRebuild"), 0)`;

/** The same of several calls. */
export function* noteEnded(seqs: readonly number[]): Steps<void> {
  for (const seq of seqs) yield* change(NOTE_ENDED, seq);
}

/** Takes ended calls out of the statistics, before the transaction that deletes or changes them does so. */
export function* noteRemoved(kind: "sqlite" | "postgres", seqs: readonly number[]): Steps<void> {
  // Those that were not counted yet need only be forgotten.
  const forgotten = yield* selectRows<{ seq: number }>(
    `DELETE FROM "UncountedExecution" WHERE "seq" ${AMONG} RETURNING "seq"`,
    seqs,
  );
  const isForgotten = new Set(forgotten.map(({ seq }) => seq));
  const counted = seqs.filter((seq) => !isForgotten.has(seq));
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
