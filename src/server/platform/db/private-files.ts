import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { IS_WINDOWS } from "../../../lib/platform";
import type { Logger } from "../../engine/ports";
import { storageCode } from "./storage-error";

/** Arguments and results of calls are in these files: for the user who runs the server and for no one else. */
const PRIVATE_FILE = 0o600;
export const PRIVATE_FOLDER = 0o700;
const OTHERS = 0o077;

/** The suffix of the search index, beside the database that it is made from. */
export const SEARCH_SUFFIX = ".search";

/** Creates an empty file if there is none. SQLite gives its other files the mode of the database. */
export function createPrivateFile(filePath: string): void {
  try {
    closeSync(openSync(filePath, "wx", PRIVATE_FILE));
  } catch (error) {
    if (storageCode(error) !== "EEXIST") throw error;
  }
}

/** The folder of the database and the file itself, where they are missing. */
export function createDatabaseFile(filePath: string): void {
  mkdirSync(path.dirname(filePath), { recursive: true, mode: PRIVATE_FOLDER });
  createPrivateFile(filePath);
}

/** Removes the permissions of other users from a database, its journals, its key file and its copies. */
export function tightenPermissions(filePath: string, logger: Logger): void {
  // Windows keeps access lists instead of modes.
  if (IS_WINDOWS) return;
  const tightened: string[] = [];
  for (const file of listDatabaseFiles(filePath)) {
    try {
      const { mode } = statSync(file);
      if ((mode & OTHERS) === 0) continue;
      chmodSync(file, PRIVATE_FILE);
      tightened.push(file);
    } catch (error) {
      if (storageCode(error) === "ENOENT") continue;
      logger.warn({ file, err: error }, "Other users can read this file. Change its permissions: chmod 600");
    }
  }
  if (tightened.length > 0) {
    logger.warn({ files: tightened }, "Other users could read these files. They are private to this user now");
  }
}

function listDatabaseFiles(filePath: string): string[] {
  const name = path.basename(filePath);
  const beside = readdirSync(path.dirname(filePath)).filter((entry) => isCopyOf(name, entry));
  const journals = ["", "-wal", "-shm", "-journal"];
  const own = [...journals, ...journals.map((suffix) => SEARCH_SUFFIX + suffix), ".key", ".instance", ".owner"].map(
    (suffix) => name + suffix,
  );
  return [...own, ...beside].map((entry) => path.join(path.dirname(filePath), entry));
}

/** Whether a file name is that of a copy made before an upgrade of the database `name`. */
export function isCopyOf(name: string, entry: string): boolean {
  return entry.startsWith(`${name}.before-`) && entry.endsWith(".bak");
}
