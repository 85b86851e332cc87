/** A list is for `AMONG`. Booleans are 1 and 0. */
export type SqlValue = string | number | null | Uint8Array | readonly string[] | readonly number[];

/** SQL that both kinds of database take, with a question mark for each value. */
export interface Statement {
  sql: string;
  values: readonly SqlValue[];
}

export interface Outcome {
  rows: unknown[];
  /** Rows that were inserted, updated or deleted. */
  changes: number;
}

/** Work of a transaction: yields its statements, which SQLite executes within one turn of the event loop. */
export type Steps<T> = Generator<Statement, T, Outcome>;

/** A condition that the value is in a list. */
export const AMONG = "IN (SELECT value FROM json_each(?))";

/** The list of `AMONG` for a statement of SQLite alone. A text that no database takes as it is matches nothing, so it is left out. */
export function toJsonList(texts: readonly string[]): string {
  return JSON.stringify(texts.filter((text) => text.isWellFormed() && !text.includes("\0")));
}

export function* selectRows<Row>(sql: string, ...values: SqlValue[]): Steps<Row[]> {
  return (yield { sql, values }).rows as Row[];
}

export function* selectRow<Row>(sql: string, ...values: SqlValue[]): Steps<Row | undefined> {
  return (yield { sql, values }).rows[0] as Row | undefined;
}

/** Returns how many rows were changed. */
export function* change(sql: string, ...values: SqlValue[]): Steps<number> {
  return (yield { sql, values }).changes;
}

/** SQL on either kind of database. Each text is prepared once, so it must be one of a few. */
export interface SqlAccess {
  rows<Row>(sql: string, ...values: SqlValue[]): Promise<Row[]>;
  row<Row>(sql: string, ...values: SqlValue[]): Promise<Row | undefined>;
  /** Writes with one statement and returns how many rows it changed. Rejects as `write` does. */
  change(sql: string, ...values: SqlValue[]): Promise<number>;
  /**
   * Transactions with the same lock take turns, so that what one has read holds until its commit. `work` may be run again
   * and must have no other effect. Rejects as `write` does.
   */
  transaction<T>(work: () => Steps<T>, lock?: string): Promise<T>;
}
