import { AMONG, change, type Steps, selectRow, selectRows } from "../../../platform/db/sql";
import { type CallFacts, isCounted, isOpen } from "./call-facts";
import { countFacts, type FactChange, type StatisticChange } from "./count-facts";
import type { RecentCalls } from "./recent-calls";
import { noteEnded } from "./record-changes";
import { changeStatistics } from "./statistic-rows";
import { listFacts, NOTED, OPEN, WATERMARK } from "./statistics-sql";

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

/** What a counter keeps between its transactions. */
export interface Counting {
  size: BatchSize;
  recent: RecentCalls;
}

export const createCounting = (recent: RecentCalls): Counting => ({ size: { calls: 2_000 }, recent });

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
export function* countBatch(kind: "sqlite" | "postgres", counting: Counting, now: number): Steps<boolean> {
  const { size } = counting;
  const rebuild = yield* selectRow<{ below: number }>('SELECT "below" FROM "StatisticRebuild"');
  // A rebuild reads the calls itself, and holds some that are not in the rows yet.
  if (rebuild !== undefined) {
    counting.recent.pass(Number.POSITIVE_INFINITY);
    return false;
  }
  if (kind === "postgres") yield* noteAboveWatermark();
  const counted = yield* countEnded(kind, counting, now);
  if (counted !== "none") {
    // Another transaction at once would find few calls, and change as many rows for them.
    if (counted === "some") return true;
    return (yield* selectRow('SELECT "id" FROM "UncountedDeletion" LIMIT 1')) !== undefined;
  }
  const removed = yield* selectRows<RemovedRow>(
    `SELECT "id", "facts" FROM "UncountedDeletion" u ORDER BY "id" LIMIT ? ${LOCK[kind]}`,
    Math.ceil(size.calls / CALLS_OF_DELETION),
  );
  if (removed.length === 0) return false;
  const toChanges = (items: readonly RemovedRow[]) => items.flatMap(({ facts }) => parseRemoved(facts));
  const { count, changes } = fitBatch(size, removed, toChanges, now);
  yield* changeStatistics(kind, changes);
  const ids = removed.slice(0, count).map(({ id }) => id);
  yield* change(`DELETE FROM "UncountedDeletion" WHERE "id" ${AMONG}`, ids);
  return true;
}

interface RemovedRow {
  id: number;
  facts: string;
}

const LOCK = { sqlite: "", postgres: "FOR UPDATE OF u SKIP LOCKED" };

/** PostgreSQL notes each call. A database that was SQLite's brings its watermark. */
function* noteAboveWatermark(): Steps<void> {
  const found = yield* selectRow<{ seq: number }>('DELETE FROM "StatisticWatermark" RETURNING "seq"');
  if (found === undefined) return;
  yield* change(
    `INSERT INTO "UncountedExecution" SELECT e."seq" FROM "Execution" e WHERE e."seq" >= ? AND NOT ${OPEN} ON CONFLICT DO NOTHING`,
    found.seq,
  );
}

const FOLLOWING = `SELECT json_group_array("seq") AS "every", json_group_array("seq") FILTER (WHERE ${OPEN}) AS "open"
  FROM (SELECT e."seq", e."status" FROM "Execution" e WHERE e."seq" >= ${WATERMARK} ORDER BY e."seq" LIMIT ?) e`;

/** The calls above the watermark that are next. */
function* findFollowing(limit: number): Steps<{ every: number[]; open: number[] }> {
  const found = yield* selectRow<{ every: string; open: string }>(FOLLOWING, limit);
  return { every: JSON.parse(found?.every ?? "[]"), open: JSON.parse(found?.open ?? "[]") };
}

/** @returns how many of the ended calls were counted */
function* countEnded(
  kind: "sqlite" | "postgres",
  { size, recent }: Counting,
  now: number,
): Steps<"all" | "some" | "none"> {
  const limit = size.calls;
  const noted = yield* selectRows<{ seq: number }>(
    `SELECT u."seq" ${NOTED} ORDER BY u."seq" LIMIT ? ${LOCK[kind]}`,
    limit,
  );
  const { every, open } = kind === "sqlite" ? yield* findFollowing(limit) : { every: [], open: [] };
  if (noted.length + every.length === 0) return "none";
  const isOpenSeq = new Set(open);
  const facts = yield* findFacts(recent, [
    ...noted.map(({ seq }) => seq),
    ...every.filter((seq) => !isOpenSeq.has(seq)),
  ]);
  const { count, changes } = fitBatch(size, facts, toEnded, now);
  yield* changeStatistics(kind, changes);
  const done = facts.slice(0, count).map(({ seq }) => seq);
  if (noted.length > 0) yield* change(`DELETE FROM "UncountedExecution" WHERE "seq" ${AMONG}`, done);
  const [first, last] = [every[0], every.at(-1)];
  if (first !== undefined && last !== undefined) {
    const below = facts[count]?.seq ?? last + 1;
    if (below > first) yield* passWatermark(recent, open, { from: first, below });
  }
  return count < facts.length || noted.length === limit || every.length === limit ? "some" : "all";
}

function* passWatermark(recent: RecentCalls, open: readonly number[], range: PassedRange): Steps<void> {
  yield* passCalls(open, range);
  yield* change('UPDATE "StatisticWatermark" SET "seq" = ?', range.below);
  recent.pass(range.below);
}

/** Reads only what this process has not stored itself, such as before it began. */
function* findFacts(recent: RecentCalls, seqs: readonly number[]): Steps<CallFacts[]> {
  const missing = seqs.filter((seq) => recent.find(seq) === undefined);
  if (missing.length === 0) return seqs.flatMap((seq) => recent.find(seq) ?? []);
  const read = yield* selectRows<CallFacts>(
    `SELECT ${listFacts("e")} FROM "Execution" e WHERE e."seq" ${AMONG}`,
    missing,
  );
  const known = new Map(read.map((facts) => [facts.seq, facts]));
  return seqs.flatMap((seq) => recent.find(seq) ?? known.get(seq) ?? []);
}

interface PassedRange {
  from: number;
  below: number;
}

/** Of the calls of a range, those that are still open are left to be counted. */
export function* passCalls(open: readonly number[], { from, below }: PassedRange): Steps<void> {
  yield* change('DELETE FROM "UncountedExecution" WHERE "seq" >= ? AND "seq" < ?', from, below);
  yield* noteEnded(open.filter((seq) => seq < below));
}

/** Sets the first watermark, with the first commit of the journal: what has ended until then is noted or counted. */
export function* beginWatermark(): Steps<void> {
  if ((yield* selectRow('SELECT "seq" FROM "StatisticWatermark"')) !== undefined) return;
  yield* change(
    `INSERT INTO "UncountedExecution" SELECT e."seq" FROM "Execution" e WHERE ${OPEN} ON CONFLICT DO NOTHING`,
  );
  yield* change('INSERT INTO "StatisticWatermark" SELECT 1, coalesce(max("seq"), 0) + 1 FROM "Execution"');
}

export const toAdded = (facts: readonly CallFacts[]): FactChange[] =>
  facts.filter(isCounted).map((each) => ({ facts: each, sign: 1 }));

export const toEnded = (facts: readonly CallFacts[]): FactChange[] => toAdded(facts.filter((each) => !isOpen(each)));

/** PostgreSQL writes NUL as it is into JSON that it makes. */
export const parseRemoved = (text: string): FactChange[] =>
  (JSON.parse(text.replaceAll("\0", "\\u0000")) as CallFacts[]).map((facts) => ({ facts, sign: -1 }));
