import { isAppError } from "../shared/app-error";

const SQLSTATE = /^[0-9A-Z]{5}$/;

/**
 * `SQLITE_…`, an SQLSTATE of PostgreSQL, a Node or a Prisma code; empty where there is none.
 * Errors are read by their code, never by class: the driver is loaded once by Node and the code that asks may be
 * bundled several times.
 */
export function storageCode(error: unknown): string {
  // A refused write carries the driver's error as its cause.
  if (isAppError(error)) return error.cause === undefined ? "" : storageCode(error.cause);
  return driverCode(error) ?? textAt(error, "code") ?? "";
}

/** Prisma keeps what the driver said where it has no code of its own for it, such as for a full disk. */
function driverCode(error: unknown): string | undefined {
  const code = textAt(at(at(at(error, "meta"), "driverAdapterError"), "cause"), "originalCode");
  return code !== undefined && (code.startsWith("SQLITE_") || SQLSTATE.test(code)) ? code : undefined;
}

function at(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}

function textAt(value: unknown, key: string): string | undefined {
  const found = at(value, key);
  return typeof found === "string" ? found : undefined;
}

/** Deadlock, failed serialization, and a lock that was not given in time. */
const CONFLICTS = new Set(["40P01", "40001", "55P03"]);

/** Another connection holds the lock: nothing was done, and the work can be repeated. P1008 and P2034 are what Prisma makes of it. */
export function isBusy(error: unknown): boolean {
  const code = storageCode(error);
  if (code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED")) return true;
  return CONFLICTS.has(code) || code === "P1008" || code === "P2034";
}

const LOST_CODES = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EAI_AGAIN",
  "ENOENT",
  // Shut down, crashed, starting, too many connections, and idle for too long within a transaction.
  "57P01",
  "57P02",
  "57P03",
  "53300",
  "25P03",
  "P1001",
  "P1002",
  "P1017",
  "P2037",
]);
/** Messages of pg that come without a code. */
const LOST_MESSAGES =
  /Connection terminated|timeout expired|timeout exceeded when trying to connect|Client has encountered a connection error|Connection ended/;

/** The connection to PostgreSQL broke, or there was none: whether the statement was executed is unknown. */
export function isLostConnection(error: unknown): boolean {
  const code = storageCode(error);
  if (LOST_CODES.has(code) || (SQLSTATE.test(code) && code.startsWith("08"))) return true;
  const cause = isAppError(error) ? error.cause : error;
  return cause instanceof Error && LOST_MESSAGES.test(cause.message);
}

/** A code of our own: the row is no longer in a state that this write may change. */
export const STATE_CONFLICT = "TOOLROOM_STATE_CONFLICT";

/** Whether one row was refused, so that the transaction is still valid. */
export function isRowError(error: unknown): boolean {
  const code = storageCode(error);
  if (code.startsWith("SQLITE_CONSTRAINT") || code === "SQLITE_TOOBIG" || code === STATE_CONFLICT) return true;
  // Data that the type does not take, constraints, and limits of a row.
  if (SQLSTATE.test(code) && /^(?:22|23|54)/.test(code)) return true;
  return error instanceof TypeError || error instanceof RangeError;
}

export function isUniqueViolation(error: unknown): boolean {
  const code = storageCode(error);
  return (
    code === "SQLITE_CONSTRAINT_UNIQUE" ||
    code === "SQLITE_CONSTRAINT_PRIMARYKEY" ||
    code === "23505" ||
    code === "P2002"
  );
}

export function describeWriteError(error: unknown): string {
  const code = storageCode(error);
  if (isBusy(error)) return "the database is locked by another program";
  if (isLostConnection(error)) return "the database cannot be reached";
  if (code.startsWith("SQLITE_FULL") || code === "53100") return "the disk is full";
  if (code.startsWith("SQLITE_READONLY") || code === "25006") return "the database is read-only";
  if (code.startsWith("SQLITE_IOERR")) return "the disk could not be read or written";
  if (code.startsWith("SQLITE_CORRUPT") || code.startsWith("SQLITE_NOTADB")) return "the database file is damaged";
  if (code.startsWith("SQLITE_CONSTRAINT") || /^2[23]...$/.test(code)) return "the database refused the row";
  if (code === "SQLITE_TOOBIG" || code.startsWith("54") || error instanceof RangeError)
    return "the row is too large for the database";
  return error instanceof Error ? error.message : String(error);
}
