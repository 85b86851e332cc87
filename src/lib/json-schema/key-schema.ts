import { isPlainObject } from "../contract/json";
import type { FieldDescription } from "./describe-field";
import { asSchema, ownKeyword, type SchemaNode } from "./resolve-ref";

export interface KeySchema {
  schema: SchemaNode;
  /** True for a key that the schema says nothing about. */
  extra: boolean;
}

const MAX_MATCHED_KEY_CHARS = 200;

function matchesPattern(pattern: string, key: string): boolean {
  if (key.length > MAX_MATCHED_KEY_CHARS) return false;
  try {
    return new RegExp(pattern, "u").test(key);
  } catch {
    return false;
  }
}

/** The schema of a key that is not among `properties`: by `patternProperties`, then by `additionalProperties`. */
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
