import { type FunctionCallContent, isPlainObject, type JsonObject } from "../../../lib/contract";

/** Deeper than any tool's arguments; what is deeper by far cannot even be written as JSON. */
const MAX_DEPTH = 200;

/** No JSON: a call with these arguments is refused, and its run goes on. */
const TOO_DEEP = `[arguments nested deeper than ${MAX_DEPTH} levels]`;

/**
 * A call's arguments as a vendor gave them: text, or an object where the vendor parses them itself. One that is nested too
 * deeply to be kept or sent back becomes a text that says so; what is no object is an empty one.
 */
export function givenArguments(given: unknown): string | JsonObject {
  if (typeof given === "string") return given;
  if (!isPlainObject(given)) return {};
  return isShallow(given) ? (given as JsonObject) : TOO_DEEP;
}

/** The same as text. */
export function givenText(given: unknown): string {
  if (typeof given === "string") return given;
  return isShallow(given) ? (JSON.stringify(given) ?? "") : TOO_DEEP;
}

/**
 * A call's arguments for providers that want an object back. Text that is no JSON object, from a broken or cut call,
 * travels as `{ "raw": text }`, so that the model sees what it wrote; an empty text is an empty object.
 */
export function argumentsObject({ arguments: given }: FunctionCallContent): JsonObject {
  if (typeof given !== "string") return isShallow(given) ? given : { raw: TOO_DEEP };
  if (given.trim() === "") return {};
  try {
    const parsed: unknown = JSON.parse(given);
    if (isPlainObject(parsed) && isShallow(parsed)) return parsed as JsonObject;
  } catch {
    // Falls through: kept as text.
  }
  return { raw: given };
}

/** The same for providers that want JSON text back; always valid JSON. */
export function argumentsText(call: FunctionCallContent): string {
  return JSON.stringify(argumentsObject(call));
}

/** Whether it can be written as JSON, compared and cloned whatever the stack holds already. */
export function isShallow(value: unknown, levels: number = MAX_DEPTH): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (levels === 0) return false;
  return Object.values(value).every((item) => isShallow(item, levels - 1));
}
