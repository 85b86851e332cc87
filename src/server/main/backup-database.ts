import { constants, copyFileSync, existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { moveFileSync } from "../../../scripts/move-file.mjs";
import Database from "../../../scripts/sqlite.mjs";
import { type Compacted, compactDatabase } from "../platform/db/compact-database";
import { copyDatabase } from "../platform/db/copy-database";
import { DatabaseOpenError, describeOpenError } from "../platform/db/database-file";
import { demandDatabaseFile, describeDatabase } from "../platform/db/describe-database";
import { PRIVATE_FOLDER } from "../platform/db/private-files";
import { type RestoreOutcome, restoreDatabase } from "../platform/db/restore-database";
import type { RawDatabase } from "../platform/db/sqlite/connection";

/** Longer than any write of a server that this waits for. */
const LOCK_WAIT_MS = 10_000;

export interface Backup {
  file: string;
  bytes: number;
  /** The copy of the key that encrypts stored secrets; null where `TOOLROOM_SECRET_KEY` is that key. */
  keyFile: string | null;
}

/**
 * Copies a database with its key, also while a server uses it: the copy is the database at one moment.
 * @param url a value of `DATABASE_URL`
 * @param rootDir the base of a relative one
 * @param target a file that does not exist
 * @throws DatabaseOpenError that says what to do
 */
export async function backupDatabase(url: string | undefined, rootDir: string, target: string): Promise<Backup> {
  const database = describeDatabase(url, rootDir);
  const { keyFile } = database;
  const filePath = demandDatabaseFile(database);
  if (!existsSync(filePath)) {
    throw new DatabaseOpenError(`There is no database ${filePath}. Name its folder with --data.`);
  }
  const keyCopy = `${target}.key`;
  for (const file of [target, keyCopy]) {
    if (existsSync(file)) throw new DatabaseOpenError(`${file} exists already. Choose another name.`);
  }
  let raw: RawDatabase | undefined;
  try {
    mkdirSync(path.dirname(target), { recursive: true, mode: PRIVATE_FOLDER });
    raw = new Database(filePath, { fileMustExist: true, timeout: LOCK_WAIT_MS });
    await copyDatabase(raw, target);
    const hasKey = existsSync(keyFile);
    // Keeps the mode, which is the user's alone.
    if (hasKey) copyFileSync(keyFile, keyCopy, constants.COPYFILE_EXCL);
    return { file: target, bytes: statSync(target).size, keyFile: hasKey ? keyCopy : null };
  } catch (error) {
    throw describeOpenError(error, filePath);
  } finally {
    raw?.close();
  }
}

/** Makes the file of a database shorter, which no server may use: see `compactDatabase`. */
export async function compactOwnDatabase(url: string | undefined, rootDir: string): Promise<Compacted> {
  return compactDatabase(`file:${demandDatabaseFile(describeDatabase(url, rootDir))}`);
}

/**
 * Restores a database with its key: see `restoreDatabase`.
 * @param copy a file of `backupDatabase`, or one that an upgrade left
 */
export async function restoreBackup(url: string | undefined, rootDir: string, copy: string): Promise<RestoreOutcome> {
  const database = describeDatabase(url, rootDir);
  const outcome = await restoreDatabase(`file:${demandDatabaseFile(database)}`, copy);
  restoreKey(`${copy}.key`, database.keyFile, outcome.previous);
  return outcome;
}

/** The secrets in a database can be read with the key that it was saved with. Ended at any moment, a whole key is in place. */
function restoreKey(saved: string, key: string, previous: string | null): void {
  if (!existsSync(saved)) return;
  const isThere = existsSync(key);
  if (isThere && readFileSync(key).equals(readFileSync(saved))) return;
  if (isThere) copyFileSync(key, `${previous ?? `${key}.before-restore-${Date.now()}`}.key`);
  const draft = `${key}.restore`;
  copyFileSync(saved, draft);
  moveFileSync(draft, key);
}
