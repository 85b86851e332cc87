import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Logger } from "../../engine/ports";

/** One folder of `prisma/migrations`. */
export interface Migration {
  name: string;
  sql: string;
  /** SHA-256 of the file, as Prisma's own tools record it. */
  checksum: string;
}

/** The migrations on disk, oldest first. */
export function readMigrations(folder: string): Migration[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
    .map((name) => {
      const content = readFileSync(path.join(folder, name, "migration.sql"));
      return { name, sql: content.toString("utf8"), checksum: createHash("sha256").update(content).digest("hex") };
    });
}

/**
 * Logs what brought a database up to this version's schema: each migration, except for a new database, to which all were applied.
 * @param database its path or address, without secrets
 * @param isNew whether the database had no migration before
 */
export function logMigrations(logger: Logger, database: string, applied: readonly string[], isNew: boolean): void {
  if (applied.length === 0) return;
  if (isNew) logger.info({ database }, "Database created");
  else logger.info({ database, migrations: applied }, "Database migrated");
}
