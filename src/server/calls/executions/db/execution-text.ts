import type { SqliteDatabase } from "../../../platform/db/database";
import type { RawDatabase } from "../../../platform/db/sqlite/connection";
import { prepareColumn } from "../../../platform/db/sqlite/prepare-column";
import { distinctValues } from "./distinct-values";
import type { IndexBatch } from "./text-indexer";
import { createTextTest, type TextPattern } from "./text-pattern";
import { quoteTrigram, toTrigramQuery } from "./trigram-query";

/** Names of callers that a search compares. */
const MAX_NAMES = 1_000;
/** Longer rows are left out of the index: indexing one would stop everything else for too long. */
export const MAX_INDEXED_BYTES = 262_144;

export interface UnindexedRow {
  seq: number;
  bytes: number;
  hasReason: 0 | 1;
}

const BYTES = "octet_length(arguments) + coalesce(octet_length(result), 0) + coalesce(octet_length(error), 0)";
/** The second condition is that of the partial index, and has to be there literally or SQLite does not use it. */
const WAITING = "searchable = 0 AND searchable <> 1";
const TOO_LARGE = "searchable = 2 AND searchable <> 1";

/**
 * The trigram table is filled from here alone, after the commit of a row: doing it inside costs three to eight times
 * the commit. What is not in it yet is still found, by reading the rows.
 */
export function prepareTextIndex(raw: RawDatabase) {
  const oldest = raw
    .prepare<[number], UnindexedRow>(
      `SELECT seq, ${BYTES} AS bytes, reason IS NOT NULL AS hasReason FROM "Execution"
       WHERE ${WAITING} AND status NOT IN ('running', 'waiting') ORDER BY seq LIMIT ?`,
    )
    .safeIntegers(false);
  const insert = raw.prepare<[number]>(
    `INSERT INTO ExecutionText (rowid, arguments, result, error)
     SELECT seq, arguments, result, error FROM "Execution" WHERE seq = ?`,
  );
  const remove = raw.prepare<[number]>(
    `INSERT INTO ExecutionText (ExecutionText, rowid, arguments, result, error)
     SELECT 'delete', seq, arguments, result, error FROM "Execution" WHERE seq = ?`,
  );
  const insertReason = raw.prepare<[number]>(
    'INSERT INTO ExecutionTextReason (rowid, reason) SELECT seq, reason FROM "Execution" WHERE seq = ?',
  );
  const removeReason = raw.prepare<[number]>(
    `INSERT INTO ExecutionTextReason (ExecutionTextReason, rowid, reason)
     SELECT 'delete', seq, reason FROM "Execution" WHERE seq = ? AND reason IS NOT NULL`,
  );
  const mark = raw.prepare<[number, number]>('UPDATE "Execution" SET searchable = ? WHERE seq = ?');
  const indexRows = raw.transaction((rows: readonly UnindexedRow[]) => {
    for (const { seq, bytes, hasReason } of rows) {
      const fits = bytes <= MAX_INDEXED_BYTES;
      if (fits) {
        insert.run(seq);
        if (hasReason === 1) insertReason.run(seq);
      }
      mark.run(fits ? 1 : 2, seq);
    }
  });
  return {
    oldest: (limit: number) => oldest.all(limit),
    indexRows: (rows: readonly UnindexedRow[]) => indexRows.immediate(rows),
    /** Called before a row that is in the index changes its text. Expects an open transaction. */
    remove(seq: number): void {
      remove.run(seq);
      removeReason.run(seq);
    },
  };
}

export type TextIndex = ReturnType<typeof prepareTextIndex>;

const MAX_BATCH_ROWS = 32;
/** Some ten milliseconds of indexing. A longer row is a separate batch. */
const MAX_BATCH_BYTES = 24 * 1024;

