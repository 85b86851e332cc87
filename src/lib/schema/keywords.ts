import { isPlainObject, type JsonSchema } from "../contract/json";

/** The content of a keyword: one schema, a list of them, or a map from names to them. */
export type Holding = "schema" | "list" | "map";

const TYPES: ReadonlySet<unknown> = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);

const isText = (value: unknown): value is string => typeof value === "string";
const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
const isFlag = (value: unknown): boolean => typeof value === "boolean";
const isSchema = (value: unknown): boolean => isPlainObject(value) || isFlag(value);
const isFullList = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > 0;
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isType = (value: unknown): boolean => TYPES.has(value);

interface Shape {
  holding?: Holding;
  fits(value: unknown): boolean;
  /** The requirement that a value which does not fit must meet. */
  must: string;
  keywords: readonly string[];
}

/**
 * Every keyword of all dialects, by the shape of its value. `items` holds a list up to 2019-09; `dependencies` holds lists of
 * names beside schemas. A dialect that does not know a keyword ignores it.
 */
const SHAPES: readonly Shape[] = [
  {
    holding: "schema",
    fits: isSchema,
    must: "must be a schema",
    keywords: [
      "not",
      "if",
      "then",
      "else",
      "contains",
      "propertyNames",
      "unevaluatedItems",
      "unevaluatedProperties",
      "additionalItems",
      "additionalProperties",
    ],
  },
  {
    holding: "schema",
    fits: (value) => isSchema(value) || Array.isArray(value),
    must: "must be a schema",
    keywords: ["items"],
  },
  {
    holding: "list",
    fits: isFullList,
    must: "must be a list of at least one schema",
    keywords: ["allOf", "anyOf", "oneOf", "prefixItems"],
  },
  {
    holding: "map",
    fits: isPlainObject,
    must: "must be an object",
    keywords: ["properties", "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions"],
  },
  {
    fits: (value) => isType(value) || (isFullList(value) && value.every(isType)),
    must: "must be one of the seven JSON types or a list of them",
    keywords: ["type"],
  },
  { fits: isFullList, must: "must be a list with at least one value", keywords: ["enum"] },
  { fits: Array.isArray, must: "must be a list of values", keywords: ["examples"] },
  { fits: isTexts, must: "must be a list of parameter names", keywords: ["required"] },
  {
    fits: (value) => isPlainObject(value) && Object.values(value).every(isTexts),
    must: "must map names to lists of parameter names",
    keywords: ["dependentRequired"],
  },
  { fits: (value) => isNumber(value) && value > 0, must: "must be a number greater than 0", keywords: ["multipleOf"] },
  {
    fits: isNumber,
    must: "must be a number",
    keywords: ["maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum"],
  },
  {
    fits: (value) => Number.isInteger(value) && (value as number) >= 0,
    must: "must be a non-negative integer",
    keywords: [
      "maxLength",
      "minLength",
      "maxItems",
      "minItems",
      "maxProperties",
      "minProperties",
      "maxContains",
      "minContains",
    ],
  },
  {
    fits: isFlag,
    must: "must be true or false",
    keywords: ["uniqueItems", "deprecated", "readOnly", "writeOnly", "$recursiveAnchor"],
  },
  {
    fits: isText,
    must: "must be a text",
    keywords: ["title", "description", "pattern", "format", "contentEncoding", "contentMediaType", "$ref", "$comment"],
  },
  { fits: (value) => isText(value) && value !== "", must: "must be an address", keywords: ["$id"] },
  {
    fits: (value) => isText(value) && value.startsWith("#"),
    must: "must be a reference that begins with #",
    keywords: ["$dynamicRef", "$recursiveRef"],
  },
  {
    fits: (value) => isText(value) && /^[A-Za-z_][-A-Za-z0-9._]*$/.test(value),
    must: "must be a plain name",
    keywords: ["$anchor", "$dynamicAnchor"],
  },
  { fits: () => true, must: "", keywords: ["const", "default"] },
];

