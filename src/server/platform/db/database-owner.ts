import { realpathSync } from "node:fs";
import { hostname } from "node:os";
import Database from "../../../../scripts/sqlite.mjs";
import {
  DatabaseOpenError,
  databaseFilePath,
  demandLocalDisk,
  demandWritable,
  describeOpenError,
} from "./database-file";
import { createDatabaseFile, createPrivateFile } from "./private-files";
import type { RawDatabase } from "./sqlite/connection";
import { isBusy } from "./storage-error";

/** The process stands still while it waits. An owner holds the lock for its whole life, another start for milliseconds. */
const LOCK_WAIT_MS = 250;

interface Owner {
  pid: number;
  host: string;
  /** The address that it serves; null for a command. */
  address: string | null;
}

/**
 * Makes this process the one that uses the database, until it releases the claim or ends in any way: the claim is a
 * write lock on `<database>.owner`, a separate SQLite file, and the system releases it with the process. Others may
 * read there who the owner is. Creates the database file where there is none, and changes none.
 * @param address the address that this process serves; null for a command
 * @throws DatabaseOpenError that names the owner where another process is it
 */
export function claimSqlite(url: string, address: string | null): { release(): void } {
  const filePath = databaseFilePath(url);
  let file = filePath;
  let raw: RawDatabase | undefined;
  try {
    createDatabaseFile(filePath);
    demandLocalDisk(filePath);
    demandWritable(filePath);
    // Uses the real name: two names of one file have one owner.
    file = `${realpathSync(filePath)}.owner`;
    createPrivateFile(file);
    raw = new Database(file, { timeout: LOCK_WAIT_MS });
    lock(raw, { pid: process.pid, host: hostname(), address });
    const held = raw;
    return { release: () => void held.close() };
  } catch (error) {
    const refusal = isBusy(error) && raw !== undefined ? toOwnedError(filePath, findOwner(raw)) : error;
    raw?.close();
    throw describeOpenError(refusal, file);
  }
}

/** Ends inside a transaction that is never committed and in which nothing is written, so others can read. */
function lock(raw: RawDatabase, self: Owner): void {
  for (;;) {
    raw.exec("BEGIN IMMEDIATE; CREATE TABLE IF NOT EXISTS Owner (pid INTEGER, host TEXT, address TEXT)");
    const owner = findOwner(raw);
    if (owner !== null && JSON.stringify(owner) === JSON.stringify(self)) return;
    raw.exec("DELETE FROM Owner");
    raw.prepare("INSERT INTO Owner (pid, host, address) VALUES (@pid, @host, @address)").run(self);
    // Another start may lock the file in between: what it wrote is found in the next round.
    raw.exec("COMMIT");
  }
}

function findOwner(raw: RawDatabase): Owner | null {
  try {
    return raw.prepare<[], Owner>("SELECT pid, host, address FROM Owner").get() ?? null;
  } catch {
    // The owner is just writing its name.
    return null;
  }
}

function toOwnedError(filePath: string, owner: Owner | null): DatabaseOpenError {
  if (owner === null) {
    return new DatabaseOpenError(`The database ${filePath} is in use by another Toolroom. Stop that one first.`);
  }
  const { pid, host, address } = owner;
  const where = `pid ${pid}${host === hostname() ? "" : ` on ${host}`}`;
  return new DatabaseOpenError(
    address === null
      ? `The database ${filePath} is in use by another Toolroom command (${where}). Wait until it has ended, or set DATABASE_URL to another file.`
      : `The database ${filePath} is in use by the Toolroom at ${address} (${where}). Use that one, or stop it first, or set DATABASE_URL to another file.`,
  );
}
