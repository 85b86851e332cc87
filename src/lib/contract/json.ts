/** Any value that JSON text can hold. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

export type JsonObject = { [key: string]: JsonValue };

/** A JSON Schema object as users write it: drafts 7, 2019-09 and 2020-12, unknown keywords kept. */
export type JsonSchema = { [keyword: string]: unknown };

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

/** A member of the object's own: names come from outside, and may be those of `Object.prototype`. */
export function readOwn(object: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Reads a member of a value that may not be an object. */
export const readMember = (value: unknown, key: string): unknown =>
  isPlainObject(value) ? readOwn(value, key) : undefined;
