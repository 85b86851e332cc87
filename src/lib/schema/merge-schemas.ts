import { isPlainObject, type JsonSchema, type JsonValue } from "../contract/json";
import { sameJson } from "./value-at";

/**
 * Merges `allOf`, or a `$ref` with its siblings, for display: the first schema's texts win, limits are tightened, properties
 * and requirements are united. The server validates; this only decides what a form shows.
 */
export function mergeSchemas(first: JsonSchema, second: JsonSchema): JsonSchema {
  const merged = new Map<string, unknown>(Object.entries(first));
  for (const [keyword, value] of Object.entries(second)) {
    merged.set(keyword, merged.has(keyword) ? mergeKeyword(keyword, merged.get(keyword), value) : value);
  }
  return Object.fromEntries(merged);
}

/** Steps of a merge: keywords, and entries of united lists and maps. */
export function mergeCost(first: JsonSchema, second: JsonSchema): number {
  return measureSize(first) + measureSize(second);
}

function measureSize(schema: JsonSchema): number {
  let size = 0;
  for (const [keyword, value] of Object.entries(schema)) {
    const isList = Array.isArray(value) && (keyword === "required" || keyword === "enum" || keyword === "type");
    size += 1;
    if (isList) size += value.length;
    else if (SCHEMA_MAPS.has(keyword) && isPlainObject(value)) size += Object.keys(value).length;
  }
  return size;
}

const LOWER_BOUNDS = new Set(["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"]);
const UPPER_BOUNDS = new Set(["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"]);
const SCHEMA_MAPS = new Set(["properties", "patternProperties", "$defs", "definitions"]);
const SUBSCHEMAS = new Set(["items", "additionalProperties", "additionalItems", "propertyNames"]);

function mergeKeyword(keyword: string, first: unknown, second: unknown): unknown {
  if (keyword === "required") return uniqueStrings(first, second);
  if (keyword === "type") return commonTypes(first, second);
  if (keyword === "enum") return commonValues(first, second);
  if (SCHEMA_MAPS.has(keyword)) return mergeMaps(first, second);
  if (SUBSCHEMAS.has(keyword)) return bothSchemas(first, second);
  if (typeof first === "number" && typeof second === "number") {
    if (LOWER_BOUNDS.has(keyword)) return Math.max(first, second);
    if (UPPER_BOUNDS.has(keyword)) return Math.min(first, second);
  }
  return first;
}

function uniqueStrings(...lists: unknown[]): string[] {
  const names = lists.flatMap((list) => (Array.isArray(list) ? list : []));
  return [...new Set(names.filter((name): name is string => typeof name === "string"))];
}

export function typeList(type: unknown): string[] {
  if (typeof type === "string") return [type];
  return Array.isArray(type) ? type.filter((name): name is string => typeof name === "string") : [];
}

function commonTypes(first: unknown, second: unknown): unknown {
  const left = typeList(first);
  const right = typeList(second);
  const common = left.flatMap((type) => {
    if (right.includes(type)) return [type];
    if (type === "number" && right.includes("integer")) return ["integer"];
    return type === "integer" && right.includes("number") ? ["integer"] : [];
  });
  if (common.length === 0) return first;
  return common.length === 1 ? common[0] : common;
}

/** Objects and lists of an `enum` are compared one by one. */
const MAX_COMPARED_STRUCTURES = 100;

function commonValues(first: unknown, second: unknown): unknown {
  if (!Array.isArray(first) || !Array.isArray(second)) return Array.isArray(first) ? first : second;
  const plain = new Set(second.filter((value) => typeof value !== "object" || value === null));
  const structured = second.filter((value) => !plain.has(value)).slice(0, MAX_COMPARED_STRUCTURES);
  const common = first.filter((left: JsonValue) =>
    typeof left === "object" && left !== null
      ? structured.some((right: JsonValue) => sameJson(left, right))
      : plain.has(left),
  );
  return common.length === 0 ? first : common;
}

function bothSchemas(first: unknown, second: unknown): unknown {
  if (first === true) return second;
  if (second === true || first === second) return first;
  if (first === false || second === false) return false;
  return isPlainObject(first) && isPlainObject(second) ? { allOf: [first, second] } : first;
}

function mergeMaps(first: unknown, second: unknown): unknown {
  if (!isPlainObject(first) || !isPlainObject(second)) return isPlainObject(first) ? first : second;
  const merged = new Map<string, unknown>(Object.entries(first));
  for (const [name, schema] of Object.entries(second)) {
    merged.set(name, merged.has(name) ? bothSchemas(merged.get(name), schema) : schema);
  }
  return Object.fromEntries(merged);
}
