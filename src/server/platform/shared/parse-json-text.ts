import { getMessage } from "../../../lib/get-message";
import { assertFewKeys, isTooManyKeys } from "../../../lib/too-many-keys";
import { AppError } from "./app-error";

/** @throws AppError that names what the text was meant to be and where it breaks */
export function parseJsonText(text: string, what: string): unknown {
  try {
    assertFewKeys(text);
    return JSON.parse(text);
  } catch (error) {
    const reason = getMessage(error);
    if (isTooManyKeys(error)) throw new AppError("INVALID", `The ${what}: ${reason}`);
    throw new AppError("INVALID", `The ${what} ${what.endsWith("s") ? "are" : "is"} not JSON: ${reason}`);
  }
}
