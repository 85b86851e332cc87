import type { MovedTable } from "./row-lines";

/** The progress of a table. */
export interface TableProgress {
  rows: number;
  checksum: string;
}

/** A database that is read; all of its data are of one moment. */
export interface MoveSource {
  /** Rows as lines, always in the same order, some of them at a time. */
  read(table: MovedTable): AsyncIterable<readonly string[]>;
  countRows(table: MovedTable): Promise<number>;
  /** The highest number of a counter so far; 0 for none. */
  readCounter(table: MovedTable & { counter: string }): Promise<number>;
  /** The texts that a statement selects as `text`. */
  selectTexts(sql: string): Promise<string[]>;
  close(): Promise<void>;
}

/** A database that is filled. */
export interface MoveTarget extends Omit<MoveSource, "selectTexts"> {
  /** Progress by table; null where no move has begun. */
  readProgress(): Promise<ReadonlyMap<string, TableProgress> | null>;
  /** Marks the database as unfinished; a server refuses it from then on. */
  begin(): Promise<void>;
  /** Adds rows and notes the progress in one transaction. */
  append(table: MovedTable, lines: readonly string[], progress: TableProgress): Promise<void>;
  /** Makes the next number a higher one. */
  raiseCounter(table: MovedTable & { counter: string }, number: number): Promise<void>;
  /** Removes the mark; a server accepts the database from then on. */
  finish(): Promise<void>;
}

export const quote = (name: string): string => `"${name}"`;
export const listNames = (names: readonly string[]): string => names.map(quote).join(", ");
export const listColumns = ({ columns }: MovedTable): string => listNames(columns.map(({ name }) => name));
