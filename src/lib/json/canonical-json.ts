import { isPlainObject } from "../contract/json";

/**
 * JSON text with the keys of every object in one order: equal content gives equal text. What is nested so deeply that it
 * cannot be written, some thousand levels, gives one text whatever it holds.
 */
export function canonicalJson(value: unknown): string {
  try {
    return JSON.stringify(value, inOrder) ?? "null";
  } catch {
    return '"(nested too deeply)"';
  }
}

function inOrder(_key: string, inner: unknown): unknown {
  if (!isPlainObject(inner)) return inner;
  // The default order of code units is far faster than one that is compared here.
  const keys = Object.keys(inner).sort();
  return Object.fromEntries(keys.map((key) => [key, inner[key]]));
}
