import { toJsonText, withMembers } from "../../../../lib/json/known-text";

/** The JSON text of `extended`, made from the kept text of `value`. */
export function toExtendedText(value: object, extended: object): string {
  const [before, after] = [value as Record<string, unknown>, extended as Record<string, unknown>];
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changed = Array.from(keys).filter((key) => after[key] !== before[key]);
  const changes = Object.fromEntries(changed.map((key) => [key, after[key]]));
  if (changed.some((key) => Object.hasOwn(before, key))) return toJsonText(withMembers(value, changes)) ?? "{}";
  // The text of what is only added to is not read: results may be long.
  const text = toJsonText(value) ?? "{}";
  const members = JSON.stringify(changes).slice(1, -1);
  return `{${[text.slice(1, -1), members].filter((part) => part !== "").join(",")}}`;
}
