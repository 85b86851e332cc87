// Plain JavaScript: a worker thread loads this file directly, while the server bundles it.
import { isObject } from "./schema-references.mjs";

const TYPES = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);

/** Keywords that never refuse a value. */
export const ANNOTATIONS = new Set([
  ...["title", "description", "default", "examples", "$comment", "deprecated", "readOnly", "writeOnly"],
  ...["contentEncoding", "contentMediaType", "contentSchema", "$vocabulary"],
]);
/** Keywords whose value is one schema. */
export const ONE_SCHEMA = new Set([
  ...["additionalProperties", "unevaluatedProperties", "unevaluatedItems", "additionalItems", "contains"],
  ...["propertyNames", "not", "if", "then", "else"],
]);
/** Keywords whose value is a list of schemas. */
export const SCHEMA_LISTS = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
/** Keywords whose value maps names to schemas. */
export const NAMED_SCHEMAS = new Set([
  ...["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"],
]);

/** @param {unknown} value */
const isCount = (value) => Number.isInteger(value) && /** @type {number} */ (value) >= 0;
/** @param {unknown} value */
const isName = (value) => typeof value === "string" && /^[A-Za-z_][-A-Za-z0-9._]*$/.test(value);
/** @param {unknown} value */
const isNames = (value) => Array.isArray(value) && value.every((item) => typeof item === "string");
/** @param {unknown} value */
const isNumber = (value) => typeof value === "number";
/** @param {unknown} value */
const isText = (value) => typeof value === "string";
/** @param {unknown} value */
const isFlag = (value) => typeof value === "boolean";
/** @param {unknown} value */
const isType = (value) => isText(value) && TYPES.has(/** @type {string} */ (value));

/** @type {Map<string, { fits: (value: unknown) => boolean, must: string }>} */
const RULES = new Map();
/** @param {string[]} keywords @param {(value: unknown) => boolean} fits @param {string} must */
function rule(keywords, fits, must) {
  for (const keyword of keywords) RULES.set(keyword, { fits, must });
}
rule(
  ["type"],
  (value) => isType(value) || (Array.isArray(value) && value.length > 0 && value.every(isType)),
  "must be one of the seven JSON types or a list of them",
);
rule(["enum"], (value) => Array.isArray(value) && value.length > 0, "must be a list with at least one value");
rule(["required"], isNames, "must be a list of parameter names");
rule(["multipleOf"], (value) => isNumber(value) && Number(value) > 0, "must be a number greater than 0");
rule(["maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum"], isNumber, "must be a number");
rule(
  [
    ...["maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties"],
    ...["maxContains", "minContains"],
  ],
  isCount,
  "must be a non-negative integer",
);
rule(["uniqueItems", "$recursiveAnchor"], isFlag, "must be true or false");
rule(["pattern", "format", "$ref"], isText, "must be a text");
rule(["$id"], (value) => isText(value) && value !== "", "must be an address");
rule(
  ["$dynamicRef", "$recursiveRef"],
  (value) => isText(value) && /** @type {string} */ (value).startsWith("#"),
  "must be a reference that begins with #",
);
rule(["$anchor", "$dynamicAnchor"], isName, "must be a plain name");
rule(
  ["dependentRequired"],
  (value) => isObject(value) && Object.values(value).every(isNames),
  "must map names to lists of parameter names",
);
rule([...NAMED_SCHEMAS], isObject, "must be an object");
rule([...ONE_SCHEMA], (value) => isObject(value) || isFlag(value), "must be a schema");
rule(["items"], (value) => isObject(value) || isFlag(value) || Array.isArray(value), "must be a schema");
rule([...SCHEMA_LISTS], (value) => Array.isArray(value) && value.length > 0, "must be a list of at least one schema");

/**
 * @param {string} keyword
 * @param {unknown} value
 * @returns {string | null} what the value of a keyword must be and is not
 */
export function findKeywordProblem(keyword, value) {
  const known = RULES.get(keyword);
  return known === undefined || known.fits(value) ? null : known.must;
}
