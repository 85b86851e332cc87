import { isTextNestedDeeperThan } from "./limits";
import { parseWithDigits, stringifyWithDigits } from "./number-digits";

/** Lines of deeper values would be mostly indentation: a megabyte of nested lists becomes 500 MB. */
const MAX_LEVELS = 32;
/** Shorter texts are indented at any depth. */
const SHORT_CHARS = 20_000;

/** `JSON.stringify(value, null, 2)` with the digits of numbers as they were read; of a long text that is nested deeply, the text on one line. */
export function formatJson(value: unknown): string {
  const text = stringifyWithDigits(value);
  if (text === undefined) return "null";
  return isIndentable(text) ? (stringifyWithDigits(value, 2) ?? text) : text;
}

/** Indents a JSON text; one that was cut, and so is not valid JSON, stays unchanged. */
export function indentJsonText(text: string): string {
  try {
    return formatJson(parseWithDigits(text));
  } catch {
    return text;
  }
}

/** Whether the indented form of a JSON text is of the same order of length. */
export const isIndentable = (text: string): boolean =>
  text.length <= SHORT_CHARS || !isTextNestedDeeperThan(text, MAX_LEVELS);