const KEYWORDS: ReadonlyMap<string, Shape> = new Map(
  SHAPES.flatMap((shape) => shape.keywords.map((keyword) => [keyword, shape] as const)),
);

/** What the value of a keyword must be and is not; null for a value that fits, and for an unknown keyword. */
export function findKeywordProblem(keyword: string, value: unknown): string | null {
  const shape = KEYWORDS.get(keyword);
  return shape === undefined || shape.fits(value) ? null : shape.must;
}

/** The keywords that hold schemas in this way; `items` is one of those that hold one. */
function keywordsHolding(holding: Holding): ReadonlySet<string> {
  return new Set([...KEYWORDS].filter(([, shape]) => shape.holding === holding).map(([keyword]) => keyword));
}

export const ONE_SCHEMA = keywordsHolding("schema");
export const SCHEMA_LISTS = keywordsHolding("list");
export const SCHEMA_MAPS = keywordsHolding("map");

/** Keywords of 2020-12 that say something about a value: without references, identifiers and words of older drafts. */
export const VOCABULARY: ReadonlySet<string> = new Set(
  [...KEYWORDS.keys()].filter(
    (keyword) => !keyword.startsWith("$") && !["definitions", "dependencies", "additionalItems"].includes(keyword),
  ),
);

/** Keywords whose value is data, even if it looks like a schema. */
export const DATA_KEYWORDS: ReadonlySet<string> = new Set([
  "enum",
  "const",
  "default",
  "examples",
  "required",
  "dependentRequired",
]);

/** Keywords that never refuse a value. */
export const ANNOTATIONS: ReadonlySet<string> = new Set([
  "title",
  "description",
  "default",
  "examples",
  "$comment",
  "deprecated",
  "readOnly",
  "writeOnly",
  "contentEncoding",
  "contentMediaType",
  "contentSchema",
  "$vocabulary",
]);

/** Whether a schema refuses nothing: `true`, or annotations alone. */
export function takesAnything(schema: unknown): boolean {
  return schema === true || (isPlainObject(schema) && Object.keys(schema).every((keyword) => ANNOTATIONS.has(keyword)));
}

/** Bounds that are tighter when they are larger, and those that are tighter when they are smaller. */
export const LOWER_BOUNDS: ReadonlySet<string> = new Set([
  "minimum",
  "exclusiveMinimum",
  "minLength",
  "minItems",
  "minProperties",
]);
export const UPPER_BOUNDS: ReadonlySet<string> = new Set([
  "maximum",
  "exclusiveMaximum",
  "maxLength",
  "maxItems",
  "maxProperties",
]);

/** Returns the content of the keyword with this value; null where it is no schema. */
export function getHolding(keyword: string, value: unknown): Holding | null {
  const holding = KEYWORDS.get(keyword)?.holding;
  if (holding === undefined) return null;
  if (holding === "map") return isPlainObject(value) ? "map" : null;
  if (Array.isArray(value)) return holding === "list" || keyword === "items" ? "list" : null;
  return holding === "schema" && isSchema(value) ? "schema" : null;
}

/** The types that a schema names, in a list; empty for none and for what are no types. */
export function listTypes(schema: JsonSchema): string[] {
  const type = Object.hasOwn(schema, "type") ? schema.type : undefined;
  return [...new Set([type].flat().filter((each): each is string => isType(each)))];
}

/** Whether the list includes every value of the type. */
export function takesType(types: Iterable<string>, type: string): boolean {
  for (const each of types) if (each === type || (type === "integer" && each === "number")) return true;
  return false;
}

/** The types of both lists. */
export function commonTypes(one: Iterable<string>, other: Iterable<string>): Set<string> {
  const left = [...one];
  const right = [...other];
  return new Set([...left.filter((type) => takesType(right, type)), ...right.filter((type) => takesType(left, type))]);
}

export function typeKeyword(types: readonly string[]): JsonSchema {
  if (types.length === 0) return {};
  return { type: types.length === 1 ? types[0] : [...types] };
}
