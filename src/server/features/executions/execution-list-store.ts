import type { ExecutionFilter, ExecutionPage, ExecutionSummary } from "../../../lib/contract";
import type { Database } from "../../db/database";
import type { RawDatabase } from "../../db/sqlite/connection";
import {
  buildQuery,
  type Condition,
  type ExecutionQuery,
  prepareRowTest,
  SUMMARY_COLUMNS,
  selectSeqs,
  seqBounds,
} from "../../db/sqlite/execution-queries";
import { type CandidateSource, likePattern, prepareCandidates } from "../../db/sqlite/execution-text";
import { type SummaryRow, toSummary } from "./execution-rows";

export const MAX_PAGE = 200;
const DEFAULT_PAGE = 50;
/** A search gives way to other work this often. */
const SLICE_MS = 8;
const CANDIDATES = 500;
/** Fewer characters have no trigram: only this many of the newest rows are read for them. */
const MAX_SHORT_SCAN = 20_000;
const TEXT_COLUMNS = ["arguments", "result", "error"];

export interface PageRequest {
  /** `nextCursor` of the page before. */
  cursor?: number | null;
  limit?: number;
}

export type ListExecutions = (filter: ExecutionFilter, page?: PageRequest) => Promise<ExecutionPage>;

/** Pages by `seq`, newest first: complete and without repetition, whatever arrives in between. */
export function createExecutionList({ raw }: Database): ListExecutions {
  // A page is one consistent read of at most MAX_PAGE rows by primary key.
  const selectSummaries = raw
    .prepare<[string], SummaryRow>(
      `SELECT ${SUMMARY_COLUMNS} FROM Execution WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY seq DESC`,
    )
    .safeIntegers(false);
  const findById = raw.prepare<[string], number>("SELECT seq FROM Execution WHERE id = ?").pluck().safeIntegers(false);

  return async (filter, { cursor, limit = DEFAULT_PAGE } = {}) => {
    const size = Math.max(1, Math.min(Math.trunc(limit), MAX_PAGE));
    const below = cursor ?? Number.MAX_SAFE_INTEGER;
    const text = filter.q?.trim() ?? "";
    const named = text.startsWith("exec_") ? findById.get(text) : undefined;
    if (named !== undefined) {
      return { items: named < below ? summaries([named]) : [], nextCursor: null };
    }
    const window = timeWindow(raw, filter, below);
    if (window === null) return { items: [], nextCursor: null };
    const seqs =
      text === ""
        ? selectSeqs(raw, window.query, window.below, size + 1)
        : await searchSeqs(raw, window.query, text, window, size + 1);
    const shown = seqs.slice(0, size);
    return { items: summaries(shown), nextCursor: seqs.length > size ? (shown.at(-1) ?? null) : null };
  };

  function summaries(seqs: number[]): ExecutionSummary[] {
    return selectSummaries.all(JSON.stringify(seqs)).map(toSummary);
  }
}

interface Window {
  query: ExecutionQuery;
  below: number;
  /** Exclusive. */
  above: number;
}

function timeWindow(raw: RawDatabase, filter: ExecutionFilter, below: number): Window | null {
  const query = buildQuery(filter);
  if (filter.since === undefined && filter.until === undefined) return { query, below, above: 0 };
  const bounds = seqBounds(raw, filter.since ?? 0, filter.until ?? Number.MAX_SAFE_INTEGER);
  if (bounds === null) return null;
  query.common.push({ sql: "seq >= ?", values: [bounds.first] });
  return { query, below: Math.min(below, bounds.last + 1), above: bounds.first - 1 };
}

/**
 * Candidates from the trigram index and the rows not yet in it, merged by `seq`, each compared with the text itself. In
 * slices, since a frequent text under a rare filter can take many.
 */
async function searchSeqs(
  raw: RawDatabase,
  query: ExecutionQuery,
  text: string,
  window: Window,
  limit: number,
): Promise<number[]> {
  const matches = prepareRowTest(raw, query, containsText(raw, text));
  const nextCandidates = [...text].length < 3 ? newestRows(raw) : mergedCandidates(prepareCandidates(raw, text));
  const found: number[] = [];
  let below = window.below;
  let sliceEndsAt = performance.now() + SLICE_MS;
  while (true) {
    const { seqs, next } = nextCandidates(below);
    for (const seq of seqs) {
      if (seq <= window.above) return found;
      if (matches(seq) && found.push(seq) >= limit) return found;
      if (performance.now() > sliceEndsAt) {
        await new Promise((resolve) => setImmediate(resolve));
        sliceEndsAt = performance.now() + SLICE_MS;
      }
    }
    if (next === null) return found;
    below = next;
  }
}

type NextCandidates = (below: number) => {
  seqs: number[] /** Where to go on; null at the end. */;
  next: number | null;
};

function mergedCandidates(source: CandidateSource): NextCandidates {
  return (below) => {
    const indexed = source.indexed(below, CANDIDATES);
    const unindexed = source.unindexed(below, CANDIDATES);
    // A list that was cut is known only down to its last row, so both are used only down to there.
    const floor = Math.max(...[indexed, unindexed].map((rows) => (rows.length < CANDIDATES ? 0 : (rows.at(-1) ?? 0))));
    const seqs = [...new Set([...indexed, ...unindexed])]
      .filter((seq) => seq >= floor)
      .sort((left, right) => right - left);
    return { seqs, next: floor === 0 ? null : floor };
  };
}

function newestRows(raw: RawDatabase): NextCandidates {
  const select = raw
    .prepare<[number, number], number>("SELECT seq FROM Execution WHERE seq < ? ORDER BY seq DESC LIMIT ?")
    .pluck()
    .safeIntegers(false);
  const newest = select.get(Number.MAX_SAFE_INTEGER, 1) ?? 0;
  return (below) => {
    const seqs = select.all(below, CANDIDATES).filter((seq) => seq > newest - MAX_SHORT_SCAN);
    return { seqs, next: seqs.length < CANDIDATES ? null : (seqs.at(-1) ?? null) };
  };
}

/** `LIKE` folds A–Z only. Other alphabets are folded by JavaScript, at the price of a copy of each text. */
function containsText(raw: RawDatabase, text: string): Condition {
  const ascii = [...text].every((character) => character <= "\u007f");
  if (ascii) {
    const sql = TEXT_COLUMNS.map((column) => `${column} LIKE ? ESCAPE '!'`).join(" OR ");
    return { sql, values: TEXT_COLUMNS.map(() => likePattern(text)) };
  }
  raw.function("contains_folded", { deterministic: true }, (haystack: unknown, needle: unknown) =>
    typeof haystack === "string" && haystack.toLowerCase().includes(String(needle)) ? 1 : 0,
  );
  const sql = TEXT_COLUMNS.map((column) => `contains_folded(${column}, ?)`).join(" OR ");
  return { sql, values: TEXT_COLUMNS.map(() => text.toLowerCase()) };
}
