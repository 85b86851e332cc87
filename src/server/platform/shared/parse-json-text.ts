import { getMessage } from "../../../lib/get-message";
import { findMember } from "../../../lib/json/json-text";
import {
  assertWithinLimits,
  isBeyondLimits,
  isTextNestedDeeperThan,
  MAX_JSON_LEVELS,
  tooDeep,
} from "../../../lib/json/limits";
import { parseWithDigits } from "../../../lib/json/number-digits";
import { INLINE_CHARS, parseJsonInSlices } from "../../../lib/parse-in-slices";
import { CallArguments } from "../../engine/executor/call-arguments";
import { AppError } from "./app-error";

/** A value that is written again with the digits of its numbers. @throws AppError that names what the text was meant to be and where it breaks */
export function parseJsonText(text: string, what: string): unknown {
  try {
    assertWithinLimits(text);
    if (isTextNestedDeeperThan(text, MAX_JSON_LEVELS)) {
      throw tooDeep(`it is nested deeper than ${MAX_JSON_LEVELS} levels`);
    }
    return parseWithDigits(text);
  } catch (error) {
    throw toInputError(error, what);
  }
}

/**
 * The arguments of a call that came as a text of their own. Long ones are parsed in slices.
 * @throws AppError where that is not JSON
 */
export async function parseArgumentsText(text: string): Promise<CallArguments> {
  try {
    return new CallArguments(text.length > INLINE_CHARS ? await parseJsonInSlices(text) : JSON.parse(text), text);
  } catch (error) {
    throw toInputError(error, "arguments");
  }
}

function toInputError(error: unknown, what: string): AppError {
  const reason = getMessage(error);
  if (isBeyondLimits(error)) return new AppError("INVALID", `The ${what}: ${reason}`);
  return new AppError("INVALID", `The ${what} ${what.endsWith("s") ? "are" : "is"} not JSON: ${reason}`);
}

/** The text of a member of a body that was parsed before; `null` where it has none. */
export function takeText(body: string, member: string): string {
  const span = findMember(body, 0, member);
  return span === null ? "null" : body.slice(span.start, span.end);
}

/** The member `arguments` of a body that was parsed before, with its part of the body's text; `{}` where it has none. */
export function takeArguments(body: { value: unknown; text: string }): CallArguments {
  return new CallArguments(body.value, body.text).member("arguments") ?? CallArguments.from(undefined);
}
