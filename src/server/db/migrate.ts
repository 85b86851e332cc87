import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { MigrationList } from "@prisma/schema-engine-wasm/schema_engine_bg";
import type { Logger } from "../engine/ports";
import { DatabaseOpenError, databaseFilePath, describeOpenError } from "./database-file";
import { type AppliedMigration, readAppliedMigrations } from "./sqlite/applied-migrations";
import { untilUnlocked } from "./write-queue";

export interface MigrateOptions {
  url: string;
  logger: Logger;
  /** Where the migrations are; `prisma/migrations` of the working directory unless told. */
  folder?: string;
}

/** Brings the database file up to this version's schema, making it where there is none. Cheap when nothing is to do. */
export async function migrateDatabase({ url, logger, folder = defaultFolder() }: MigrateOptions): Promise<{
  applied: string[];
}> {
  const filePath = databaseFilePath(url);
  const names = migrationNames(folder);
  try {
    mkdirSync(path.dirname(filePath), { recursive: true });
    // Asked again after waiting for a lock: the other program may be a second server that migrates the same file.
    const applied = await untilUnlocked(() => applyMissing(filePath, folder, names));
    if (applied.length > 0) logger.info({ database: filePath, migrations: applied }, "Database migrated");
    return { applied };
  } catch (error) {
    throw describeOpenError(error, filePath);
  }
}

async function applyMissing(filePath: string, folder: string, names: string[]): Promise<string[]> {
  const known = readAppliedMigrations(filePath);
  refuseWhatCannotBeMigrated(known, names, filePath);
  if (known.length === names.length) return [];
  // Loaded only now: compiling the engine is most of the cost of a start with nothing to migrate.
  const { withSchemaEngine, SCHEMA_FILTER } = await import("./sqlite/schema-engine");
  return withSchemaEngine(filePath, async (engine) => {
    const migrationsList = readMigrationList(folder);
    const { appliedMigrationNames } = await engine.applyMigrations({ migrationsList, filters: SCHEMA_FILTER });
    return appliedMigrationNames;
  });
}

function defaultFolder(): string {
  return path.join(process.cwd(), "prisma", "migrations");
}

function migrationNames(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

/** The migrations on disk, as the engine wants them. */
export function readMigrationList(folder: string): MigrationList {
  return {
    baseDir: folder,
    lockfile: { path: "migration_lock.toml", content: readFileSync(path.join(folder, "migration_lock.toml"), "utf8") },
    shadowDbInitScript: "",
    migrationDirectories: migrationNames(folder).map((name) => ({
      path: name,
      migrationFile: {
        path: "migration.sql",
        content: { tag: "ok", value: readFileSync(path.join(folder, name, "migration.sql"), "utf8") },
      },
    })),
  };
}

function refuseWhatCannotBeMigrated(known: AppliedMigration[], names: string[], filePath: string): void {
  const unknown = known.find((migration) => !names.includes(migration.name));
  if (unknown) {
    throw new DatabaseOpenError(
      `The database ${filePath} was made by a newer version of Toolroom (migration ${unknown.name} is not known here). ` +
        "Start that version, or set DATABASE_URL to another file.",
    );
  }
  const unfinished = known.find((migration) => !migration.finished);
  if (unfinished) {
    throw new DatabaseOpenError(
      `The database ${filePath} stopped in the middle of the migration ${unfinished.name}. ` +
        "Restore it from a copy, or set DATABASE_URL to another file.",
    );
  }
}
