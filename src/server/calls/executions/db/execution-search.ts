import type { ExecutionSummary } from "../../../../lib/contract/execution";
import { TimeSlice } from "../../../../lib/time-slice";
import type { RawDatabase } from "../../../platform/db/sqlite/connection";
import { prepareColumn } from "../../../platform/db/sqlite/prepare-column";
import { prepareNarrow, prepareRowTest, type SeqWindow, selectFew } from "./execution-queries";
import type { SqlValue } from "./execution-statements";
import { type CandidateLists, prepareCandidates } from "./execution-text";
import { createTextPattern, createTextTest, type TextPattern } from "./text-pattern";
import type { Condition } from "./unindexed-conditions";
import { WorkBudget } from "./work-budget";

/** The time after which a search lets other work run. */
const SLICE_MS = 8;
const FIRST_ROWS = 16;
const MOST_ROWS = 512;
const FIRST_CANDIDATES = 500;
const MOST_CANDIDATES = 8_000;
/** A filter that leaves fewer rows than this is the shorter way. */
const FEW_ROWS = 2_000;
/** Fewer characters have no trigram: only this many of the newest rows are read for them. */
const MAX_SHORT_SCAN = 20_000;
const TEXT_COLUMNS = ["arguments", "result", "error", "reason", '"calledAs"'];

/**
 * Candidates, newest first, each compared with the text itself. In slices, since a frequent text under a rare filter
 * can take many. @param budget what was found when it is spent is the answer
 */
