import { ExactNumber } from "./exact-number";

/** The parts of a JSON text that is being written, and how many characters it still lacks. */
interface Start {
  text: string;
  left: number;
}

/**
 * The beginning of a value's JSON text, one character longer than `chars` where the whole text is longer. Never writes
 * the rest, so the first words of a value of megabytes are cheap. Undefined for a value that JSON cannot represent.
 */
export function writeJsonStart(value: unknown, chars: number): string | undefined {
  if (isScalar(value)) return writeScalar(value, chars + 1)?.slice(0, chars + 1);
  const start = { text: "", left: chars + 1 };
  append(start, value);
  return start.text.slice(0, chars + 1);
}

/** Beyond `left` no character is needed, which bounds the recursion. */
function append(start: Start, value: unknown): void {
  if (isScalar(value)) add(start, writeScalar(value, start.left) ?? "null");
  else if (Array.isArray(value)) appendList(start, value);
  else appendObject(start, value as Record<string, unknown>);
}

function appendList(start: Start, list: readonly unknown[]): void {
  add(start, "[");
  for (let index = 0; index < list.length && start.left > 0; index += 1) {
    if (index > 0) add(start, ",");
    append(start, list[index]);
  }
  add(start, "]");
}

function appendObject(start: Start, object: Readonly<Record<string, unknown>>): void {
  add(start, "{");
  let isFirst = true;
  for (const key in object) {
    if (start.left <= 0) return;
    if (!Object.hasOwn(object, key) || !hasText(object[key])) continue;
    if (!isFirst) add(start, ",");
    isFirst = false;
    add(start, `${writeScalar(key, start.left)}:`);
    append(start, object[key]);
  }
  add(start, "}");
}

function add(start: Start, text: string): void {
  start.text += text;
  start.left -= text.length;
}

const hasText = (value: unknown): boolean => !["undefined", "function", "symbol"].includes(typeof value);

const isScalar = (value: unknown): boolean =>
  typeof value !== "object" || value === null || value instanceof ExactNumber;

/** What follows after `chars` characters of a string is left out; the text that is written of it is longer. */
function writeScalar(value: unknown, chars: number): string | undefined {
  if (value instanceof ExactNumber) return value.toString();
  const isLong = typeof value === "string" && value.length > chars;
  return JSON.stringify(isLong ? value.slice(0, Math.max(0, chars)) : value) as string | undefined;
}
