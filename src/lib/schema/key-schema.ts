import { isPlainObject } from "../contract/json";
import type { FieldDescription } from "./describe/describe-field";
import { asSchema, ownKeyword, type SchemaNode } from "./resolve-ref";

export interface KeySchema {
  schema: SchemaNode;
  /** The schema does not describe this key. */
  extra: boolean;
}

const MAX_MATCHED_KEY_CHARS = 64;
const MAX_PATTERN_CHARS = 200;
const MAX_REPETITIONS = 3;
const MAX_GROUPS = 2;

/**
 * Patterns come from servers and run in the page, so only those run whose time is bounded on a short key: no repeated
 * group, no reference back, few repetitions and groups. A key that is not matched is edited as JSON.
 */
function isHarmless(pattern: string): boolean {
  if (pattern.length > MAX_PATTERN_CHARS || /\\[1-9k]/.test(pattern)) return false;
  const plain = pattern.replace(/\\./g, "").replace(/\[[^\]]*\]/g, "x");
  const count = (expression: RegExp): number => plain.match(expression)?.length ?? 0;
  if (/\)(?:[*+?]|\{)/.test(plain) || count(/\(/g) > MAX_GROUPS) return false;
  return count(/[*+]|(?<!\()\?|\{\d*,\d*\}/g) <= MAX_REPETITIONS;
}

function matchesPattern(pattern: string, key: string): boolean {
  if (key.length > MAX_MATCHED_KEY_CHARS || !isHarmless(pattern)) return false;
  try {
    return new RegExp(pattern, "u").test(key);
  } catch {
    return false;
  }
}

/** The schema of a key outside `properties`: from `patternProperties`, then from `additionalProperties`. */
export function keySchema(field: FieldDescription, key: string): KeySchema {
  if (typeof field.schema === "boolean") return { schema: true, extra: true };
  const patterns = ownKeyword(field.schema, "patternProperties");
  if (isPlainObject(patterns)) {
    const match = Object.entries(patterns).find(([pattern]) => matchesPattern(pattern, key));
    if (match) return { schema: asSchema(match[1]), extra: false };
  }
  const rest = ownKeyword(field.schema, "additionalProperties");
  if (isPlainObject(rest)) return { schema: rest, extra: false };
  return { schema: true, extra: field.kind !== "map" };
}
