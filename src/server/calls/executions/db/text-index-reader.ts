import Database from "../../../../../scripts/sqlite.mjs";
import type { RawDatabase } from "../../../platform/db/sqlite/connection";
import { isBusy } from "../../../platform/db/storage-error";
import { isIndexDamage } from "./text-index-file";

/** The index covers the calls above `low` and up to `high`, and the changes of texts up to `changes`. */
export interface IndexRange {
  low: number;
  high: number;
  changes: number;
}

const NOTHING: IndexRange = { low: 0, high: 0, changes: 0 };

export interface IndexReader {
  readonly connection: RawDatabase;
  /** Called when the file turns out to be damaged; the reader is then closed. */
  onDamage(error: unknown): void;
}

const readers = new WeakMap<RawDatabase, IndexReader>();

/** Opens the index for searches in a database. */
export function openIndexReader(raw: RawDatabase, file: string, onDamage: IndexReader["onDamage"]): void {
  closeIndexReader(raw);
  const connection = new Database(file, { readonly: true, fileMustExist: true, timeout: 0 });
  connection.pragma("cache_size = -8000");
  readers.set(raw, { connection, onDamage });
}

export function closeIndexReader(raw: RawDatabase): void {
  readers.get(raw)?.connection.close();
  readers.delete(raw);
}

/**
 * Reads the index in one snapshot.
 * @returns null where no index can be read: then no call is indexed
 */
export function readIndex<T>(raw: RawDatabase, work: (index: RawDatabase) => T): T | null {
  const reader = readers.get(raw);
  if (reader === undefined) return null;
  const { connection, onDamage } = reader;
  try {
    return connection.transaction(() => work(connection))();
  } catch (error) {
    if (isIndexDamage(error)) {
      closeIndexReader(raw);
      onDamage(error);
      return null;
    }
    if (isBusy(error)) return null;
    throw error;
  }
}

export function readRange(index: RawDatabase | null): IndexRange {
  return index === null
    ? NOTHING
    : (index.prepare<[], IndexRange>("SELECT low, high, changes FROM State").get() ?? NOTHING);
}
