import { randomUUID } from "node:crypto";
import type { Migration } from "../migration-files";
import type { RawDatabase } from "./connection";

/** Prisma's own table, so that its tools can read a database of ours. */
export const MIGRATION_TABLE = "_prisma_migrations";

const CREATE_TABLE_SQL = `CREATE TABLE IF NOT EXISTS "${MIGRATION_TABLE}" (
    "id"                    TEXT PRIMARY KEY NOT NULL,
    "checksum"              TEXT NOT NULL,
    "finished_at"           DATETIME,
    "migration_name"        TEXT NOT NULL,
    "logs"                  TEXT,
    "rolled_back_at"        DATETIME,
    "started_at"            DATETIME NOT NULL DEFAULT current_timestamp,
    "applied_steps_count"   INTEGER UNSIGNED NOT NULL DEFAULT 0
)`;

export interface AppliedMigration {
  name: string;
  checksum: string;
  finished: boolean;
}

/** Reads the table of migrations; null where there is none. */
export function readAppliedMigrations(raw: RawDatabase): AppliedMigration[] | null {
  if (!listTables(raw).includes(MIGRATION_TABLE)) return null;
  return raw
    .prepare<[], { name: string; checksum: string; finished: number }>(
      `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished FROM ${MIGRATION_TABLE}
       WHERE rolled_back_at IS NULL ORDER BY migration_name`,
    )
    .safeIntegers(false)
    .all()
    .map((row) => ({ ...row, finished: row.finished === 1 }));
}

/** Lists the tables except those of SQLite itself. */
export function listTables(raw: RawDatabase): string[] {
  return raw
    .prepare<[], string>("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'")
    .pluck()
    .all();
}

/** Records a migration as applied. Expects the transaction that applies it. */
export function recordMigration(raw: RawDatabase, { name, checksum }: Migration, startedAt: Date): void {
  raw.exec(CREATE_TABLE_SQL);
  raw
    .prepare(
      `INSERT INTO ${MIGRATION_TABLE} (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
       VALUES (?, ?, ?, ?, ?, 1)`,
    )
    .run(randomUUID(), checksum, name, timestamp(startedAt), timestamp(new Date()));
}

/** Records that a migration that was begun is complete now. Expects the transaction that completed it. */
export function finishMigration(raw: RawDatabase, name: string): void {
  raw
    .prepare(
      `UPDATE ${MIGRATION_TABLE} SET finished_at = ?, applied_steps_count = 1, logs = NULL
       WHERE migration_name = ? AND finished_at IS NULL AND rolled_back_at IS NULL`,
    )
    .run(timestamp(new Date()), name);
}

/** Formats a date as Prisma's engine does. */
const timestamp = (date: Date): string => date.toISOString().replace("Z", "+00:00");
