import type { LastEdit } from "../../../lib/contract/last-edit";
import { AppError } from "../shared/app-error";
import { editConflict } from "../shared/edit-conflict";
import type { NamedThing } from "../shared/name-conflict";

interface EditedRow {
  revision: number | bigint;
  changedBy: string | null;
  updatedAt: number | bigint;
}

export function toLastEdit({ revision, changedBy, updatedAt }: EditedRow): LastEdit {
  return { revision: Number(revision), by: changedBy, at: Number(updatedAt) };
}

/** For an edit that found no row of the revision that it names. @param row what has the name now */
export function refuseOutdated(noun: NamedThing, name: string, row: EditedRow | null | undefined): never {
  if (row) throw editConflict(noun, name, toLastEdit(row));
  throw new AppError("NOT_FOUND", `There is no ${noun} '${name}': it was deleted or renamed`);
}

/** The part of a condition that compares the revision; nothing where the edit names none. */
export const isRevision = (revision: number | undefined) => (revision === undefined ? {} : { revision });