export async function searchSeqs(
  raw: RawDatabase,
  window: SeqWindow,
  text: string,
  limit: number,
  budget = new WorkBudget(Number.POSITIVE_INFINITY),
): Promise<number[]> {
  const pattern = createTextPattern(text);
  const matches = prepareRowTest(raw, window.query, containsText(raw, pattern));
  const nextCandidates = await chooseCandidates(raw, window, pattern);
  const found: number[] = [];
  const slice = new TimeSlice();
  let below = window.below;
  let rowsAtOnce = FIRST_ROWS;
  while (true) {
    const { seqs, next } = budget.spend(() => nextCandidates(below));
    await slice.pause();
    for (let from = 0; from < seqs.length; ) {
      const begun = performance.now();
      const rows = seqs.slice(from, from + rowsAtOnce).filter((seq) => seq > window.above);
      if (rows.length === 0 || budget.isSpent) return found;
      for (const seq of budget.spend(() => matches(rows))) if (found.push(seq) >= limit) return found;
      from += rowsAtOnce;
      const tookMs = performance.now() - begun;
      // Rows may be a hundred bytes or some megabytes.
      if (tookMs < SLICE_MS / 4) rowsAtOnce = Math.min(rowsAtOnce * 2, MOST_ROWS);
      else if (tookMs > SLICE_MS) rowsAtOnce = Math.max(1, rowsAtOnce >> 1);
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (next === null || next <= window.above + 1 || budget.isSpent) return found;
    below = next;
  }
}

type NextCandidates = (below: number) => {
  seqs: number[];
  /** The position from which to continue; null at the end. */
  next: number | null;
};

/** The shortest way to the rows: the filter where it leaves few, the newest for a short text, else the text's index. */
async function chooseCandidates(raw: RawDatabase, window: SeqWindow, pattern: TextPattern): Promise<NextCandidates> {
  const seqs = window.query.selective ? await selectFew(raw, window, FEW_ROWS) : null;
  if (seqs !== null) return () => ({ seqs, next: null });
  return [...pattern.text].length < 3
    ? newestRows(raw)
    : mergedCandidates(prepareCandidates(raw, pattern), prepareNarrow(raw, window.query));
}

function mergedCandidates(lists: CandidateLists, narrow: (seqs: number[]) => number[]): NextCandidates {
  let limit = FIRST_CANDIDATES;
  return (below) => {
    const cut = limit;
    const begun = performance.now();
    const found = lists(below, cut);
    // Each slice looks for the newest row that has the text again, which is far away for a rare one: so slices grow.
    if (performance.now() - begun < SLICE_MS) limit = Math.min(limit * 2, MOST_CANDIDATES);
    // A list that was cut is known only down to its last row, so all are used only down to there.
    const floor = Math.max(...found.map((rows) => (rows.length < cut ? 0 : (rows.at(-1) ?? 0))));
    const seqs = [...new Set(found.flat())].filter((seq) => seq >= floor).sort((left, right) => right - left);
    return { seqs: narrow(seqs), next: floor === 0 ? null : floor };
  };
}

function newestRows(raw: RawDatabase): NextCandidates {
  const select = prepareColumn<[number, number], number>(
    raw,
    'SELECT seq FROM "Execution" WHERE seq < ? ORDER BY seq DESC LIMIT ?',
  );
  const newest = select.get(Number.MAX_SAFE_INTEGER, 1) ?? 0;
  return (below) => {
    const seqs = select.all(below, FIRST_CANDIDATES).filter((seq) => seq > newest - MAX_SHORT_SCAN);
    return { seqs, next: seqs.length < FIRST_CANDIDATES ? null : (seqs.at(-1) ?? null) };
  };
}

/** Characters of an excerpt, and how many of them come before the match. */
const EXCERPT_CHARS = 160;
const BEFORE_MATCH = 40;

/** Says of rows where a text was found that their previews do not show. */
export function prepareMatches(raw: RawDatabase) {
  const inColumn = (column: string): string => {
    const at = `instr(lower(${column}), wanted)`;
    const excerpt = `substr(${column}, max(1, ${at} - ${BEFORE_MATCH}), ${EXCERPT_CHARS})`;
    return `SELECT '${column}' AS "in", ${excerpt} AS text FROM "Execution", (SELECT ? AS wanted) WHERE seq = ? AND ${at} > 0`;
  };
  const find = raw.prepare<SqlValue[], Match>(`${EXCERPT_COLUMNS.map(inColumn).join(" UNION ALL ")} LIMIT 1`);
  const read = raw.prepare<[number], Record<string, string | null>>(
    `SELECT ${EXCERPT_COLUMNS.join(", ")} FROM "Execution" WHERE seq = ?`,
  );
  const findExcerpt = (seq: number, pattern: TextPattern): Match | undefined => {
    if (pattern.isPlain) return find.get(...EXCERPT_COLUMNS.flatMap(() => [pattern.text.toLowerCase(), seq]));
    const expression = new RegExp(pattern.source, "i");
    const row = read.get(seq) ?? {};
    for (const column of EXCERPT_COLUMNS) {
      const text = row[column];
      const at = text == null ? -1 : text.search(expression);
      const from = Math.max(0, at - BEFORE_MATCH);
      if (at >= 0) return { in: column, text: (text ?? "").slice(from, from + EXCERPT_CHARS).toWellFormed() };
    }
    return undefined;
  };
  return async (items: ExecutionSummary[], text: string): Promise<ExecutionSummary[]> => {
    if (text === "") return items;
    const pattern = createTextPattern(text);
    const isShown = createTextTest(pattern);
    for (const item of items) {
      if (isShown(`${item.errorPreview ?? ""}\n${item.argumentsPreview}`)) continue;
      const match = findExcerpt(item.seq, pattern);
      if (match !== undefined) item.match = match;
      // Results are long: other work runs between two rows.
      await new Promise((resolve) => setImmediate(resolve));
    }
    return items;
  };
}

type Match = NonNullable<ExecutionSummary["match"]>;
const EXCERPT_COLUMNS = ["error", "result", "arguments", "reason"] as const;

/** `LIKE` reads texts where they are; JavaScript searches for a text with several encodings, in a copy of each. */
function containsText(raw: RawDatabase, pattern: TextPattern): Condition {
  const { isPlain, like, likePart } = pattern;
  const isLike = TEXT_COLUMNS.map((column) => `${column} LIKE ? ESCAPE '!'`);
  const likes = TEXT_COLUMNS.map(() => like);
  if (isPlain) return { sql: isLike.join(" OR "), values: likes };
  addTextFunction(raw);
  // Every encoding has the characters that no program escapes as they are, and reading them takes a tenth of the time.
  const matches = TEXT_COLUMNS.map((column) => `(${column} LIKE ? ESCAPE '!' AND matches_text(${column}, ?))`);
  return {
    sql: [...isLike, ...matches].join(" OR "),
    values: [...likes, ...TEXT_COLUMNS.flatMap(() => [likePart, pattern.source])],
  };
}

const withFunction = new WeakSet<RawDatabase>();

/** `matches_text(text, expression)`, for the connection once. */
function addTextFunction(raw: RawDatabase): void {
  if (withFunction.has(raw)) return;
  withFunction.add(raw);
  let last = { source: "", expression: /^$/ };
  raw.function("matches_text", { deterministic: true }, (text: unknown, source: unknown) => {
    if (typeof text !== "string") return 0;
    if (last.source !== source) last = { source: String(source), expression: new RegExp(String(source), "i") };
    return last.expression.test(text) ? 1 : 0;
  });
}
