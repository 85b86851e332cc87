import { isPlainObject } from "../contract/json";

/** The content of a keyword: one schema, a list of them, or a map from names to them. */
type Holding = "schema" | "list" | "map";

/**
 * Every keyword that holds schemas, of all dialects. `items` holds a list up to 2019-09; `dependencies` holds lists of names
 * beside schemas. A dialect that does not know a keyword ignores it.
 */
const HOLDING: ReadonlyMap<string, Holding> = new Map<string, Holding>([
  ...["items", "additionalItems", "unevaluatedItems", "contains"].map((keyword) => [keyword, "schema"] as const),
  ...["additionalProperties", "unevaluatedProperties", "propertyNames"].map((keyword) => [keyword, "schema"] as const),
  ...["not", "if", "then", "else"].map((keyword) => [keyword, "schema"] as const),
  ...["allOf", "anyOf", "oneOf", "prefixItems"].map((keyword) => [keyword, "list"] as const),
  ...["properties", "patternProperties", "dependentSchemas", "dependencies"].map((word) => [word, "map"] as const),
  ...["$defs", "definitions"].map((keyword) => [keyword, "map"] as const),
]);

/** The keywords that hold schemas in this way; `items` is one of those that hold one. */
function keywordsHolding(holding: Holding): ReadonlySet<string> {
  return new Set([...HOLDING].filter(([, each]) => each === holding).map(([keyword]) => keyword));
}

export const ONE_SCHEMA = keywordsHolding("schema");
export const SCHEMA_LISTS = keywordsHolding("list");
export const SCHEMA_MAPS = keywordsHolding("map");

/** Keywords whose value is data, whatever it looks like. */
export const DATA_KEYWORDS: ReadonlySet<string> = new Set([
  ...["enum", "const", "default", "examples", "required", "dependentRequired"],
]);

/** Keywords that never refuse a value. */
export const ANNOTATIONS: ReadonlySet<string> = new Set([
  ...["title", "description", "default", "examples", "$comment", "deprecated", "readOnly", "writeOnly"],
  ...["contentEncoding", "contentMediaType", "contentSchema", "$vocabulary"],
]);

/** Returns the content of the keyword with this value; null where it is no schema. */
export function getHolding(keyword: string, value: unknown): Holding | null {
  const holding = HOLDING.get(keyword);
  if (holding === undefined) return null;
  if (holding === "map") return isPlainObject(value) ? "map" : null;
  if (Array.isArray(value)) return holding === "list" || keyword === "items" ? "list" : null;
  return holding === "schema" && (isPlainObject(value) || typeof value === "boolean") ? "schema" : null;
}
