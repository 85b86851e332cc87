import { isPlainObject } from "../contract/json";
import { isNestedDeeperThan, MAX_JSON_LEVELS } from "./limits";

/**
 * JSON text with the keys of every object in one order: equal content gives equal text. All values that are nested
 * deeper than MAX_JSON_LEVELS give the same text.
 */
export function canonicalJson(value: unknown): string {
  if (isNestedDeeperThan(value, MAX_JSON_LEVELS)) return '"(nested too deeply)"';
  return JSON.stringify(value, inOrder) ?? "null";
}

function inOrder(_key: string, inner: unknown): unknown {
  if (!isPlainObject(inner)) return inner;
  // The default order of code units is far faster than one that is compared here.
  const keys = Object.keys(inner).sort();
  return Object.fromEntries(keys.map((key) => [key, inner[key]]));
}
