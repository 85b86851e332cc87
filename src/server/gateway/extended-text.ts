import { toJsonText } from "../../lib/known-text";

/** The JSON text of `extended`, made from the kept text of `value` where it only adds members to that. */
export function toExtendedText(value: object, extended: object): string {
  const text = toJsonText(value) ?? "{}";
  if (extended === value) return text;
  const before = value as Record<string, unknown>;
  const added = { ...extended } as Record<string, unknown>;
  for (const key of Object.keys(value)) {
    if (added[key] !== before[key]) return JSON.stringify(extended);
    delete added[key];
  }
  const members = JSON.stringify(added).slice(1, -1);
  return members === "" || text === "{}" ? JSON.stringify(extended) : `${text.slice(0, -1)},${members}}`;
}
