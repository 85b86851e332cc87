import path from "node:path";
import { isBusy, sqliteCode } from "./sqlite/sqlite-error";

/** The database cannot be used; the message says why and what to do. */
export class DatabaseOpenError extends Error {
  override readonly name = "DatabaseOpenError";
}

/** `file:./data/toolroom.db` as an absolute path. Relative paths start at the working directory. */
export function databaseFilePath(url: string): string {
  if (!url.startsWith("file:")) {
    throw new DatabaseOpenError(
      `DATABASE_URL must start with "file:", for example file:./data/toolroom.db; it is ${url}`,
    );
  }
  const withoutScheme = url.slice("file:".length).replace(/^\/\/(?=\/)/, "");
  const filePath = withoutScheme.split("?")[0] ?? "";
  if (filePath === "" || filePath === ":memory:") {
    throw new DatabaseOpenError(`DATABASE_URL must name a file, for example file:./data/toolroom.db; it is ${url}`);
  }
  return path.resolve(filePath);
}

/** Says in words why a file could not be opened or migrated. */
export function describeOpenError(error: unknown, filePath: string): Error {
  if (error instanceof DatabaseOpenError) return error;
  const reason = openReason(error);
  if (reason === null) return error instanceof Error ? error : new Error(String(error));
  return new DatabaseOpenError(`The database ${filePath} ${reason}`, { cause: error });
}

function openReason(error: unknown): string | null {
  const code = sqliteCode(error);
  if (isBusy(error)) return "is locked by another program. Close that program and start again.";
  if (code.startsWith("SQLITE_NOTADB")) {
    return "is not a Toolroom database. Move that file away, or set DATABASE_URL to another file.";
  }
  if (code.startsWith("SQLITE_CORRUPT"))
    return "is damaged. Restore it from a copy, or set DATABASE_URL to another file.";
  if (code.startsWith("SQLITE_FULL") || code === "ENOSPC") return "cannot be written: the disk is full.";
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
