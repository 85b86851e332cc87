import { existsSync } from "node:fs";
import Database from "better-sqlite3";
import { SYNCHRONOUS_WAIT_MS } from "./connection";

export interface AppliedMigration {
  name: string;
  finished: boolean;
}

/** What Prisma's own table says; empty for a new file. Opens and closes the file, and changes nothing in it. */
export function readAppliedMigrations(filePath: string): AppliedMigration[] {
  if (!existsSync(filePath)) return [];
  const raw = new Database(filePath, { timeout: SYNCHRONOUS_WAIT_MS });
  try {
    const tables = raw
      .prepare<[], string>(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'",
      )
      .pluck()
      .all();
    if (tables.length === 0) return [];
    if (!tables.includes("_prisma_migrations")) {
      throw Object.assign(new Error("tables of another program"), { code: "SQLITE_NOTADB" });
    }
    return raw
      .prepare<[], { name: string; finished: number }>(
        `SELECT migration_name AS name, finished_at IS NOT NULL AS finished FROM _prisma_migrations
         WHERE rolled_back_at IS NULL ORDER BY migration_name`,
      )
      .all()
      .map((row) => ({ name: row.name, finished: row.finished === 1 }));
  } finally {
    raw.close();
  }
}
