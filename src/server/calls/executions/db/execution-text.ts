import type { RawDatabase } from "../../../platform/db/sqlite/connection";
import { prepareColumn } from "../../../platform/db/sqlite/prepare-column";
import { distinctValues } from "./distinct-values";
import { readIndex, readRange } from "./text-index-reader";
import { createTextTest, type TextPattern } from "./text-pattern";
import { quoteTrigram, toTrigramQuery } from "./trigram-query";

/** Names of callers that a search compares. */
const MAX_NAMES = 1_000;
/** Longer rows are left out of the index, and read by each search. */
export const MAX_INDEXED_BYTES = 262_144;

/** Rows that may contain a text, as lists that are each newest first, below a row, and cut at `limit`. */
export type CandidateLists = (below: number, limit: number) => number[][];

/** The number of trigrams whose frequency is read. */
const PROBED_TRIGRAMS = 24;
const PROBED_ROWS = 100;
/** A trigram that is so many times as frequent as the rarest one leaves out too few rows. */
const FREQUENT = 8;

/** Prepares the choice of the rarest trigrams of a text, by how far the newest rows of each reach back. */
function prepareRarest(raw: RawDatabase): (trigrams: readonly string[]) => readonly string[] {
  const newest = prepareColumn<[], number | null>(raw, 'SELECT max(seq) FROM "Execution"').get() ?? 0;
  return (trigrams) => {
    const step = Math.max(1, trigrams.length / PROBED_TRIGRAMS);
    const chosen = Array.from(
      { length: Math.ceil(trigrams.length / step) },
      (_, index) => trigrams[Math.floor(index * step)] ?? "",
    );
    const probed = readIndex(raw, (index) => {
      const probe = prepareColumn<[string], number>(
        index,
        `SELECT rowid FROM Texts WHERE Texts MATCH ? ORDER BY rowid DESC LIMIT 1 OFFSET ${PROBED_ROWS}`,
      );
      return chosen.map((trigram) => ({ trigram, reach: newest - (probe.get(quoteTrigram(trigram)) ?? 0) }));
    });
    if (probed === null) return chosen;
    const farthest = Math.max(...probed.map(({ reach }) => reach));
    return probed.filter(({ reach }) => reach * FREQUENT >= farthest).map(({ trigram }) => trigram);
  };
}

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
