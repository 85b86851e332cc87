import { flatHead } from "./cut-text";
import type { LooseMessage } from "./json-rpc";

/** A message on the hot path is kept in the cheapest form; its text is made when somebody looks. */
export type KeptMessage =
  | { form: "text"; text: string }
  | { form: "head"; head: string; chars: number }
  | { form: "value"; value: unknown };

const TOO_DEEP = "(nested too deeply to be shown)";

/**
 * @param text the message's JSON text; empty where it is not known
 * @param maxChars what is shown, and so much more as a secret that lies across the cut may have
 */
export function keepMessage(message: LooseMessage, text: string, maxChars: number): KeptMessage {
  if (text !== "") {
    return text.length <= maxChars
      ? { form: "text", text }
      : { form: "head", head: flatHead(text, maxChars), chars: text.length };
  }
  const size = roughChars(message, maxChars);
  if (size <= maxChars) return { form: "value", value: message };
  // Of a long text only the beginning can be in the head; writing all of it would cost as much as the call itself.
  const shortened = textOf(message, (_key, value) =>
    typeof value === "string" && value.length > maxChars ? value.slice(0, maxChars) : value,
  );
  return { form: "head", head: flatHead(shortened, maxChars), chars: roughChars(message, Number.POSITIVE_INFINITY) };
}

/** A message may be nested more deeply than can be written: its reader goes level by level on the stack. */
function textOf(value: unknown, replacer?: (key: string, value: unknown) => unknown): string {
  try {
    return JSON.stringify(value, replacer);
  } catch {
    return TOO_DEEP;
  }
}

/** What is kept, uncut. `bytes` is exact for what is kept whole; of a head it counts characters, about. */
export function describeMessage(kept: KeptMessage): { text: string; bytes: number } {
  if (kept.form === "head") return { text: kept.head, bytes: kept.chars };
  const text = kept.form === "text" ? kept.text : textOf(kept.value);
  return { text, bytes: Buffer.byteLength(text) };
}

/** About as many characters as the JSON text has; stops counting past `enough`. */
function roughChars(value: unknown, enough: number): number {
  let chars = 0;
  const waiting: unknown[] = [value];
  while (waiting.length > 0 && chars <= enough) {
    const next = waiting.pop();
    chars += 4;
    if (typeof next === "string") chars += next.length;
    else if (Array.isArray(next)) {
      chars += next.length;
      // One by one: a spread of a long list would not fit on the stack.
      if (chars <= enough) for (const item of next) waiting.push(item);
    } else if (typeof next === "object" && next !== null) {
      for (const key of Object.keys(next)) {
        chars += key.length + 4;
        waiting.push((next as Record<string, unknown>)[key]);
      }
    }
  }
  return chars;
}
