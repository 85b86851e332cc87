import type { RawDatabase } from "../../../platform/db/sqlite/connection";
import { prepareColumn } from "../../../platform/db/sqlite/prepare-column";
import { distinctValues } from "./distinct-values";
import { prepareRarest } from "./rarest-trigrams";
import { readIndex, readRange } from "./text-index-reader";
import { createTextTest, type TextPattern } from "./text-pattern";
import { toTrigramQuery } from "./trigram-query";

/** Names of callers that a search compares. */
const MAX_NAMES = 1_000;
/** Longer rows are left out of the index, and read by each search. */
export const MAX_INDEXED_BYTES = 262_144;

/** Rows that may contain a text, as lists that are each newest first, below a row, and cut at `limit`. */
export type CandidateLists = (below: number, limit: number) => number[][];

/** Reads what the index has, in one snapshot of it. */
function readIndexed(raw: RawDatabase, match: string, below: number, limit: number) {
  const indexed = readIndex(raw, (index) => {
    // The driver binds numbers as reals, and FTS5 ignores a bound that is no integer: it would walk every newer row.
    const texts = prepareColumn<[string, number, number], number>(
      index,
      "SELECT rowid FROM Texts WHERE Texts MATCH ? AND rowid < CAST(? AS INTEGER) ORDER BY rowid DESC LIMIT ?",
    );
    const prepareDirect = (table: "Waiting" | "Large") =>
      prepareColumn<[number, number], number>(
        index,
        `SELECT seq FROM ${table} WHERE seq < ? ORDER BY seq DESC LIMIT ?`,
      );
    return {
      range: readRange(index),
      lists: [
        texts.all(match, below, limit),
        prepareDirect("Waiting").all(below, limit),
        prepareDirect("Large").all(below, limit),
      ],
    };
  });
  return indexed ?? { range: readRange(null), lists: [] };
}

export function prepareCandidates(raw: RawDatabase, pattern: TextPattern): CandidateLists {
  const match = toTrigramQuery(pattern, prepareRarest(raw));
  const newer = prepareColumn<[number, number, number], number>(
    raw,
    'SELECT seq FROM "Execution" WHERE seq > ? AND seq < ? ORDER BY seq DESC LIMIT ?',
  );
  const changed = prepareColumn<[number, number, number], number>(
    raw,
    `SELECT DISTINCT seq FROM "ExecutionTextChange" INDEXED BY "ExecutionTextChange_kept"
     WHERE removed = 0 AND id > ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
  );
  const named = prepareColumn<[string, number, number], number>(
    raw,
    `SELECT seq FROM "Execution" WHERE "calledAs" = ? AND "calledAs" IS NOT NULL AND seq < ? ORDER BY seq DESC LIMIT ?`,
  );
  const names = distinctValues(raw, "calledAs", MAX_NAMES).filter(createTextTest(pattern));
  return (below, limit) => {
    const { range, lists } = readIndexed(raw, match, below, limit);
    return [
      ...lists,
      ...names.map((name) => named.all(name, below, limit)),
      newer.all(range.high, below, limit),
      newer.all(0, Math.min(below, range.low + 1), limit),
      changed.all(range.changes, below, limit),
    ];
  };
}
