import type { ExecutionOrder } from "../../../../../lib/contract/execution";
import type { StoredFilter } from "../../execution-store";
import { isAfter, type OrderedRow } from "../execution-order";
import { buildQuery } from "../execution-queries";
import type { SummaryRow } from "../execution-rows";
import { DURATION, SUMMARY_COLUMNS, selectNewest, toCondition, type Window } from "./execution-queries";
import type { PostgresReads } from "./reads";

/** Newer calls than these are read faster than counted. */
const RECENT_MS = 3_600_000;

/** A tool has two: its calls under its own name, and those under another. */
const MAX_WHOLE_ARMS = 2;

export const FIGURE_COLUMNS = { duration: DURATION, size: '"storedBytes"' } as const;

export function createListReads(reads: PostgresReads) {
  /**
   * The rows of a filter. Rows are about in order of time, which the planner does not know: for an earlier time it would
   * read all that is newer. Null where there are none.
   */
  async function toWindow(filter: StoredFilter, below: number): Promise<Window | null> {
    const query = buildQuery(filter);
    const { since = 0, until } = filter;
    if (until === undefined || until > Date.now() - RECENT_MS) return { query, below, above: 0 };
    const [bounds] = await reads.rows<{ first: number | null; last: number | null }>(
      `SELECT min(seq) AS first, max(seq) AS last FROM (
         SELECT seq FROM "Execution" WHERE "queuedAt" >= ?::bigint AND "queuedAt" <= ?::bigint OFFSET 0
       ) AS found`,
      [since, until],
    );
    const { first = null, last = null } = bounds ?? {};
    return first === null || last === null ? null : { query, below: Math.min(below, last + 1), above: first - 1 };
  }

  /** Reads a page by one statement. @param varies the best plan depends on the values */
  function readNewest(window: Window, limit: number, varies: boolean): Promise<SummaryRow[]> {
    // Each arm reads up to a page: of many, the columns of the rows that are shown are read by number.
    const seqs = window.query.arms.length > MAX_WHOLE_ARMS ? selectNewest(window, limit) : null;
    const { sql, values } =
      seqs === null
        ? selectNewest(window, limit, SUMMARY_COLUMNS)
        : {
            ...seqs,
            sql: `SELECT ${SUMMARY_COLUMNS} FROM "Execution" WHERE seq = ANY (ARRAY(${seqs.sql})) ORDER BY seq DESC`,
          };
    return varies ? reads.rows<SummaryRow>(sql, values) : reads.preparedRows<SummaryRow>(sql, values);
  }

  const readRows = async (seqs: readonly number[]): Promise<SummaryRow[]> =>
    seqs.length === 0
      ? []
      : await reads.rows<SummaryRow>(
          `SELECT ${SUMMARY_COLUMNS} FROM "Execution" WHERE seq = ANY (?::bigint[]) ORDER BY seq DESC`,
          [seqs],
        );

  async function readOrdered(window: Window, order: ExecutionOrder, after: OrderedRow | null, limit: number) {
    const column = FIGURE_COLUMNS[order.by];
    const { sql, values } = toCondition(window, ...isAfter(column, order, after));
    return await reads.rows<OrderedRow>(
      `SELECT seq, ${column} AS value FROM "Execution" WHERE ${sql}
       ORDER BY ${column} IS NULL, ${column} ${order.descending ? "DESC" : "ASC"}, seq DESC LIMIT ${limit}`,
      values,
    );
  }

  const readFigures = (seqs: readonly number[], { by }: ExecutionOrder) =>
    reads.rows<OrderedRow>(
      `SELECT seq, ${FIGURE_COLUMNS[by]} AS value FROM "Execution" WHERE seq = ANY (?::bigint[])`,
      [seqs],
    );

  /** The execution whose id is the search text, as on SQLite; null where a deletion's filter does not match it. */
  async function findNamed(text: string, filter: StoredFilter): Promise<number | null | undefined> {
    if (!text.startsWith("exec_")) return undefined;
    const ofToken = filter.token === undefined ? "" : 'AND "tokenId" = ?';
    const [row] = await reads.rows<{ seq: number }>(`SELECT seq FROM "Execution" WHERE id = ? ${ofToken}`, [
      text,
      ...(filter.token === undefined ? [] : [filter.token]),
    ]);
    if (row === undefined || filter.ended !== true) return row?.seq;
    const { sql, values } = toCondition({ query: buildQuery(filter), below: row.seq + 1, above: row.seq - 1 });
    const [matching] = await reads.rows<{ seq: number }>(`SELECT seq FROM "Execution" WHERE ${sql}`, values);
    return matching?.seq ?? null;
  }

  return { readNewest, readRows, readOrdered, readFigures, findNamed, toWindow };
}
