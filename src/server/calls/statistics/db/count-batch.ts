import { AMONG, change, type Steps, selectRow, selectRows } from "../../../platform/db/sql";
import { type CallFacts, isCounted, isOpen } from "./call-facts";
import { type ChangedRows, countFacts, type FactChange, type StatisticChange } from "./count-facts";
import type { GatheredCalls, RecentCalls } from "./recent-calls";
import { noteEnded } from "./record-changes";
import { changeStatistics } from "./statistic-rows";
import { listFacts, NOTED, OPEN, READ_REBUILD } from "./statistics-sql";

/** The lock of transactions that change rows of statistics: one at a time over all instances of the server. */
export const STATISTICS_LOCK = "statistics";

/** Calls of one transaction, and rows of statistics that they change: some milliseconds. */
const MOST_CALLS = 2_000;
const LEAST_CALLS = 25;
const MOST_ROWS = 600;
/** Numbers that the watermark passes in one transaction. */
const MOST_PASSED = 5_000;
/** The number of calls in one deletion record. */
const CALLS_OF_DELETION = 50;

/** The size of the next batch, which depends on the rows that the last one changed. */
export interface BatchSize {
  calls: number;
}

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

export interface CountOptions {
  kind: "sqlite" | "postgres";
  size: BatchSize;
  recent: Pick<RecentCalls, "pause">;
  /** The calls that this process has stored since the last time. */
  own: GatheredCalls;
  /** Also counts deletions and the calls that other instances have noted. */
  all: boolean;
  now: number;
}

/** Brings ended and deleted calls into the rows of statistics. @returns whether others may wait */
export function* countBatch(options: CountOptions): Steps<boolean> {
  const { kind, size, own, all, now } = options;
  // A rebuild reads the calls itself, and holds some that are not in the rows yet.
  if ((yield* selectRow(READ_REBUILD)) !== undefined) {
    options.recent.pause();
    return false;
  }
  if (kind === "postgres") yield* noteAboveWatermark();
  const isDone = yield* countOwn(options);
  const counted = all || !isDone ? yield* countNoted(kind, size, all ? null : own.seqs, now) : "none";
  if (counted === "some" || !all) return counted === "some";
  if (counted === "all") return (yield* selectRow('SELECT "id" FROM "UncountedDeletion" LIMIT 1')) !== undefined;
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

/** Numbers at and above the watermark of SQLite, which moves behind the last of them. */
function* passWatermark(last: number): Steps<{ watermark: number; passed: number[] }> {
  const watermark = (yield* selectRow<{ seq: number }>('SELECT "seq" FROM "StatisticWatermark"'))?.seq;
  if (watermark === undefined) return { watermark: Number.POSITIVE_INFINITY, passed: [] };
  const found = yield* selectRow<{ seqs: string }>(FOLLOWING, watermark, last, MOST_PASSED);
  const passed: number[] = JSON.parse(found?.seqs ?? "[]");
  const end = passed.at(-1);
  if (end !== undefined) yield* change('UPDATE "StatisticWatermark" SET "seq" = ?', end + 1);
  return { watermark, passed };
}

const FOLLOWING = `SELECT json_group_array("seq") AS seqs FROM
  (SELECT "seq" FROM "Execution" WHERE "seq" >= ? AND "seq" <= ? ORDER BY "seq" LIMIT ?) e`;

/**
 * Counts what this process has gathered, if exactly these calls have ended and are not counted: one may have been deleted, or
 * counted by another instance of the server. Notes every other call that the watermark passes. @returns whether they are counted
 */
function* countOwn({ kind, own, all, now }: CountOptions): Steps<boolean> {
  const { seqs, profiles } = own;
  const last = all ? Number.MAX_SAFE_INTEGER : seqs.reduce((most, seq) => Math.max(most, seq), 0);
  const { watermark, passed } =
    kind === "sqlite" ? yield* passWatermark(last) : { watermark: Number.POSITIVE_INFINITY, passed: [] };
  const isOwn = new Set(seqs);
  const others = passed.filter((seq) => !isOwn.has(seq));
  const noted = seqs.filter((seq) => seq < watermark);
  const found = noted.length === 0 ? undefined : yield* selectRow<{ calls: number }>(COUNT_NOTED[kind], noted);
  const rows: ChangedRows = new Map();
  profiles.addTo(rows, now);
  const isSame = passed.length - others.length + (found?.calls ?? 0) === seqs.length;
  const isWhole = isSame && passed.length < MOST_PASSED && rows.size <= MOST_ROWS;
  yield* noteEnded(isWhole ? others : passed);
  if (!isWhole) return false;
  yield* changeStatistics(kind, [...rows.values()]);
  if (noted.length > 0) yield* change(`DELETE FROM "UncountedExecution" WHERE "seq" ${AMONG}`, noted);
  return true;
}

const countNotedSql = (lock: string) =>
  `SELECT count(*) AS calls FROM (SELECT u."seq" FROM "UncountedExecution" u WHERE u."seq" ${AMONG} ${lock}) n`;
const COUNT_NOTED = { sqlite: countNotedSql(LOCK.sqlite), postgres: countNotedSql(LOCK.postgres) };

/** @param among null for all @returns how many of the noted calls were counted */
function* countNoted(
  kind: "sqlite" | "postgres",
  size: BatchSize,
  among: readonly number[] | null,
  now: number,
): Steps<"all" | "some" | "none"> {
  const limit = size.calls;
  const noted = yield* selectRows<{ seq: number }>(
    `SELECT u."seq" ${NOTED} ${among === null ? "" : `AND u."seq" ${AMONG}`} ORDER BY u."seq" LIMIT ? ${LOCK[kind]}`,
    ...(among === null ? [] : [among]),
    limit,
  );
  if (noted.length === 0) return "none";
  const facts = yield* selectRows<CallFacts>(
    `SELECT ${listFacts("e")} FROM "Execution" e WHERE e."seq" ${AMONG}`,
    noted.map(({ seq }) => seq),
  );
  const { count, changes } = fitBatch(size, facts, toEnded, now);
  yield* changeStatistics(kind, changes);
  const done = facts.slice(0, count).map(({ seq }) => seq);
  yield* change(`DELETE FROM "UncountedExecution" WHERE "seq" ${AMONG}`, done);
  return count < facts.length || noted.length === limit ? "some" : "all";
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

const toEnded = (facts: readonly CallFacts[]): FactChange[] => toAdded(facts.filter((each) => !isOpen(each)));

/** PostgreSQL writes NUL unchanged into JSON that it makes. */
export const parseRemoved = (text: string): FactChange[] =>
  (JSON.parse(text.replaceAll("\0", "\\u0000")) as CallFacts[]).map((facts) => ({ facts, sign: -1 }));
