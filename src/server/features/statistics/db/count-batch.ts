import { AMONG, change, type Steps, selectRow, selectRows } from "../../../platform/db/sql";
import { type CallFacts, isCounted } from "./call-facts";
import { countFacts, type FactChange, type StatisticChange } from "./count-facts";
import { changeStatistics } from "./statistic-rows";
import { listFacts } from "./statistics-sql";

/** The lock of transactions that change rows of statistics: one at a time over all copies of the server. */
export const STATISTICS_LOCK = "statistics";

/** Calls of one transaction, and rows of statistics that they change: some milliseconds. */
const MOST_CALLS = 2_000;
const LEAST_CALLS = 25;
const MOST_ROWS = 600;
/** A deletion names up to so many calls. */
const CALLS_OF_DELETION = 50;

/** A number of calls that follows from the rows which the last ones changed. */
export interface BatchSize {
  calls: number;
}

export const createBatchSize = (): BatchSize => ({ calls: 1_000 });

/** Counts calls, as many as fit one transaction. */
function fitBatch<Item>(
  size: BatchSize,
  items: readonly Item[],
  toChanges: (items: readonly Item[]) => FactChange[],
  now: number,
): { count: number; changes: StatisticChange[] } {
  let count = items.length;
  for (;;) {
    const changes = countFacts(toChanges(items.slice(0, count)), now);
    if (changes.length <= MOST_ROWS || count <= LEAST_CALLS) {
      if (changes.length < MOST_ROWS / 2) size.calls = Math.min(MOST_CALLS, size.calls * 2);
      return { count, changes };
    }
    count = Math.max(LEAST_CALLS, Math.floor((count * MOST_ROWS * 0.8) / changes.length));
    size.calls = count;
  }
}

/** Brings ended and deleted calls into the rows of statistics. @returns whether others may wait */
export function* countBatch(kind: "sqlite" | "postgres", size: BatchSize, now: number): Steps<boolean> {
  const rebuild = yield* selectRow<{ below: number }>('SELECT "below" FROM "StatisticRebuild"');
  // A rebuild has calls in its hands that are not in the rows yet.
  if (rebuild !== undefined) return false;
  const lock = kind === "postgres" ? "FOR UPDATE SKIP LOCKED" : "";
  const limit = size.calls;
  const noted = yield* selectRows<{ seq: number }>(
    `SELECT "seq" FROM "UncountedExecution" ORDER BY "seq" LIMIT ? ${lock}`,
    limit,
  );
  if (noted.length > 0) {
    yield* countNoted(kind, size, noted, now);
    return true;
  }
  const removed = yield* selectRows<{ id: number; facts: string }>(
    `SELECT "id", "facts" FROM "UncountedDeletion" ORDER BY "id" LIMIT ? ${lock}`,
    Math.ceil(limit / CALLS_OF_DELETION),
  );
  if (removed.length === 0) return false;
  const toChanges = (items: typeof removed) => items.flatMap(({ facts }) => parseRemoved(facts));
  const { count, changes } = fitBatch(
    size,
    removed,
    toChanges as (items: readonly (typeof removed)[number][]) => FactChange[],
    now,
  );
  yield* changeStatistics(kind, changes);
  const ids = removed.slice(0, count).map(({ id }) => id);
  yield* change(`DELETE FROM "UncountedDeletion" WHERE "id" ${AMONG}`, ids);
  return true;
}

function* countNoted(
  kind: "sqlite" | "postgres",
  size: BatchSize,
  noted: readonly { seq: number }[],
  now: number,
): Steps<void> {
  const seqs = noted.map(({ seq }) => seq);
  const facts = yield* selectRows<CallFacts>(
    `SELECT ${listFacts("e")} FROM "Execution" e WHERE e."seq" ${AMONG} ORDER BY e."seq"`,
    seqs,
  );
  const { count, changes } = fitBatch(size, facts, toAdded, now);
  yield* changeStatistics(kind, changes);
  const last = count < facts.length ? (facts[count - 1]?.seq ?? 0) : Number.MAX_SAFE_INTEGER;
  const done = seqs.filter((seq) => seq <= last);
  yield* change(`DELETE FROM "UncountedExecution" WHERE "seq" ${AMONG}`, done);
}

export const toAdded = (facts: readonly CallFacts[]): FactChange[] =>
  facts.filter(isCounted).map((each) => ({ facts: each, sign: 1 }));

/** PostgreSQL writes NUL as it is into JSON that it makes. */
export const parseRemoved = (text: string): FactChange[] =>
  (JSON.parse(text.replaceAll("\0", "\\u0000")) as CallFacts[]).map((facts) => ({ facts, sign: -1 }));
