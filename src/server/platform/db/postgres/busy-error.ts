import { AppError, isAppError } from "../../shared/app-error";
import { storageCode } from "../storage-error";

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

/** The refusal for a lock or time limit of the database; another error as it is. */
export function toBusyRefusal(error: unknown): unknown {
  const message = isAppError(error) ? undefined : BUSY.get(storageCode(error));
  return message === undefined ? error : new AppError("UNAVAILABLE", message, [], { cause: error });
}
