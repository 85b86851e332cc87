import { statSync } from "node:fs";
import path from "node:path";
import Database from "../../../../scripts/sqlite.mjs";
import { getMessage } from "../../../lib/get-message";
import type { Logger } from "../../engine/ports";
import { removeUnfinishedCopies } from "./copy-database";
import { DatabaseOpenError, databaseFilePath, demandWritable, describeOpenError } from "./database-file";
import {
  type Amendment,
  findAmendments,
  type LandedMigration,
  readLandedMigrations,
  resolveNames,
} from "./landed-migrations";
import { logMigrations, type Migration, readMigrations } from "./migration-files";
import { MOVE_TABLE, toUnfinishedMoveError } from "./move/move-table";
import { createDatabaseFile, tightenPermissions } from "./private-files";
import { amendRecords } from "./sqlite/amend-records";
import { type AppliedMigration, listTables, readAppliedMigrations } from "./sqlite/applied-migrations";
import { applyMigrations, inImmediateTransaction } from "./sqlite/apply-migration";
import { completeMigration } from "./sqlite/complete-migration";
import { type RawDatabase, SYNCHRONOUS_WAIT_MS } from "./sqlite/connection";
import { findMissingObjects } from "./sqlite/schema-objects";
import { storageCode } from "./storage-error";
import { copyBeforeUpgrade, hasData, listCopies } from "./upgrade-copy";
import { untilUnlocked } from "./write-queue";

/** Another program may be copying a large database. */
const LOCK_WAIT_MS = 30_000;
const LOCK_NOTICE_MS = 1_000;

export interface MigrateOptions {
  url: string;
  logger: Logger;
  /** The folder of the migrations; by default `prisma/migrations` in the working directory. */
  folder?: string;
  /** How long to wait for another program's lock, in milliseconds. */
  maxLockWaitMs?: number;
  /** Whether a move into this database may be running. */
  isMoving?: boolean;
  /** The original of which this file is a copy; messages name it. A copy is not copied again before an upgrade. */
  copyOf?: string;
}

/** A database file on its way to this version's schema. */
interface Upgrade extends Pick<MigrateOptions, "isMoving" | "copyOf"> {
  raw: RawDatabase;
  /** The path for messages. */
  filePath: string;
  migrations: Migration[];
  landed: readonly LandedMigration[];
  logger: Logger;
  /** Runs work again while another program holds the lock. */
  unlocked<T>(work: () => T): Promise<T>;
}

/**
 * Brings the database file up to this version's schema and creates it where there is none. Cheap when nothing is to do. The
 * caller owns the database: see `claimSqlite`.
 */
export async function migrateSqlite(options: MigrateOptions): Promise<{ applied: string[] }> {
  const { url, logger, folder = path.join(process.cwd(), "prisma", "migrations"), ...mode } = options;
  const filePath = databaseFilePath(url);
  const shown = options.copyOf ?? filePath;
  let raw: RawDatabase | undefined;
  try {
    createDatabaseFile(filePath);
    demandWritable(filePath);
    removeUnfinishedCopies(filePath);
    tightenPermissions(filePath, logger);
    raw = new Database(filePath, { timeout: SYNCHRONOUS_WAIT_MS });
    // Set because `releaseFreePages` needs it, and only a file without tables accepts it.
    if (statSync(filePath).size === 0) raw.pragma("auto_vacuum = INCREMENTAL");
    const unlocked = waitForLock(filePath, logger, options.maxLockWaitMs ?? LOCK_WAIT_MS);
    const migrations = readMigrations(folder);
    const landed = readLandedMigrations(folder);
    const applied = await upgrade({ ...mode, raw, filePath: shown, migrations, landed, logger, unlocked });
    logMigrations(logger, filePath, applied, applied.length === migrations.length);
    return { applied };
  } catch (error) {
    throw describeOpenError(error, shown);
  } finally {
    raw?.close();
  }
}

async function upgrade(state: Upgrade): Promise<string[]> {
  const { raw, migrations, unlocked, logger, filePath } = state;
  const { known, amendments } = await unlocked(() => demandOwnDatabase(state));
  const names = new Set(known.map(({ name }) => name));
  const pending = migrations.filter(({ name }) => !names.has(name));
  const unfinished = known.find(({ finished }) => !finished);
  const first = unfinished?.name ?? pending[0]?.name ?? amendments[0]?.name;
  if (first !== undefined && state.copyOf === undefined && (await unlocked(() => hasData(raw)))) {
    const copy = await unlocked(() => copyBeforeUpgrade(raw, filePath, first));
    logger.info({ database: filePath, copy }, "The database was copied before its upgrade");
  }
  if (unfinished !== undefined) {
    await unlocked(() => inImmediateTransaction(raw, () => amendRecords(raw, amendments)));
    await complete(state, unfinished.name);
  }
  if (pending.length > 0 || amendments.length > 0) {
    const toFailure = (name: string, cause: unknown) => describeFailure(filePath, name, cause);
    await unlocked(() => applyMigrations(raw, { amendments, pending, toFailure }));
  }
  const missing = await unlocked(() => findMissingObjects(raw, migrations));
  if (missing.length > 0) throw incomplete(state, missing);
  return pending.map(({ name }) => name);
}

