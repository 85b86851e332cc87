import { isPlainObject } from "../../../../lib/contract/json";
import { keepDigits } from "../../../../lib/json/exact-text";
import { getKeptText } from "../../../../lib/json/known-text";

/** Keys of `_meta` that only Toolroom sets: "toolroom/http" makes a tool an operation of an API. */
const OWN_KEYS = "toolroom/";
/** Where results of the protocol have objects with a `_meta`. Data of tools, as in `structuredContent`, is left alone. */
const CARRIERS = [
  "tools",
  "resources",
  "resourceTemplates",
  "prompts",
  "content",
  "contents",
  "messages",
  "resource",
  "result",
];
/** The levels of `result.messages[].content.resource`. */
const MAX_LEVELS = 4;

/** A server's result without keys of Toolroom's own in any `_meta`. Returns the same object where there are none. */
export function withoutOwnMeta(result: unknown): unknown {
  const text = isPlainObject(result) ? getKeptText(result) : undefined;
  if (text !== undefined && !text.includes(OWN_KEYS)) return result;
  const cleaned = clean(result, 0);
  if (text !== undefined && cleaned !== result) keepDigits(cleaned as object, result as object, text);
  return cleaned;
}

function clean(value: unknown, level: number): unknown {
  if (!isPlainObject(value)) return value;
  let cleaned = value;
  const { _meta: meta } = value;
  if (isPlainObject(meta) && Object.keys(meta).some(isOwn)) {
    const kept = Object.entries(meta).filter(([key]) => !isOwn(key));
    const { _meta: _, ...rest } = value;
    cleaned = kept.length === 0 ? rest : { ...rest, _meta: Object.fromEntries(kept) };
  }
  if (level === MAX_LEVELS) return cleaned;
  for (const key of CARRIERS) {
    if (!Object.hasOwn(value, key)) continue;
    const held = value[key];
    const inner = Array.isArray(held) ? cleanEach(held, level + 1) : clean(held, level + 1);
    if (inner !== held) cleaned = { ...cleaned, [key]: inner };
  }
  return cleaned;
}

/** Cleans each element; returns the same array where none changes. */
function cleanEach(values: readonly unknown[], level: number): readonly unknown[] {
  let cleaned: unknown[] | null = null;
  for (const [index, value] of values.entries()) {
    const each = clean(value, level);
    if (each === value) continue;
    cleaned ??= [...values];
    cleaned[index] = each;
  }
  return cleaned ?? values;
}

const isOwn = (key: string): boolean => key.startsWith(OWN_KEYS);
