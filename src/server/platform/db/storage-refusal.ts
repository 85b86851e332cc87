import { AppError } from "../shared/app-error";
import { isBusy, sqliteCode } from "./sqlite/sqlite-error";

/** Error message when the database refuses every write: the cause and the fix. */
const REFUSALS: readonly (readonly [code: string, reason: string, wayOut: string])[] = [
  ["SQLITE_FULL", "The disk is full", "Free some space on the disk that holds the database, then try again."],
  ["SQLITE_READONLY", "The database is read-only", "Make the database file and its folder writable, then try again."],
  ["SQLITE_IOERR", "The disk could not be read or written", "Check the disk that holds the database, then try again."],
  ["SQLITE_CANTOPEN", "The database file could not be opened", "Check its folder and permissions, then try again."],
  ["SQLITE_CORRUPT", "The database file is damaged", "Stop Toolroom and restore the file from a backup."],
  ["SQLITE_NOTADB", "The database file is damaged", "Stop Toolroom and restore the file from a backup."],
];

/** A write failed for a reason outside the program: an error with a message for people. Other errors stay as they are. */
export function toStorageRefusal(error: unknown): unknown {
  if (isBusy(error)) {
    return refusal("The database is locked by another program", "Close that program or wait, then try again.", error);
  }
  const code = sqliteCode(error);
  const known = REFUSALS.find(([prefix]) => code.startsWith(prefix));
  return known === undefined ? error : refusal(known[1], known[2], error);
}

function refusal(reason: string, wayOut: string, cause: unknown): AppError {
  return new AppError("UNAVAILABLE", `${reason}, so nothing was saved. ${wayOut}`, [], { cause });
}
