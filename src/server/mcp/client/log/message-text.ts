import type { LooseMessage } from "../transport/json-rpc";
import { flatHead } from "./redactor";

/** A recorded message in the cheapest form; its text is made when the page shows it. */
export type CompactMessage =
  | { form: "text"; text: string }
  | { form: "head"; head: string; chars: number }
  | { form: "value"; value: unknown };

const TOO_DEEP = "(nested too deeply to be shown)";

/**
 * @param text the message's JSON text; empty where it is not known
 * @param maxChars the shown part plus the length of a secret that may lie across its end
 */
export function compactMessage(message: LooseMessage, text: string, maxChars: number): CompactMessage {
  if (text !== "") {
    return text.length <= maxChars
      ? { form: "text", text }
      : { form: "head", head: flatHead(text, maxChars), chars: text.length };
  }
  const size = estimateChars(message, maxChars);
  if (size <= maxChars) return { form: "value", value: message };
  // Serializing long strings whole would cost as much as the call itself.
  const shortened = stringify(message, (_key, value) =>
    typeof value === "string" && value.length > maxChars ? value.slice(0, maxChars) : value,
  );
  return { form: "head", head: flatHead(shortened, maxChars), chars: estimateChars(message, Number.POSITIVE_INFINITY) };
}

/** `JSON.stringify` recurses, so a deeply nested message can overflow the stack. */
function stringify(value: unknown, replacer?: (key: string, value: unknown) => unknown): string {
  try {
    return JSON.stringify(value, replacer);
  } catch {
    return TOO_DEEP;
  }
}

/** `bytes` is exact for whole messages and an estimate in characters for heads. */
export function expandMessage(kept: CompactMessage): { text: string; bytes: number } {
  if (kept.form === "head") return { text: kept.head, bytes: kept.chars };
  const text = kept.form === "text" ? kept.text : stringify(kept.value);
  return { text, bytes: Buffer.byteLength(text) };
}

/** An estimate of the JSON text's length; stops counting past `enough`. */
function estimateChars(value: unknown, enough: number): number {
  let chars = 0;
  const waiting: unknown[] = [value];
  while (waiting.length > 0 && chars <= enough) {
    const next = waiting.pop();
    chars += 4;
    if (typeof next === "string") chars += next.length;
    else if (Array.isArray(next)) {
      chars += next.length;
      // A spread of a long list would overflow the stack.
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
