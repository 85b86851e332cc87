import type { MovedTable } from "./row-lines";

/** How far a table has come. */
export interface TableProgress {
  rows: number;
  checksum: string;
}

/** A database that is read; all that is read of it is of one moment. */
export interface MoveSource {
  /** Rows as lines, always in the same order, some of them at a time. */
  read(table: MovedTable): AsyncIterable<readonly string[]>;
  countRows(table: MovedTable): Promise<number>;
  /** The highest number that a counter gave so far; 0 for none. */
  readCounter(table: MovedTable & { counter: string }): Promise<number>;
  /** The texts that a statement selects as `text`. */
  selectTexts(sql: string): Promise<string[]>;
  close(): Promise<void>;
}

/** A database that is filled. */
export interface MoveTarget extends Omit<MoveSource, "selectTexts"> {
  /** Progress by table; null where no move has begun. */
  readProgress(): Promise<ReadonlyMap<string, TableProgress> | null>;
  /** From now on a server refuses this database. */
  begin(): Promise<void>;
  /** Adds rows and notes the progress in one transaction. */
  append(table: MovedTable, lines: readonly string[], progress: TableProgress): Promise<void>;
  /** The next number will be a higher one. */
  raiseCounter(table: MovedTable & { counter: string }, number: number): Promise<void>;
  /** From now on a server takes this database. */
  finish(): Promise<void>;
}

export const quote = (name: string): string => `"${name}"`;
export const listNames = (names: readonly string[]): string => names.map(quote).join(", ");
export const listColumns = ({ columns }: MovedTable): string => listNames(columns.map(({ name }) => name));
