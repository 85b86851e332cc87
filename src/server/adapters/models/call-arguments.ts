import type { FunctionCallContent, JsonObject } from "../../../lib/contract";

/**
 * A call's arguments for providers that want an object back. Text that is no JSON object, from a broken or cut call,
 * travels as `{ "raw": text }`, so that the model sees what it wrote; an empty text is an empty object.
 */
export function argumentsObject({ arguments: given }: FunctionCallContent): JsonObject {
  if (typeof given !== "string") return given;
  if (given.trim() === "") return {};
  try {
    const parsed: unknown = JSON.parse(given);
    if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)) return parsed as JsonObject;
  } catch {
    // Falls through: kept as text.
  }
  return { raw: given };
}

/** The same for providers that want JSON text back; always valid JSON. */
export function argumentsText(call: FunctionCallContent): string {
  return JSON.stringify(argumentsObject(call));
}
