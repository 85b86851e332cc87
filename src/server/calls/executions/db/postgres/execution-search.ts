import type { ExecutionSummary } from "../../../../../lib/contract/execution";
import type { SqlValue } from "../execution-statements";
import { createTextPattern, createTextTest, type TextPattern } from "../text-pattern";
import type { Condition } from "../unindexed-conditions";
import { readSeqs, selectNewest, toCondition, type Window } from "./execution-queries";
import type { PostgresReads } from "./reads";

const TEXT_COLUMNS = ["arguments", "result", "error", "reason", '"calledAs"'];

/** A filter that leaves fewer rows than this is the shorter way. */
const FEW_ROWS = 2_000;
/** The newest rows, which are compared first: a frequent text is found in them. */
const FIRST_WALK = 2_000;
const LONGEST_WALK = 64_000;
/** A text this frequent is found sooner by walking on than by the index. */
const WALKED_AT_MOST = 20_000;
/** Fewer characters have no trigram: only this many of the newest rows are read for them. */
const MAX_SHORT_SCAN = 20_000;
/** The index gets this time, or as long as walking over the rest would take. */
const INDEX_BUDGET_MS = 1_000;
/** A part of a text that has a trigram of the index. */
const HAS_TRIGRAM = /[a-z0-9]{3}/i;

/** Characters of an excerpt, and how many of them come before the match. */
const EXCERPT_CHARS = 160;
const BEFORE_MATCH = 40;

export function createExecutionSearch(reads: PostgresReads) {
  const hasTrigrams = createTrigramCheck(reads);

  /**
   * Rows with a text, newest first. The search takes two steps, since the index alone would sort all matches of a
   * frequent text: the newest rows are compared directly; where they are too few, the index finds the others, or, where
   * it takes too long, the direct comparison continues.
   * @param until of `performance.now()`: the rows found by then are the answer
   */
  async function searchSeqs(window: Window, text: string, limit: number, until = Number.POSITIVE_INFINITY) {
    const pattern = createTextPattern(text);
    const contains = containsText(pattern);
    const read = (part: Window, most: number, ms: number) => {
      const { sql, values } = toCondition(part, contains);
      const select = `SELECT seq FROM "Execution" WHERE ${sql} ORDER BY seq DESC LIMIT ${most}`;
      return ms === Number.POSITIVE_INFINITY
        ? readSeqs(reads, { sql: select, values })
        : reads.rowsWithin<{ seq: number }>(ms, select, values).then((rows) => rows?.map(({ seq }) => seq) ?? null);
    };
    if (window.query.selective && (await countFew(window)) < FEW_ROWS) {
      return (await read(window, limit, until - performance.now())) ?? [];
    }
    const [newestRow] = await reads.rows<{ newest: number | null }>('SELECT max(seq) AS newest FROM "Execution"');
    const newest = newestRow?.newest ?? 0;
    const isShort = [...pattern.text].length < 3;
    const above = isShort ? Math.max(window.above, newest - MAX_SHORT_SCAN) : window.above;
    const found: number[] = [];
    let below = Math.min(window.below, newest + 1);
    let walked = 0;
    const begun = performance.now();
    let useIndex = !isShort && (await hasTrigrams());
    for (let rows = FIRST_WALK; below > above + 1; rows = Math.min(rows * 2, LONGEST_WALK)) {
      const floor = Math.max(above, below - rows - 1);
      const part = await read({ ...window, below, above: floor }, limit - found.length, until - performance.now());
      if (part === null) return found;
      found.push(...part);
      walked += below - floor - 1;
      below = floor + 1;
      if (found.length >= limit || below <= above + 1) return found;
      if (useIndex && walked * (limit / Math.max(found.length, 1)) > WALKED_AT_MOST) {
        const walkMs = ((performance.now() - begun) / walked) * (below - above);
        const end = Math.min(until, performance.now() + Math.max(INDEX_BUDGET_MS, walkMs));
        const rest = await readByIndex({ ...window, below, above }, pattern, limit - found.length, end);
        if (rest !== null) return [...found, ...rest];
        useIndex = false;
      }
    }
    return found;
  }

  /** The rows of a filter, up to `FEW_ROWS`. */
  async function countFew(window: Window): Promise<number> {
    const { sql, values } = selectNewest(window, FEW_ROWS);
    const [row] = await reads.rows<{ found: number }>(`SELECT count(*) AS found FROM (${sql}) AS few`, values);
    return row?.found ?? 0;
  }

  /** Rows that the indexer has not reached, or that are too large for it, are compared directly. Null where it takes too long. */
  async function readByIndex(
    window: Window,
    pattern: TextPattern,
    limit: number,
    until: number,
  ): Promise<number[] | null> {
    const filter = toCondition(window);
    const unindexed = toCondition(window, containsText(pattern));
    const candidate = toCandidate(pattern);
    const { below, above } = window;
    const rows = await reads.rowsWithin<{ seq: number }>(
      until - performance.now(),
      `WITH candidates AS MATERIALIZED (
         SELECT seq FROM "ExecutionText" WHERE ${candidate.sql} AND seq < ?::bigint AND seq > ?::bigint
       )
       (SELECT seq FROM "Execution" WHERE seq IN (SELECT seq FROM candidates) AND ${filter.sql} ORDER BY seq DESC LIMIT ${limit})
       UNION ALL
       (SELECT seq FROM "Execution" WHERE searchable <> 1 AND ${unindexed.sql} ORDER BY seq DESC LIMIT ${limit})
       ORDER BY seq DESC LIMIT ${limit}`,
      [...candidate.values, below, above, ...filter.values, ...unindexed.values],
    );
    return rows?.map(({ seq }) => seq) ?? null;
  }

  /** Says of rows where a text was found that their previews do not show. */
  async function addMatches(items: ExecutionSummary[], text: string): Promise<ExecutionSummary[]> {
    if (text === "") return items;
    const pattern = createTextPattern(text);
    const isShown = createTextTest(pattern);
    const unseen = items.filter(
      ({ errorPreview, argumentsPreview }) => !isShown(`${errorPreview ?? ""}\n${argumentsPreview}`),
    );
    if (unseen.length === 0) return items;
    const columns = ["error", "result", "arguments", "reason"];
    const places = columns.map((column, order) => {
      const at = pattern.isPlain ? `strpos(lower(${column}), wanted)` : `regexp_instr(${column}, wanted, 1, 1, 0, 'i')`;
      const excerpt = `substr(${column}, greatest(1, ${at} - ${BEFORE_MATCH}), ${EXCERPT_CHARS})`;
      return `SELECT seq, ${order} AS rank, '${column}' AS "in", ${excerpt} AS text FROM named WHERE ${at} > 0`;
    });
    const found = await reads.rows<{ seq: number } & NonNullable<ExecutionSummary["match"]>>(
      `WITH named AS (SELECT seq, error, result, arguments, reason, ?::text AS wanted FROM "Execution" WHERE seq = ANY (?::bigint[]))
       SELECT DISTINCT ON (seq) seq, "in", text FROM (${places.join(" UNION ALL ")}) AS places ORDER BY seq, rank`,
      [pattern.isPlain ? pattern.text.toLowerCase() : pattern.source, unseen.map(({ seq }) => seq)],
    );
    const matches = new Map(found.map(({ seq, ...match }) => [seq, match]));
    for (const item of unseen) {
      const match = matches.get(item.seq);
      if (match !== undefined) item.match = match;
    }
    return items;
  }

  return { searchSeqs, addMatches };
}

