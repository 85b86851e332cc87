import type { JsonValue } from "../contract/json";

const CHARS_PER_VALUE = 100;

/** How many values a JSON value holds, itself included, long texts counting as several; stops beyond `limit`. */
export function countValues(value: JsonValue, limit: number): number {
  const pending: JsonValue[] = [value];
  let count = 0;
  for (let next = pending.pop(); next !== undefined && count <= limit; next = pending.pop()) {
    count += typeof next === "string" ? 1 + Math.floor(next.length / CHARS_PER_VALUE) : 1;
    if (typeof next !== "object" || next === null) continue;
    for (const inner of Object.values(next)) {
      if (count + pending.length > limit) return limit + 1;
      pending.push(inner);
    }
  }
  return count;
}

/** JSON text for display, cut at `maxChars`: schemas may hold values of any size. */
export function shortJson(value: JsonValue, maxChars: number): string {
  if (typeof value === "string" && value.length > maxChars) return `${JSON.stringify(value.slice(0, maxChars))}…`;
  if (countValues(value, maxChars) > maxChars) return Array.isArray(value) ? "[…]" : "{…}";
  const text = JSON.stringify(value);
  return text.length > maxChars ? `${text.slice(0, maxChars)}…` : text;
}
