import { isAppError } from "../../shared/app-error";

/**
 * `SQLITE_…`, a Node or a Prisma code; empty where there is none.
 * Errors are read by their code, never by class: the driver is loaded once by Node and the code that asks may be
 * bundled several times.
 */
export function sqliteCode(error: unknown): string {
  // A refused write carries the driver's error as its cause.
  if (isAppError(error)) return error.cause === undefined ? "" : sqliteCode(error.cause);
  return driverCode(error) ?? textAt(error, "code") ?? "";
}

/** Prisma keeps what the driver said where it has no code of its own for it, such as for a full disk. */
function driverCode(error: unknown): string | undefined {
  const code = textAt(at(at(at(error, "meta"), "driverAdapterError"), "cause"), "originalCode");
  return code?.startsWith("SQLITE_") ? code : undefined;
}

function at(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}

function textAt(value: unknown, key: string): string | undefined {
  const found = at(value, key);
  return typeof found === "string" ? found : undefined;
}

/** Another connection holds the lock: nothing was done, and the statement can be retried. P1008 is what Prisma makes of it. */
export function isBusy(error: unknown): boolean {
  const code = sqliteCode(error);
  return code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED") || code === "P1008";
}

/** A code of our own: the row is no longer in a state that this write may change. */
export const STATE_CONFLICT = "TOOLROOM_STATE_CONFLICT";

/** One row was refused; the transaction around it still stands. */
export function isRowError(error: unknown): boolean {
  const code = sqliteCode(error);
  if (code.startsWith("SQLITE_CONSTRAINT") || code === "SQLITE_TOOBIG" || code === STATE_CONFLICT) return true;
  return error instanceof TypeError || error instanceof RangeError;
}

export function isUniqueViolation(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === "SQLITE_CONSTRAINT_UNIQUE" || code === "SQLITE_CONSTRAINT_PRIMARYKEY" || code === "P2002";
}

/** Describes a write error for users. */
export function describeWriteError(error: unknown): string {
  const code = sqliteCode(error);
  if (isBusy(error)) return "the database is locked by another program";
  if (code.startsWith("SQLITE_FULL")) return "the disk is full";
  if (code.startsWith("SQLITE_READONLY")) return "the database is read-only";
  if (code.startsWith("SQLITE_IOERR")) return "the disk could not be read or written";
  if (code.startsWith("SQLITE_CORRUPT") || code.startsWith("SQLITE_NOTADB")) return "the database file is damaged";
  if (code.startsWith("SQLITE_CONSTRAINT")) return "the database refused the row";
  if (code === "SQLITE_TOOBIG" || error instanceof RangeError) return "the row is too large for the database";
  return error instanceof Error ? error.message : String(error);
}
