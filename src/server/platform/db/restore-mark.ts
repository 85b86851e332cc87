import type { RawDatabase } from "./sqlite/connection";

/**
 * A table of the restored file only: the copy may be of a version without settings. The first start reads and removes
 * it.
 */
export const RESTORE_TABLE = "_toolroom_restored";

/** Marks a database that was restored from a copy. */
export function writeRestoreMark(raw: RawDatabase, source: string, at: number): void {
  raw.exec(`CREATE TABLE IF NOT EXISTS "${RESTORE_TABLE}" (at INTEGER NOT NULL, source TEXT NOT NULL)`);
  raw.prepare(`INSERT INTO "${RESTORE_TABLE}" (at, source) VALUES (?, ?)`).run(at, source);
}
