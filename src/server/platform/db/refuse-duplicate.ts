import { type NamedThing, nameConflict } from "../shared/name-conflict";
import { isUniqueViolation } from "./storage-error";

/** For `catch` of a write: a broken rule of unique names becomes a name conflict, other errors stay as they are. */
export function refuseDuplicate(noun: NamedThing, name: string): (error: unknown) => never {
  return (error) => {
    throw isUniqueViolation(error) ? nameConflict(noun, name) : error;
  };
}
