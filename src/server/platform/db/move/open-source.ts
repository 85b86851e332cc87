import { statSync } from "node:fs";
import path from "node:path";
import Database from "../../../../../scripts/sqlite.mjs";
import { copyDatabase, MOVE_SUFFIX, removeWithJournals } from "../copy-database";
import { databaseFilePath, describeOpenError } from "../database-file";
import type { DatabaseDescription } from "../describe-database";
import { migrateSqlite } from "../migrate";
import { type Migration, readMigrations } from "../migration-files";
import { demandMigratedPostgres } from "../postgres/migrate-postgres";
import { listTables, readAppliedMigrations } from "../sqlite/applied-migrations";
import { findMissingObjects } from "../sqlite/schema-objects";
import type { MoveSource } from "./move-side";
import { MOVE_TABLE } from "./move-table";
import { openPostgresSource } from "./postgres-side";
import { openSqliteSource } from "./sqlite-side";

const LOCK_WAIT_MS = 10_000;
const ignore = (): void => undefined;
export const QUIET = { debug: ignore, info: ignore, warn: ignore, error: ignore };

/**
 * Opens a database that this process owns, and changes nothing in it: a file of an earlier version is copied, and the
 * copy is upgraded. It stays beside the file until `removeUpgradedCopy`, so that a move that continues reads the same
 * rows.
 * @param home the product's files
 * @throws DatabaseOpenError with a reason for users
 */
export async function openMoveSource({ kind, url }: DatabaseDescription, home: string): Promise<MoveSource> {
  if (kind === "postgres") {
    await demandMigratedPostgres({ url, folder: path.join(home, "prisma", "migrations-postgres") });
    return await openPostgresSource(url);
  }
  const filePath = databaseFilePath(url);
  const folder = path.join(home, "prisma", "migrations");
  try {
    const isCurrent = isOfThisVersion(filePath, readMigrations(folder));
    return openSqliteSource(isCurrent ? filePath : await upgradeCopy(filePath, folder));
  } catch (error) {
    throw describeOpenError(error, filePath);
  }
}

export function removeUpgradedCopy({ kind, url }: DatabaseDescription): void {
  if (kind === "sqlite") removeWithJournals(databaseFilePath(url) + MOVE_SUFFIX);
}

function isOfThisVersion(filePath: string, migrations: readonly Migration[]): boolean {
  const raw = new Database(filePath, { readonly: true, fileMustExist: true, timeout: LOCK_WAIT_MS });
  try {
    const known = readAppliedMigrations(raw) ?? [];
    const isKnown =
      known.length === migrations.length &&
      known.every(({ name, finished }, index) => finished && name === migrations[index]?.name);
    return isKnown && !listTables(raw).includes(MOVE_TABLE) && findMissingObjects(raw, migrations).length === 0;
  } finally {
    raw.close();
  }
}

async function upgradeCopy(filePath: string, folder: string): Promise<string> {
  const copy = filePath + MOVE_SUFFIX;
  if (!isNewer(copy, filePath)) {
    removeWithJournals(copy);
    const raw = new Database(filePath, { readonly: true, fileMustExist: true, timeout: LOCK_WAIT_MS });
    await copyDatabase(raw, copy).finally(() => raw.close());
  }
  await migrateSqlite({ url: `file:${copy}`, logger: QUIET, folder, copyOf: filePath });
  return copy;
}

/** Whether the copy was made after the last change of the database. */
function isNewer(copy: string, filePath: string): boolean {
  const made = statSync(copy, { throwIfNoEntry: false });
  const log = statSync(`${filePath}-wal`, { throwIfNoEntry: false });
  // A reader may leave an empty log.
  const changed = Math.max(statSync(filePath).mtimeMs, log === undefined || log.size === 0 ? 0 : log.mtimeMs);
  return made !== undefined && made.mtimeMs > changed;
}
