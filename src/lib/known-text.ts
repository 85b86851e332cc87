/** JSON texts of values that never change, by value. */
const texts = new WeakMap<object, string>();

/** Keeps the text that a value was parsed from, or that was made of it. It is free of line breaks. */
export function keepText(value: object, text: string): void {
  texts.set(value, text);
}

/** A kept text has no characters written as `\u…` or `\/`. */
export const keptTextOf = (value: object): string | undefined => texts.get(value);

/** The value's JSON text: the one that was kept, else a new one. */
export function toJsonText(value: unknown): string | undefined {
  const kept = typeof value === "object" && value !== null ? texts.get(value) : undefined;
  return kept ?? (JSON.stringify(value) as string | undefined);
}
