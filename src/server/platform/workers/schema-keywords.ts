import { isPlainObject } from "../../../lib/contract/json";
import { ONE_SCHEMA, SCHEMA_LISTS, SCHEMA_MAPS } from "../../../lib/schema/keywords";

const TYPES = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);

const isCount = (value: unknown) => Number.isInteger(value) && (value as number) >= 0;
const isName = (value: unknown) => typeof value === "string" && /^[A-Za-z_][-A-Za-z0-9._]*$/.test(value);
const isNames = (value: unknown) => Array.isArray(value) && value.every((item) => typeof item === "string");
const isNumber = (value: unknown) => typeof value === "number";
const isText = (value: unknown) => typeof value === "string";
const isFlag = (value: unknown) => typeof value === "boolean";
const isType = (value: unknown) => isText(value) && TYPES.has(value as string);

const RULES: Map<string, { fits: (value: unknown) => boolean; must: string }> = new Map();
function rule(keywords: string[], fits: (value: unknown) => boolean, must: string) {
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
  (value) => isText(value) && (value as string).startsWith("#"),
  "must be a reference that begins with #",
);
rule(["$anchor", "$dynamicAnchor"], isName, "must be a plain name");
rule(
  ["dependentRequired"],
  (value) => isPlainObject(value) && Object.values(value).every(isNames),
  "must map names to lists of parameter names",
);
rule([...SCHEMA_MAPS], isPlainObject, "must be an object");
rule([...ONE_SCHEMA], (value) => isPlainObject(value) || isFlag(value), "must be a schema");
rule(["items"], (value) => isPlainObject(value) || isFlag(value) || Array.isArray(value), "must be a schema");
rule([...SCHEMA_LISTS], (value) => Array.isArray(value) && value.length > 0, "must be a list of at least one schema");

/**
 * @returns what the value of a keyword must be and is not
 */
export function findKeywordProblem(keyword: string, value: unknown): string | null {
  const known = RULES.get(keyword);
  return known === undefined || known.fits(value) ? null : known.must;
}
