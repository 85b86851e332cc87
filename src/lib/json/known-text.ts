import { createNotes } from "../notes";
import { findValueEnd, walkMembers } from "./json-text";

/** JSON texts of values that never change, by value. */
const texts = createNotes<string>();

/** Keeps the text that a value was parsed from, or that was made of it. It is free of line breaks. */
export function keepText(value: object, text: string): void {
  texts.set(value, text);
}

/** A kept text has no characters written as `\u…` or `\/`. */
export const getKeptText = (value: object): string | undefined => texts.get(value);

/** The value's JSON text: the one that was kept, else a new one. */
export function toJsonText(value: unknown): string | undefined {
  const kept = typeof value === "object" && value !== null ? texts.get(value) : undefined;
  return kept ?? (JSON.stringify(value) as string | undefined);
}

/** JSON text of a value, with the texts that were kept of its parts. For small values: each part is looked up. */
export function writeKeptParts(value: unknown): string | undefined {
  const mark = crypto.randomUUID();
  const kept: string[] = [];
  const text = JSON.stringify(value, (_key, part: unknown) => {
    const own = typeof part === "object" && part !== null ? texts.get(part) : undefined;
    return own === undefined ? part : `${mark} ${kept.push(own) - 1}`;
  }) as string | undefined;
  if (kept.length === 0) return text;
  return text?.replaceAll(new RegExp(`"${mark} (\\d+)"`, "g"), (_, index: string) => kept[Number(index)] ?? "null");
}

/**
 * A copy with other members; `undefined` removes a member. Where the text of `value` was kept, the texts of the other
 * members stay: numbers keep their digits.
 */
export function withMembers<T extends object>(value: T, changes: Readonly<Record<string, unknown>>): T {
  const changed = Object.fromEntries(
    Object.entries({ ...value, ...changes }).filter(([, member]) => member !== undefined),
  ) as T;
  const text = texts.get(value);
  if (text === undefined) return changed;
  const members = new Map<string, string>();
  walkMembers(text, 0, (quotedKey, start) => {
    const end = findValueEnd(text, start);
    if (Object.hasOwn(changed, JSON.parse(quotedKey) as string)) members.set(quotedKey, text.slice(start, end));
    return end;
  });
  for (const key of Object.keys(changes)) {
    const member = JSON.stringify((changed as Record<string, unknown>)[key]) as string | undefined;
    if (member !== undefined) members.set(JSON.stringify(key), member);
  }
  keepText(changed, `{${Array.from(members, ([key, member]) => `${key}:${member}`).join(",")}}`);
  return changed;
}
