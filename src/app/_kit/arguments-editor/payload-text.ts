import type { JsonObject, JsonValue } from "@/lib/contract/json";
import { isJsonObject } from "@/lib/schema/value-at";
import { locateFault, type TextFault } from "./locate-fault";

type ReadPayload = { ok: true; value: JsonValue } | { ok: false; fault: TextFault };

/** Deeper values cannot be shown, compared and written without the risk of running out of stack. */
const MAX_LEVELS = 200;

const START = { offset: 0, line: 1, column: 1 };

function isTooDeep(value: JsonValue): boolean {
  let level: JsonValue[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_LEVELS) return true;
    level = level.flatMap((item) => (typeof item === "object" && item !== null ? Object.values(item) : []));
  }
  return false;
}

/** Reads JSON text strictly. Keys called `__proto__` are keys like any other. */
export function readPayload(text: string): ReadPayload {
  try {
    const value: JsonValue = JSON.parse(text);
    if (!isTooDeep(value)) return { ok: true, value };
    return { ok: false, fault: { ...START, message: `exceeds ${MAX_LEVELS} nesting levels` } };
  } catch (error) {
    return { ok: false, fault: locateFault(text, error instanceof Error ? error.message : "invalid JSON") };
  }
}

export function readObject(text: string): JsonObject | null {
  if (!text.trimStart().startsWith("{")) return null;
  const read = readPayload(text);
  return read.ok && isJsonObject(read.value) ? read.value : null;
}

/** The place and words for a root that is no object, which no tool takes; null for an object. */
export function rootFault(text: string, value: JsonValue): TextFault | null {
  if (isJsonObject(value)) return null;
  const kind = Array.isArray(value) ? "an array" : value === null ? "null" : `a ${typeof value}`;
  const offset = text.length - text.trimStart().length;
  const line = text.slice(0, offset).split("\n").length;
  const column = offset - text.slice(0, offset).lastIndexOf("\n");
  return { offset, line, column, message: `must be a JSON object, got ${kind}` };
}

/** The text of JSON mode for a value that was not typed there. */
export const prettyPayload = (value: JsonValue): string => JSON.stringify(value, null, 2);

const ONE_LINE_CHARS = 80;

/**
 * The text that the form sends: on one line when that is short, indented otherwise. Line breaks inside strings are escaped
 * in JSON, so those that are left belong to the layout.
 */
export function formatPayload(value: JsonValue): string {
  const oneLine = JSON.stringify(value, null, 1).replace(/\n */g, " ");
  return oneLine.length <= ONE_LINE_CHARS ? oneLine : prettyPayload(value);
}
