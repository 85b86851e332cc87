import { isPlainObject, type JsonSchema } from "../../contract/json";
import { getDialect } from "../dialect";
import { getHolding, takesAnything } from "../keywords";

/** Deeper parts stay unchanged. */
const MAX_DEPTH = 60;

interface Reading {
  /** Whether the document knows `minContains`, `maxContains` and `unevaluated…`. */
  isModern: boolean;
  /** Whether it refuses properties, or elements, that no other keyword evaluates: then a keyword that takes anything evaluates. */
  refusesProperties: boolean;
  refusesItems: boolean;
}

interface Inspected extends Omit<Reading, "isModern"> {
  hasDeepReference: boolean;
}

/**
 * A copy without the keywords that refuse nothing: those at their default value, or with a schema that accepts
 * anything. Documents with references into such parts stay unchanged.
 */
export function dropNeutral(root: JsonSchema): JsonSchema {
  const dialect = getDialect(root);
  const found: Inspected = { refusesProperties: false, refusesItems: false, hasDeepReference: false };
  inspect(root, found, 0);
  if (found.hasDeepReference) return root;
  const isModern = dialect === "2019-09" || dialect === "2020-12";
  return reduce(root, { ...found, isModern }, 0) as JsonSchema;
}

function inspect(schema: unknown, found: Inspected, depth: number): void {
  if (!isPlainObject(schema) || depth > MAX_DEPTH) return;
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === "unevaluatedProperties" && !takesAnything(value)) found.refusesProperties = true;
    if (keyword === "unevaluatedItems" && !takesAnything(value)) found.refusesItems = true;
    if (keyword.endsWith("Ref") || keyword === "$ref") {
      found.hasDeepReference ||= typeof value === "string" && !/^#(?:\/(?:\$defs|definitions)\/[^/]+)?$/.test(value);
    }
    const holding = getHolding(keyword, value);
    if (holding === "schema") inspect(value, found, depth + 1);
    else if (holding !== null) for (const part of Object.values(value as object)) inspect(part, found, depth + 1);
  }
}

function reduce(schema: unknown, reading: Reading, depth: number): unknown {
  if (!isPlainObject(schema) || depth > MAX_DEPTH) return schema;
  const inside = (part: unknown): unknown => reduce(part, reading, depth + 1);
  const reduced: JsonSchema = {};
  for (const [keyword, value] of Object.entries(schema)) {
    const holding = getHolding(keyword, value);
    if (holding === "schema") reduced[keyword] = inside(value);
    else if (holding === "list") reduced[keyword] = (value as unknown[]).map(inside);
    else if (holding === "map") {
      const parts = Object.entries(value as object).map(([name, part]) => [name, inside(part)] as const);
      reduced[keyword] = Object.fromEntries(parts);
    } else reduced[keyword] = value;
  }
  const kept = Object.entries(reduced).filter(([keyword, value]) => !isNeutral(keyword, value, reduced, reading));
  return Object.fromEntries(kept);
}

/** Whether the keyword of the schema refuses nothing and evaluates nothing. */
function isNeutral(keyword: string, value: unknown, schema: JsonSchema, reading: Reading): boolean {
  const has = (word: string): boolean => Object.hasOwn(schema, word);
  switch (keyword) {
    case "minLength":
    case "minItems":
    case "minProperties":
      return value === 0;
    case "uniqueItems":
      return value === false;
    case "pattern":
      return value === "";
    case "required":
      return Array.isArray(value) && value.length === 0;
    case "properties":
    case "patternProperties":
    case "dependentRequired":
    case "dependentSchemas":
    case "dependencies":
      return isPlainObject(value) && Object.keys(value).length === 0;
    case "propertyNames":
      return takesAnything(value);
    case "additionalProperties":
    case "unevaluatedProperties":
      return !reading.refusesProperties && takesAnything(value);
    case "items":
    case "unevaluatedItems":
      return !reading.refusesItems && takesAnything(value);
    case "allOf":
    case "anyOf":
      return isFullList(value) && value.every(takesAnything);
    case "oneOf":
      return isFullList(value) && value.length === 1 && takesAnything(value[0]);
    case "not":
      return value === false;
    case "minContains":
    case "maxContains":
      return (
        !has("contains") ||
        !reading.isModern ||
        (keyword === "minContains" && value === 1) ||
        isUncounted(schema, reading)
      );
    case "contains":
      return isUncounted(schema, reading);
    case "if":
      return !reading.refusesProperties && !reading.refusesItems && !has("then") && !has("else");
    case "then":
    case "else":
      return !has("if");
    default:
      return false;
  }
}

const isFullList = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > 0;

/** Whether `contains` asks for nothing: none is enough, and any number is allowed. */
function isUncounted(schema: JsonSchema, { isModern, refusesItems }: Reading): boolean {
  return isModern && !refusesItems && schema.minContains === 0 && !Object.hasOwn(schema, "maxContains");
}