/** Checks that this is a database of this or an earlier version before migrations are applied. */
function demandOwnDatabase({ raw, filePath, migrations, landed, isMoving }: Upgrade): {
  known: AppliedMigration[];
  amendments: Amendment[];
} {
  const recorded = readAppliedMigrations(raw);
  const amendments = findAmendments(recorded ?? [], landed);
  const known = recorded === null ? null : resolveNames(recorded, amendments);
  const tables = listTables(raw);
  if (!isMoving && tables.includes(MOVE_TABLE)) throw toUnfinishedMoveError(filePath);
  if (known === null && tables.length === 0) return { known: [], amendments };
  if (known === null && tables.includes("Execution")) {
    throw new DatabaseOpenError(
      `The database ${filePath} has Toolroom's tables but not the list of its migrations, so a part of it is missing. ` +
        wayOut(filePath),
    );
  }
  const isOurs = known?.length === 0 || known?.[0]?.name === migrations[0]?.name;
  if (known === null || !isOurs) {
    throw Object.assign(new Error("tables of another program"), { code: "SQLITE_NOTADB" });
  }
  const unknown = known.find(({ name }) => !migrations.some((migration) => migration.name === name));
  if (unknown === undefined) return { known, amendments };
  throw new DatabaseOpenError(
    `The database ${filePath} was made by a newer version of Toolroom (migration ${unknown.name} is not known here). ` +
      `Start that version, or ${describeWayBack(filePath)}set DATABASE_URL to another file.`,
  );
}

function describeFailure(filePath: string, migration: string, cause: unknown): unknown {
  // Locked, read-only, full or damaged databases have separate messages.
  if (/^SQLITE_(?!ERROR|CONSTRAINT)/.test(storageCode(cause))) return cause;
  return new DatabaseOpenError(
    `The database ${filePath} could not be upgraded: migration ${migration} failed (${getMessage(cause)}). ` +
      "The upgrade was undone as a whole and no data was changed. Start the previous version of Toolroom, " +
      "or set DATABASE_URL to another file.",
    { cause },
  );
}

/** An earlier version of Toolroom could end in the middle of a migration. */
async function complete({ raw, filePath, migrations, logger, unlocked }: Upgrade, name: string): Promise<void> {
  const index = migrations.findIndex((migration) => migration.name === name);
  const migration = migrations[index];
  if (migration && (await unlocked(() => completeMigration(raw, migrations.slice(0, index), migration)))) {
    logger.warn({ database: filePath, migration: name }, "An interrupted migration was completed");
    return;
  }
  throw new DatabaseOpenError(
    `The database ${filePath} stopped in the middle of the migration ${name}, and it is unknown which part of it ` +
      `was applied. ${wayOut(filePath)}`,
  );
}

function incomplete({ filePath }: Upgrade, missing: string[]): DatabaseOpenError {
  const shown = missing.slice(0, 3).join(", ");
  const more = missing.length > 3 ? ` and ${missing.length - 3} more` : "";
  return new DatabaseOpenError(
    `The database ${filePath} is incomplete: it has no ${shown}${more}, although its migrations were applied. ` +
      `Another program has changed it, or it was restored in part. ${wayOut(filePath)}`,
  );
}

/** Names the copy that was made before the upgrade to the newer version. */
function describeWayBack(filePath: string): string {
  const copy = listCopies(filePath).find((name) => !name.includes(".before-restore-"));
  return copy === undefined ? "" : `bring back the copy from before its upgrade (toolroom restore "${copy}"), or `;
}

function wayOut(filePath: string): string {
  const copy = listCopies(filePath)[0];
  const copyHint = copy === undefined ? "" : ` (${copy} was made before the last upgrade)`;
  return `Restore it from a complete copy${copyHint}, or set DATABASE_URL to another file.`;
}

function waitForLock(database: string, logger: Logger, maxWaitMs: number): Upgrade["unlocked"] {
  return async (work) => {
    const notice = setTimeout(() => {
      logger.info({ database }, "Waiting for another program that has locked the database");
    }, LOCK_NOTICE_MS);
    try {
      return await untilUnlocked(work, maxWaitMs);
    } finally {
      clearTimeout(notice);
    }
  };
}
