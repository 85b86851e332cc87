import type { ChatResponseUpdate, FunctionCallContent } from "../../lib/contract/chat";
import { isPlainObject, type JsonObject } from "../../lib/contract/json";
import { getExactText, parseExact, toExactText } from "../../lib/json/exact-text";
import { toJsonText } from "../../lib/json/known-text";
import { isNoArguments } from "../../lib/json/no-arguments";

/** Deeper than any tool's arguments; much deeper values cannot even be serialized. */
const MAX_DEPTH = 200;

/** The text is not JSON: a call with these arguments is refused, and its run continues. */
const TOO_DEEP = `[arguments nested deeper than ${MAX_DEPTH} levels]`;

/**
 * A call's arguments from a vendor: text, or an object if the vendor parses them. Arguments that are nested too deeply to be
 * stored or sent back become a text that says so; any other value becomes an empty object.
 */
export function readArguments(value: unknown): string | JsonObject {
  if (typeof value === "string") return value;
  if (!isPlainObject(value)) return {};
  return isShallow(value) ? (getExactText(value) ?? (value as JsonObject)) : TOO_DEEP;
}

/** Reads a call's arguments as text. */
export function readArgumentsText(value: unknown): string {
  if (typeof value === "string") return value;
  return isShallow(value) ? (toExactText(value) ?? "") : TOO_DEEP;
}

/** The update of a call that arrived in one piece. */
export function toCallUpdate({ callId, name, arguments: given }: FunctionCallContent): ChatResponseUpdate {
  return { type: "call_delta", callId, name, argumentsDelta: readArgumentsText(given) };
}

/**
 * A call's arguments for providers that take an object. Text that is no JSON object, from a broken or cut call, is sent as
 * `{ "raw": text }`, so that the model sees what it wrote; an empty text and
 * `null` are an empty object.
 */
export function toArgumentsObject({ arguments: written }: FunctionCallContent): JsonObject {
  if (typeof written !== "string") return isShallow(written) ? written : { raw: TOO_DEEP };
  if (isNoArguments(written)) return {};
  try {
    const parsed = parseExact(written);
    if (isPlainObject(parsed) && isShallow(parsed)) return parsed as JsonObject;
  } catch {
    // The text is not JSON, so it is sent as text.
  }
  return { raw: written };
}

/** Converts arguments for providers that accept text; always valid JSON. */
export function toArgumentsText(call: FunctionCallContent): string {
  return toJsonText(toArgumentsObject(call)) ?? "{}";
}

/** Whether a value can be serialized, compared and cloned without exhausting the stack. */
export function isShallow(value: unknown, levels: number = MAX_DEPTH): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (levels === 0) return false;
  return Object.values(value).every((item) => isShallow(item, levels - 1));
}
