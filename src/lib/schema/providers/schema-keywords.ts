import { isPlainObject, type JsonSchema } from "../../contract/json";

/** The value is one schema. */
export const SCHEMA_KEYWORDS = new Set([
  ...["items", "additionalProperties", "contains", "not", "if", "then", "else", "propertyNames"],
  ...["unevaluatedItems", "unevaluatedProperties"],
]);
/** The value is a list of schemas. */
export const SCHEMA_LISTS = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
/** The value is an object of schemas. */
export const SCHEMA_MAPS = new Set(["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"]);

const TYPES = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);
const TEXTS = new Set(["description", "title", "format", "pattern", "contentEncoding", "contentMediaType"]);
const NUMBERS = new Set([
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength"],
  ...["minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains"],
]);
const FLAGS = new Set(["uniqueItems", "deprecated", "readOnly", "writeOnly"]);

export function own(object: object, key: string): unknown {
  return Object.hasOwn(object, key) ? (object as Record<string, unknown>)[key] : undefined;
}

/** Whether a keyword that holds no schema has a value of the right shape: a wrong one makes a provider refuse the request. */
export function hasRightShape(keyword: string, value: unknown): boolean {
  if (TEXTS.has(keyword)) return typeof value === "string";
  if (NUMBERS.has(keyword)) return typeof value === "number" && Number.isFinite(value);
  if (FLAGS.has(keyword)) return typeof value === "boolean";
  if (keyword === "enum" || keyword === "examples") return Array.isArray(value) && value.length > 0;
  if (keyword === "required") return Array.isArray(value) && value.every((name) => typeof name === "string");
  if (keyword === "dependentRequired") return isPlainObject(value);
  return true;
}

/** The types that a schema names, in a list; empty for none or for what are no types. */
export function listTypes(schema: object): string[] {
  const type = own(schema, "type");
  const listed = Array.isArray(type) ? type : [type];
  return [...new Set(listed.filter((each): each is string => typeof each === "string" && TYPES.has(each)))];
}

export function typeKeyword(types: readonly string[]): JsonSchema {
  if (types.length === 0) return {};
  return { type: types.length === 1 ? types[0] : [...types] };
}

/** Drafts 4 and 7 in the words of 2020-12: lists in `items`, `dependencies`, exclusive bounds that are yes or no. */
export function inNewestWords(schema: JsonSchema): JsonSchema {
  const entries = new Map(Object.entries(schema));
  const items = entries.get("items");
  if (Array.isArray(items)) {
    entries.delete("items");
    entries.set("prefixItems", items);
    if (entries.has("additionalItems")) entries.set("items", entries.get("additionalItems"));
  }
  for (const [exclusive, bound] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const) {
    if (entries.get(exclusive) !== true || !entries.has(bound)) continue;
    entries.set(exclusive, entries.get(bound));
    entries.delete(bound);
  }
  const dependencies = entries.get("dependencies");
  if (isPlainObject(dependencies)) {
    const [lists, schemas] = [[] as [string, unknown][], [] as [string, unknown][]];
    for (const entry of Object.entries(dependencies)) (Array.isArray(entry[1]) ? lists : schemas).push(entry);
    if (lists.length > 0) entries.set("dependentRequired", Object.fromEntries(lists));
    if (schemas.length > 0) entries.set("dependentSchemas", Object.fromEntries(schemas));
  }
  return Object.fromEntries(entries);
}