export function createIndexBatch({ write }: Pick<SqliteDatabase, "write">, textIndex: TextIndex): IndexBatch {
  return async () => {
    const waiting = textIndex.oldest(MAX_BATCH_ROWS);
    const rows = takeFirst(waiting);
    if (rows.length === 0) return "nothing";
    await write(() => textIndex.indexRows(rows));
    return rows.length < waiting.length || rows.length === MAX_BATCH_ROWS ? "part" : "all";
  };
}

function takeFirst(rows: UnindexedRow[]): UnindexedRow[] {
  let bytes = 0;
  const end = rows.findIndex((row, index) => {
    bytes += row.bytes;
    return index > 0 && bytes > MAX_BATCH_BYTES;
  });
  return end === -1 ? rows : rows.slice(0, end);
}

/** Rows that may contain a text, as lists that are each newest first, below a row, and cut at `limit`. */
export type CandidateLists = (below: number, limit: number) => number[][];

/** The number of trigrams whose frequency is read. */
const PROBED_TRIGRAMS = 24;
const PROBED_ROWS = 100;
/** A trigram that is so many times as frequent as the rarest one leaves out too few rows. */
const FREQUENT = 8;

/** Prepares the choice of the rarest trigrams of a text, by how far the newest rows of each reach back. */
function prepareRarest(raw: RawDatabase): (trigrams: readonly string[]) => readonly string[] {
  const probe = prepareColumn<[string], number>(
    raw,
    `SELECT rowid FROM ExecutionText WHERE ExecutionText MATCH ? ORDER BY rowid DESC LIMIT 1 OFFSET ${PROBED_ROWS}`,
  );
  const newest = prepareColumn<[], number | null>(raw, 'SELECT max(seq) FROM "Execution"').get() ?? 0;
  return (trigrams) => {
    const step = Math.max(1, trigrams.length / PROBED_TRIGRAMS);
    const probed = Array.from(
      { length: Math.ceil(trigrams.length / step) },
      (_, index) => trigrams[Math.floor(index * step)] ?? "",
    ).map((trigram) => ({ trigram, reach: newest - (probe.get(quoteTrigram(trigram)) ?? 0) }));
    const farthest = Math.max(...probed.map(({ reach }) => reach));
    return probed.filter(({ reach }) => reach * FREQUENT >= farthest).map(({ trigram }) => trigram);
  };
}

export function prepareCandidates(raw: RawDatabase, pattern: TextPattern): CandidateLists {
  const match = toTrigramQuery(pattern, prepareRarest(raw));
  const prepareIndexed = (table: "ExecutionText" | "ExecutionTextReason") =>
    prepareColumn<[string, number, number], number>(
      raw,
      // The driver binds numbers as reals, and FTS5 ignores a bound that is no integer: it would walk every newer row.
      `SELECT rowid FROM ${table} WHERE ${table} MATCH ? AND rowid < CAST(? AS INTEGER) ORDER BY rowid DESC LIMIT ?`,
    );
  const texts = prepareIndexed("ExecutionText");
  const reasons = prepareIndexed("ExecutionTextReason");
  const prepareUnindexed = (condition: string) =>
    prepareColumn<[number, number], number>(
      raw,
      `SELECT seq FROM "Execution" INDEXED BY Execution_unindexed WHERE ${condition} AND seq < ? ORDER BY seq DESC LIMIT ?`,
    );
  const named = prepareColumn<[string, number, number], number>(
    raw,
    `SELECT seq FROM "Execution" WHERE "calledAs" = ? AND "calledAs" IS NOT NULL AND seq < ? ORDER BY seq DESC LIMIT ?`,
  );
  const names = distinctValues(raw, "calledAs", MAX_NAMES).filter(createTextTest(pattern));
  const waiting = prepareUnindexed(WAITING);
  const tooLarge = prepareUnindexed(TOO_LARGE);
  return (below, limit) => [
    texts.all(match, below, limit),
    reasons.all(match, below, limit),
    ...names.map((name) => named.all(name, below, limit)),
    waiting.all(below, limit),
    tooLarge.all(below, limit),
  ];
}