/** The rows of the index with a text. */
function toCandidate({ isPlain, like, likePart, source }: TextPattern): Condition {
  if (isPlain) return { sql: "body LIKE ? ESCAPE '!'", values: [like.toLowerCase()] };
  // The extension finds the trigrams of an expression too, in three times the time; the index has no condition on another text.
  if (!HAS_TRIGRAM.test(likePart)) return { sql: "body ~* ?", values: [source] };
  return { sql: "body LIKE ? ESCAPE '!' AND (body || '') ~* ?", values: [likePart.toLowerCase(), source] };
}

/** The extension may be forbidden, and may be added later. */
function createTrigramCheck(reads: PostgresReads): () => Promise<boolean> {
  let known = false;
  return async () => {
    if (known) return true;
    const [row] = await reads.rows<{ found: 0 | 1 }>(`SELECT to_regclass('"ExecutionText_trgm"') IS NOT NULL AS found`);
    known = row?.found === 1;
    return known;
  };
}

/** Texts with one encoding are compared fast, others by an expression. */
function containsText({ isPlain, like, source }: TextPattern): Condition {
  const likes = TEXT_COLUMNS.map((column) => `${column} ILIKE ? ESCAPE '!'`);
  const matches = isPlain ? [] : TEXT_COLUMNS.map((column) => `${column} ~* ?`);
  const values: SqlValue[] = [...likes.map(() => like), ...matches.map(() => source)];
  return { sql: `(${[...likes, ...matches].join(" OR ")})`, values };
}
