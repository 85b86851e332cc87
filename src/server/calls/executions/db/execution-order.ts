import type { ExecutionOrder } from "../../../../lib/contract/execution";
import type { RawDatabase } from "../../../platform/db/sqlite/connection";
import { eachWindow, prepareArms, type SeqWindow } from "./execution-queries";
import { DURATION_SQL } from "./execution-statements";
import type { Condition } from "./unindexed-conditions";

export const FIGURE_COLUMNS = { duration: DURATION_SQL, size: '"storedBytes"' } as const;

export interface OrderedRow {
  seq: number;
  value: number | null;
}

/** The next rows by a figure: all matching rows are read in slices, which takes about half a second for a million. */
export async function selectOrdered(
  raw: RawDatabase,
  window: SeqWindow,
  order: ExecutionOrder,
  after: OrderedRow | null,
  limit: number,
): Promise<OrderedRow[]> {
  const column = FIGURE_COLUMNS[order.by];
  const direction = order.descending ? "DESC" : "ASC";
  const query = { ...window.query, common: [...window.query.common, ...isAfter(column, order, after)] };
  const tail = `ORDER BY ${column} IS NULL, ${column} ${direction}, seq DESC LIMIT ${Math.trunc(limit)}`;
  const arms = prepareArms<OrderedRow>(raw, query, `seq, ${column} AS value`, tail);
  let first: OrderedRow[] = [];
  await eachWindow(raw, window, (bounds) => {
    const rows = arms(bounds);
    if (rows.length > 0) first = [...first, ...rows].sort(compareBy(order)).slice(0, limit);
    return true;
  });
  return first;
}

/** The next rows in the order of a figure. */
export function orderRows(
  raw: RawDatabase,
  seqs: readonly number[],
  order: ExecutionOrder,
  after: OrderedRow | null,
  limit: number,
): OrderedRow[] {
  const rows = raw
    .prepare<[string], OrderedRow>(
      `SELECT seq, ${FIGURE_COLUMNS[order.by]} AS value FROM "Execution" WHERE seq IN (SELECT value FROM json_each(?))`,
    )
    .safeIntegers(false)
    .all(JSON.stringify(seqs));
  return takeOrdered(rows, order, after, limit);
}

/** The next `limit` of some rows. */
export function takeOrdered(rows: OrderedRow[], order: ExecutionOrder, after: OrderedRow | null, limit: number) {
  const compare = compareBy(order);
  return rows
    .filter((row) => after === null || compare(row, after) > 0)
    .sort(compare)
    .slice(0, limit);
}

/** The condition of rows after the last one of a page. */
export function isAfter(column: string, { descending }: ExecutionOrder, after: OrderedRow | null): Condition[] {
  if (after === null) return [];
  const { seq, value } = after;
  if (value === null) return [{ sql: `${column} IS NULL AND seq < ?`, values: [seq] }];
  const sql = `(${column} ${descending ? "<" : ">"} ? OR (${column} = ? AND seq < ?) OR ${column} IS NULL)`;
  return [{ sql, values: [value, value, seq] }];
}

/** Rows without the figure come last, the newest of equal ones first. */
function compareBy({ descending }: ExecutionOrder): (left: OrderedRow, right: OrderedRow) => number {
  const rank = (value: number | null): number =>
    value === null ? Number.POSITIVE_INFINITY : descending ? -value : value;
  return (left, right) => {
    const a = rank(left.value);
    const b = rank(right.value);
    return a === b ? right.seq - left.seq : a < b ? -1 : 1;
  };
}
