import { accessSync, constants, statfsSync, statSync } from "node:fs";
import path from "node:path";
import { readFileUrl } from "../../../../scripts/running-server.mjs";
import { IS_LINUX } from "../../../lib/platform";
import { describeFree } from "./disk-space";
import { isBusy, storageCode } from "./storage-error";

/** The database cannot be used; the message says why and what to do. */
export class DatabaseOpenError extends Error {
  override readonly name = "DatabaseOpenError";
}

/** `file:./data/toolroom.db` as an absolute path. */
export function databaseFilePath(url: string, rootDir = process.cwd()): string {
  if (!url.startsWith("file:")) {
    throw new DatabaseOpenError(
      `DATABASE_URL must start with "file:", for example file:./data/toolroom.db; it is ${url}`,
    );
  }
  const filePath = readFileUrl(url);
  if (filePath === "" || filePath === ":memory:") {
    throw new DatabaseOpenError(`DATABASE_URL must name a file, for example file:./data/toolroom.db; it is ${url}`);
  }
  return path.resolve(rootDir, filePath);
}

/** The names of network file systems by the numbers that Linux gives them. */
const NETWORK_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xfe534d42, "SMB"],
  [0xff534d42, "CIFS"],
  [0x5346414f, "AFS"],
]);

/**
 * File locks do not work there, so two servers could write at once.
 * @throws DatabaseOpenError
 */
export function demandLocalDisk(filePath: string): void {
  const folder = path.dirname(filePath);
  // Other systems use other numbers.
  const name = IS_LINUX ? NETWORK_FILE_SYSTEMS.get(statfsSync(folder).type) : undefined;
  if (name === undefined) return;
  throw new DatabaseOpenError(
    `The folder ${folder} is on a network file system (${name}), where SQLite's locks do not hold. ` +
      "Choose a folder on a local disk with --data, or set DATABASE_URL to a file there.",
  );
}

/**
 * Checks before SQLite opens the file: SQLite opens one that it cannot write, and the first write fails much later.
 * @throws DatabaseOpenError that names what cannot be written
 */
export function demandWritable(filePath: string): void {
  const folder = path.dirname(filePath);
  if (statSync(filePath).isDirectory()) {
    throw new DatabaseOpenError(`DATABASE_URL names the folder ${filePath}. Set it to a file in that folder.`);
  }
  if (!isAllowed(filePath, constants.R_OK | constants.W_OK)) {
    throw new DatabaseOpenError(
      `This user cannot read and write the database ${filePath}. Change the owner or the permissions of the file, ` +
        "or set DATABASE_URL to another file.",
    );
  }
  if (!isAllowed(folder, constants.W_OK | constants.X_OK)) {
    throw new DatabaseOpenError(
      `This user cannot write in ${folder}, the folder of the database, where SQLite keeps further files. ` +
        "Change the owner or the permissions of the folder, or set DATABASE_URL to a file elsewhere.",
    );
  }
}

function isAllowed(target: string, mode: number): boolean {
  try {
    accessSync(target, mode);
    return true;
  } catch {
    return false;
  }
}

/** Says in words why a file could not be opened or migrated. */
export function describeOpenError(error: unknown, filePath: string): Error {
  if (error instanceof DatabaseOpenError) return error;
  const reason = openReason(error);
  if (reason === null) return error instanceof Error ? error : new Error(String(error));
  const isStorage = /^(?:SQLITE_FULL|SQLITE_IOERR|ENOSPC)/.test(storageCode(error));
  const free = isStorage ? describeFree(filePath) : "";
  return new DatabaseOpenError(`The database ${filePath} ${reason}${free}`, { cause: error });
}

function openReason(error: unknown): string | null {
  const code = storageCode(error);
  if (isBusy(error)) return "is locked by another program. Close that program and start again.";
  if (code.startsWith("SQLITE_NOTADB")) {
    return "is not a Toolroom database. Move that file away, or set DATABASE_URL to another file.";
  }
  if (code.startsWith("SQLITE_CORRUPT"))
    return "is damaged. Restore it from a copy, or set DATABASE_URL to another file.";
  if (code.startsWith("SQLITE_FULL") || code === "ENOSPC") {
    return "cannot be written: the disk is full. Free some space on the disk that holds it, then start again.";
  }
  if (code.startsWith("SQLITE_IOERR")) {
    return "cannot be read or written: its disk is full or damaged. Free some space or check the disk, then start again.";
  }
  if (code.startsWith("SQLITE_READONLY") || code === "EROFS") {
    return "is read-only. Make the file and its folder writable, or set DATABASE_URL to another file.";
  }
  if (
    code.startsWith("SQLITE_CANTOPEN") ||
    code === "EACCES" ||
    code === "EPERM" ||
    code === "ENOTDIR" ||
    code === "EEXIST"
  ) {
    return "cannot be opened. Make its folder writable, or set DATABASE_URL to another file.";
  }
  return null;
}
