import { closeSync, copyFileSync, existsSync, fsyncSync, linkSync, openSync, rmSync } from "node:fs";
import path from "node:path";
import { moveFileSync } from "../../../../scripts/move-file.mjs";
import Database from "../../../../scripts/sqlite.mjs";
import { IS_WINDOWS } from "../../../lib/platform";
import { copyDatabase, RESTORE_SUFFIX, removeUnfinishedCopies, removeWithJournals } from "./copy-database";
import { DatabaseOpenError, databaseFilePath, describeOpenError } from "./database-file";
import { claimSqlite } from "./database-owner";
import { SEARCH_SUFFIX } from "./private-files";
import { writeRestoreMark } from "./restore-mark";
import { readAppliedMigrations } from "./sqlite/applied-migrations";
import { type RawDatabase, SYNCHRONOUS_WAIT_MS } from "./sqlite/connection";

export interface RestoreOutcome {
  filePath: string;
  /** The path of the replaced database; null where there was none. */
  previous: string | null;
  /** The newest migration of what was restored: a program without it says that the database is newer. */
  migration: string;
}

/**
 * Replaces the database by a copy, for this or an older version of the program, and keeps the replaced files. If it is
 * interrupted, one of the two is in place, whole.
 * @param url the URL of the database, which no process may use
 * @param copy a file that an upgrade left, or any other whole database of Toolroom; it stays
 * @throws DatabaseOpenError with the reason and what to do
 */
export async function restoreDatabase(url: string, copy: string): Promise<RestoreOutcome> {
  const filePath = databaseFilePath(url);
  if (!existsSync(copy))
    throw new DatabaseOpenError(`There is no file ${copy}. Name a copy that lies beside ${filePath}.`);
  const isThere = existsSync(filePath);
  const claim = claimSqlite(url, null);
  const draft = filePath + RESTORE_SUFFIX;
  try {
    removeUnfinishedCopies(filePath);
    const migration = await copyChecked(copy, draft);
    markRestored(draft, path.basename(copy));
    const previous = isThere ? setAside(filePath, Date.now()) : null;
    removeJournals(filePath);
    // It is of the calls that go, and made again from those that come.
    removeWithJournals(filePath + SEARCH_SUFFIX);
    moveFileSync(draft, filePath);
    syncFolder(path.dirname(filePath));
    return { filePath, previous, migration };
  } finally {
    removeWithJournals(draft);
    claim.release();
  }
}

/** @returns the newest migration */
async function copyChecked(copy: string, draft: string): Promise<string> {
  let raw: RawDatabase | undefined;
  const journals = ["-wal", "-shm"].map((suffix) => copy + suffix).filter((file) => !existsSync(file));
  try {
    raw = new Database(copy, { readonly: true, timeout: SYNCHRONOUS_WAIT_MS });
    const migration = readAppliedMigrations(raw)?.at(-1)?.name;
    if (migration === undefined) throw Object.assign(new Error("no migrations"), { code: "SQLITE_NOTADB" });
    if (raw.pragma("quick_check", { simple: true }) !== "ok") {
      throw Object.assign(new Error("damaged"), { code: "SQLITE_CORRUPT" });
    }
    await copyDatabase(raw, draft);
    return migration;
  } catch (error) {
    throw describeOpenError(error, copy);
  } finally {
    raw?.close();
    // Removes the journals that the reader created.
    for (const file of journals) rmSync(file, { force: true });
  }
}

/** The next start is paused: the database that was copied may still be in use. */
function markRestored(draft: string, source: string): void {
  const raw = new Database(draft, { timeout: SYNCHRONOUS_WAIT_MS });
  try {
    writeRestoreMark(raw, source, Date.now());
    // Empties the log, so that renaming the draft moves all of its data.
    raw.pragma("wal_checkpoint(TRUNCATE)");
  } finally {
    raw.close();
  }
}

/**
 * Gives the database a second name. The log of its last commits is moved into it before; where that fails, as in a damaged
 * file, it is kept beside it. The end of the audit log outside the database is of the log that goes, and goes with it.
 */
function setAside(filePath: string, now: number): string {
  const previous = `${filePath}.before-restore-${now}.bak`;
  try {
    const raw = new Database(filePath, { timeout: SYNCHRONOUS_WAIT_MS });
    raw.pragma("wal_checkpoint(TRUNCATE)");
    raw.close();
  } catch {
    // The file and its log are kept unchanged.
  }
  giveName(filePath, previous);
  if (existsSync(`${filePath}-wal`)) giveName(`${filePath}-wal`, `${previous}-wal`);
  const anchor = `${filePath}.audit-anchor`;
  if (existsSync(anchor)) moveFileSync(anchor, `${previous}.audit-anchor`);
  return previous;
}

function giveName(file: string, name: string): void {
  try {
    linkSync(file, name);
  } catch {
    // Some file systems have no hard links.
    copyFileSync(file, name);
  }
}

/** Called before another file takes the name: SQLite would apply the log of the previous file. */
function removeJournals(filePath: string): void {
  for (const suffix of ["-wal", "-shm", "-journal"]) rmSync(filePath + suffix, { force: true });
}

function syncFolder(folder: string): void {
  // Windows cannot open folders.
  if (IS_WINDOWS) return;
  const handle = openSync(folder, "r");
  fsyncSync(handle);
  closeSync(handle);
}
