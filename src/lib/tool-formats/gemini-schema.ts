import { isPlainObject } from "../contract/json";

const TYPES = ["STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"];
const isGeminiType = (type: unknown): type is string => typeof type === "string" && TYPES.includes(type);

/** Deeper schemas stay as they are. */
const MAX_DEPTH = 64;
const LISTS = ["anyOf", "oneOf", "allOf", "prefixItems"];
const MAPS = ["properties", "$defs", "definitions", "patternProperties"];
const SINGLE = ["items", "additionalProperties", "not"];

/** Whether a schema is written in Gemini's own dialect, whose types are in capitals. */
export function isGeminiSchema(schema: Record<string, unknown>): boolean {
  return isGeminiType(schema.type);
}

/** The JSON Schema of one in Gemini's dialect: types in small letters, `nullable` as a type, no `propertyOrdering`. */
export function fromGeminiSchema(schema: Record<string, unknown>, depth = 0): Record<string, unknown> {
  if (depth > MAX_DEPTH) return schema;
  const convert = (part: unknown): unknown => (isPlainObject(part) ? fromGeminiSchema(part, depth + 1) : part);
  const entries = Object.entries(schema).flatMap(([key, part]): [string, unknown][] => {
    if (key === "propertyOrdering" || key === "nullable") return [];
    if (key === "type" && isGeminiType(part)) {
      const type = part.toLowerCase();
      return [[key, schema.nullable === true ? [type, "null"] : type]];
    }
    if (LISTS.includes(key) && Array.isArray(part)) return [[key, part.map(convert)]];
    if (MAPS.includes(key) && isPlainObject(part)) {
      return [[key, Object.fromEntries(Object.entries(part).map(([name, each]) => [name, convert(each)]))]];
    }
    // Gemini writes these numbers as text, as Protocol Buffers do with 64 bits.
    if (/^(?:min|max)(?:Items|Length|Properties)$/.test(key) && typeof part === "string" && /^\d{1,15}$/.test(part)) {
      return [[key, Number(part)]];
    }
    return [[key, SINGLE.includes(key) ? convert(part) : part]];
  });
  return Object.fromEntries(entries);
}
