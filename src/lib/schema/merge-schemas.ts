import { isPlainObject, type JsonSchema } from "../contract/json";
import { canonicalJson } from "../json/canonical-json";
import { commonTypes, LOWER_BOUNDS, listTypes, SCHEMA_MAPS, typeKeyword, UPPER_BOUNDS } from "./keywords";

type Merge = (first: JsonSchema, second: JsonSchema) => JsonSchema;

const inAllOf: Merge = (first, second) => ({ allOf: [first, second] });

/**
 * Merges schemas that apply together, as `allOf` or a `$ref` with its siblings does: limits are tightened, properties
 * and requirements are united, and otherwise the first schema's keywords win, also where no value fits both. The server
 * validates; this only decides what a form or a model is shown.
 * @param mergeParts merges the two schemas of one property or element
 */
export function mergeSchemas(first: JsonSchema, second: JsonSchema, mergeParts: Merge = inAllOf): JsonSchema {
  const merged = new Map<string, unknown>(Object.entries(first));
  for (const [keyword, value] of Object.entries(second)) {
    const present = merged.get(keyword);
    merged.set(keyword, merged.has(keyword) ? mergeKeyword(keyword, present, value, mergeParts) : value);
  }
  const types = commonTypes(listTypes(first), listTypes(second));
  if (types.size > 0) merged.set("type", typeKeyword([...types]).type);
  return Object.fromEntries(merged);
}

/** Steps of a merge: keywords, and entries of united lists and maps. */
export function mergeCost(first: JsonSchema, second: JsonSchema): number {
  return measureSize(first) + measureSize(second);
}

const LISTS: ReadonlySet<string> = new Set(["required", "enum", "type"]);
/** Keywords whose schemas apply to the same values; two of the other keywords cannot be merged. */
const JOINABLE: ReadonlySet<string> = new Set(["items", "additionalItems", "additionalProperties", "propertyNames"]);

function measureSize(schema: JsonSchema): number {
  let size = 0;
  for (const [keyword, value] of Object.entries(schema)) {
    size += 1;
    if (LISTS.has(keyword) && Array.isArray(value)) size += value.length;
    else if (SCHEMA_MAPS.has(keyword) && isPlainObject(value)) size += Object.keys(value).length;
  }
  return size;
}

function mergeKeyword(keyword: string, first: unknown, second: unknown, mergeParts: Merge): unknown {
  if (keyword === "required") return uniteNames(first, second);
  if (keyword === "enum") return findCommonValues(first, second);
  if (SCHEMA_MAPS.has(keyword)) return mergeMaps(first, second, mergeParts);
  if (JOINABLE.has(keyword)) return join(first, second, mergeParts);
  if (typeof first === "number" && typeof second === "number") {
    if (LOWER_BOUNDS.has(keyword)) return Math.max(first, second);
    if (UPPER_BOUNDS.has(keyword)) return Math.min(first, second);
  }
  return first;
}

function uniteNames(...lists: unknown[]): string[] {
  const names = lists.flatMap((list) => (Array.isArray(list) ? list : []));
  return [...new Set(names.filter((name): name is string => typeof name === "string"))];
}

const isStructure = (value: unknown): boolean => typeof value === "object" && value !== null;

function findCommonValues(first: unknown, second: unknown): unknown {
  if (!Array.isArray(first) || !Array.isArray(second)) return Array.isArray(first) ? first : second;
  const values = new Set<unknown>(second);
  // Created only where two structures are not the same object, which is rare.
  let texts: Set<string> | null = null;
  const common = first.filter((value: unknown) => {
    if (values.has(value) || !isStructure(value)) return values.has(value);
    texts ??= new Set(second.filter(isStructure).map(canonicalJson));
    return texts.has(canonicalJson(value));
  });
  return common.length === 0 ? first : common;
}

function join(first: unknown, second: unknown, mergeParts: Merge): unknown {
  if (first === true) return second;
  if (second === true || first === second) return first;
  if (first === false || second === false) return false;
  return isPlainObject(first) && isPlainObject(second) ? mergeParts(first, second) : first;
}

function mergeMaps(first: unknown, second: unknown, mergeParts: Merge): unknown {
  if (!isPlainObject(first) || !isPlainObject(second)) return isPlainObject(first) ? first : second;
  const merged = new Map<string, unknown>(Object.entries(first));
  for (const [name, schema] of Object.entries(second)) {
    merged.set(name, merged.has(name) ? join(merged.get(name), schema, mergeParts) : schema);
  }
  return Object.fromEntries(merged);
}
