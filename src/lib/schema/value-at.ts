import type { JsonObject, JsonValue } from "../contract/json";
import { arrayIndex } from "../json/json-pointer";

/**
 * Reads and changes one path of a JSON value without modifying the original. Keys come from users and models, so objects are
 * rebuilt from entries: `__proto__` stays an ordinary key.
 */
export type ValuePath = readonly (string | number)[];

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function ownValue(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function getChild(value: JsonValue | undefined, token: string | number): JsonValue | undefined {
  if (Array.isArray(value)) {
    const index = arrayIndex(token);
    return index === null ? undefined : value[index];
  }
  return isJsonObject(value) ? ownValue(value, String(token)) : undefined;
}

export function getAt(value: JsonValue | undefined, path: ValuePath): JsonValue | undefined {
  let current: JsonValue | undefined = value;
  for (const token of path) {
    if (current === undefined) return undefined;
    current = getChild(current, token);
  }
  return current;
}

function withKey(object: JsonObject, key: string, next: JsonValue): JsonObject {
  const entries = Object.entries(object);
  const at = entries.findIndex(([name]) => name === key);
  if (at === -1) entries.push([key, next]);
  else entries[at] = [key, next];
  return Object.fromEntries(entries);
}

/**
 * Sets the value at a path. Missing objects are created; an array accepts an existing index or the one after the last. A path
 * through a scalar, null or a gap changes nothing.
 */
export function setAt(value: JsonValue, path: ValuePath, next: JsonValue): JsonValue {
  const [token, ...rest] = path;
  if (token === undefined) return next;
  if (Array.isArray(value)) {
    const index = arrayIndex(token);
    if (index === null || index > value.length) return value;
    const child = setAt(value[index] ?? emptyOnTheWay(rest, value[index]), rest, next);
    if (index < value.length && child === value[index]) return value;
    return index === value.length ? [...value, child] : value.with(index, child);
  }
  if (!isJsonObject(value)) return value;
  const key = String(token);
  const before = ownValue(value, key);
  const child = setAt(emptyOnTheWay(rest, before), rest, next);
  return child === before ? value : withKey(value, key, child);
}

function emptyOnTheWay(rest: ValuePath, present: JsonValue | undefined): JsonValue {
  if (present !== undefined) return present;
  return rest.length > 0 ? {} : null;
}

/** Removes a key or an array element; a path that does not exist changes nothing. */
export function unsetAt(value: JsonValue, path: ValuePath): JsonValue {
  const [token, ...rest] = path;
  if (token === undefined) return value;
  const child = getChild(value, token);
  if (child === undefined) return value;
  if (rest.length > 0) {
    const changed = unsetAt(child, rest);
    return changed === child ? value : setAt(value, [token], changed);
  }
  if (Array.isArray(value)) return value.toSpliced(Number(token), 1);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== String(token)));
}

function changeArray(value: JsonValue, path: ValuePath, change: (items: JsonValue[]) => JsonValue[]): JsonValue {
  const items = getAt(value, path);
  return Array.isArray(items) ? setAt(value, path, change(items)) : value;
}

/** Puts an element before `index` of the array at `path`; beyond the end means at the end. */
export function insertAt(value: JsonValue, path: ValuePath, index: number, item: JsonValue): JsonValue {
  return changeArray(value, path, (items) => items.toSpliced(Math.max(0, index), 0, item));
}

/** Moves an element so that it ends at `to`; positions outside the array change nothing. */
export function moveAt(value: JsonValue, path: ValuePath, from: number, to: number): JsonValue {
  return changeArray(value, path, (items) => {
    const item = items[from];
    if (item === undefined || from === to || to < 0 || to >= items.length) return items;
    return items.toSpliced(from, 1).toSpliced(to, 0, item);
  });
}

/** Gives a key another name in the same position; a name that is taken changes nothing. */
export function renameAt(value: JsonValue, path: ValuePath, from: string, to: string): JsonValue {
  const object = getAt(value, path);
  if (!isJsonObject(object) || from === to || !Object.hasOwn(object, from) || Object.hasOwn(object, to)) return value;
  const entries = Object.entries(object).map(([key, item]): [string, JsonValue] => [key === from ? to : key, item]);
  return setAt(value, path, Object.fromEntries(entries));
}
