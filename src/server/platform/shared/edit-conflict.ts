import type { Actor } from "../../../lib/contract/actor";
import type { LastEdit } from "../../../lib/contract/last-edit";
import { REVISION } from "../../../lib/contract/revision";
import { AppError } from "./app-error";
import type { NamedThing } from "./name-conflict";

/** The editor, and the revision that they saw; without a revision the edit overwrites. */
export interface Edit {
  by?: Pick<Actor, "name"> | undefined;
  revision?: number | undefined;
}

/** Another edit came first. Recognized by its code, `CONFLICT`, and the field of its problem. */
export function editConflict(noun: NamedThing, name: string, { by, at, revision }: LastEdit): AppError {
  const message =
    `${by ?? "Another edit"} changed the ${noun} '${name}' at ${new Date(at).toISOString()} (revision ${revision}), after you ` +
    "opened it: look at the change, then save again with that revision";
  return new AppError("CONFLICT", message, [{ path: REVISION, message }]);
}
