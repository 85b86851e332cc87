import { parsePointer } from "../json/json-pointer";

/** The value at a JSON pointer; own members only. */
export function readPath(value: unknown, pointer: string): { found: boolean; value?: unknown } {
  let at = value;
  for (const token of parsePointer(pointer)) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, token)) return { found: false };
    at = (at as Record<string, unknown>)[token];
  }
  return { found: true, value: at };
}
