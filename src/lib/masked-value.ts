import { isPlainObject } from "./contract/json";
import { childPointer } from "./json/json-pointer";

/** The text in place of a masked value: 12 hexadecimal digits of a keyed hash, the same for equal values. */
const MASK = /\[masked:[0-9a-f]{12}\]/;
const MASK_START = "[masked:";
const MAX_DEPTH = 200;
const MAX_PATHS = 20;

export const toMask = (hash: string): string => `${MASK_START}${hash.slice(0, 12)}]`;

export const hasMask = (text: string): boolean => text.includes(MASK_START) && MASK.test(text);

export function replaceMasks(text: string, replace: () => string): string {
  return hasMask(text) ? text.replaceAll(new RegExp(MASK, "g"), replace) : text;
}

/** JSON pointers of the values that are or contain a mask; the first ones of many. */
export function findMasks(value: unknown): string[] {
  const found: string[] = [];
  collect(value, "", 0, found);
  return found;
}

function collect(value: unknown, pointer: string, depth: number, found: string[]): void {
  if (found.length >= MAX_PATHS || depth > MAX_DEPTH) return;
  if (typeof value === "string") {
    if (hasMask(value)) found.push(pointer);
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) collect(item, childPointer(pointer, index), depth + 1, found);
  } else if (isPlainObject(value)) {
    for (const [key, item] of Object.entries(value)) collect(item, childPointer(pointer, key), depth + 1, found);
  }
}

/** Replaces a known secret in stored and shown data. */
export const REDACTED = "[redacted]";
