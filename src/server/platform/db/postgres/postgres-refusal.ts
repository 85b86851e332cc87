import { getMessage } from "../../../../lib/get-message";
import { AppError, isAppError } from "../../shared/app-error";
import { storageCode } from "../storage-error";

const MAX_CHARS = 200;

/** The database ended a statement since others were in the way, or it took too long: the same request may succeed later. */
const BUSY: ReadonlyMap<string, string> = new Map([
  ["55P03", "The database is busy: a lock was not free in time, so nothing was changed. Try again."],
  ["40P01", "The database is busy: two changes waited for each other, and this one was undone. Try again."],
  ["40001", "The database is busy: another change came first, and this one was undone. Try again."],
  [
    "57014",
    "The database took too long and ended the request, so nothing was changed. Try again, with a narrower filter where there is one.",
  ],
]);

/** Error codes for values that a column does not accept: out of range, not a number, or invalid text. */
const UNSTORABLE = new Set(["22003", "22P02", "22P05", "22021"]);

/** The refusal for a lock or time limit of the database, or a value that it does not take; another error as it is. */
export function toPostgresRefusal(error: unknown): unknown {
  if (isAppError(error)) return error;
  const code = storageCode(error);
  if (UNSTORABLE.has(code)) {
    const message = `The request has a value that the database cannot take: ${getMessage(error).slice(0, MAX_CHARS)}`;
    return new AppError("INVALID", message, [], { cause: error });
  }
  const message = BUSY.get(code);
  return message === undefined ? error : new AppError("UNAVAILABLE", message, [], { cause: error });
}
