import { isPlainObject, type JsonSchema, type JsonValue } from "../../contract/json";
import { equalJson } from "../../json/equal-json";
import { allowedValues, getBound, listTypes } from "../compare/schema-facts";
import { takesType } from "../keywords";
import { asSchema, findReference, listRequired, ownKeyword, ownList, ownMap, readItems } from "../resolve-ref";
import { StepBudget } from "../step-budget";
import { FORMAT_SAMPLES } from "./format-samples";

const MAX_DEPTH = 20;
const MAX_STEPS = 3_000;

/**
 * Whether a schema probably takes a value. It chooses values worth checking: `unevaluated…` counts as no limit, a text is of a format
 * where it is a sample of it, and a spent budget counts as yes.
 */
export function acceptsValue(value: JsonValue, schema: unknown, root: JsonSchema): boolean {
  return new Acceptance(root).accepts(value, schema, 0);
}

class Acceptance {
  readonly #steps = new StepBudget(MAX_STEPS);

  constructor(readonly root: JsonSchema) {}

  accepts(value: JsonValue, node: unknown, depth: number): boolean {
    const schema = asSchema(node);
    if (typeof schema === "boolean") return schema;
    if (!this.#steps.spend() || depth > MAX_DEPTH) return true;
    const inner = (part: unknown): boolean => this.accepts(value, part, depth + 1);
    const target = findReference(schema, this.root)?.target;
    if (target !== undefined && target !== null && target !== schema && !inner(target)) return false;
    if (!fitsScalar(value, schema)) return false;
    if (!ownList(schema, "allOf").every(inner)) return false;
    const anyOf = ownKeyword(schema, "anyOf");
    const oneOf = ownKeyword(schema, "oneOf");
    if (Array.isArray(anyOf) && !anyOf.some(inner)) return false;
    if (Array.isArray(oneOf) && oneOf.filter(inner).length !== 1) return false;
    if (Object.hasOwn(schema, "not") && inner(schema.not)) return false;
    if (Object.hasOwn(schema, "if")) {
      const branch = inner(schema.if) ? "then" : "else";
      if (Object.hasOwn(schema, branch) && !inner(schema[branch])) return false;
    }
    if (Array.isArray(value)) return this.#acceptsList(value, schema, depth);
    return isPlainObject(value) ? this.#acceptsObject(value, schema, depth) : true;
  }

  #acceptsList(value: readonly JsonValue[], schema: JsonSchema, depth: number): boolean {
    const { prefix, rest } = readItems(schema);
    const inner = (item: JsonValue, part: unknown): boolean => this.accepts(item, part, depth + 1);
    if (!value.every((item, at) => inner(item, prefix[at] ?? rest ?? true))) return false;
    if (ownKeyword(schema, "uniqueItems") === true && hasTwins(value)) return false;
    if (!Object.hasOwn(schema, "contains")) return true;
    const found = value.filter((item) => inner(item, schema.contains)).length;
    const least = ownKeyword(schema, "minContains");
    const most = ownKeyword(schema, "maxContains");
    return found >= (typeof least === "number" ? least : 1) && (typeof most !== "number" || found <= most);
  }

  #acceptsObject(value: Record<string, JsonValue>, schema: JsonSchema, depth: number): boolean {
    const has = (name: unknown): boolean => Object.hasOwn(value, name as string);
    if (!listRequired(schema).every(has)) return false;
    const inner = (item: JsonValue, part: unknown): boolean => this.accepts(item, part, depth + 1);
    for (const [name, item] of Object.entries(value)) {
      if (!schemasOfName(schema, name).every((part) => inner(item, part))) return false;
      if (Object.hasOwn(schema, "propertyNames") && !inner(name, schema.propertyNames)) return false;
      for (const keyword of ["dependentRequired", "dependentSchemas", "dependencies"]) {
        const depends = ownKeyword(ownMap(schema, keyword), name);
        if (Array.isArray(depends) ? !depends.every(has) : depends !== undefined && !inner(value, depends))
          return false;
      }
    }
    return true;
  }
}

/** The schemas that one schema has for a property of this name. */
export function schemasOfName(schema: JsonSchema, name: string): unknown[] {
  const named = ownKeyword(ownMap(schema, "properties"), name);
  const patterns = Object.entries(ownMap(schema, "patternProperties")).filter(([pattern]) => matches(pattern, name));
  const found = [...(named === undefined ? [] : [named]), ...patterns.map(([, part]) => part)];
  const rest = ownKeyword(schema, "additionalProperties");
  return found.length === 0 && rest !== undefined ? [rest] : found;
}

const BOUNDS: Readonly<Record<string, (size: number, limit: number) => boolean>> = {
  min: (size, limit) => size >= limit,
  max: (size, limit) => size <= limit,
};

function fitsScalar(value: JsonValue, schema: JsonSchema): boolean {
  const types = listTypes(schema);
  if (types !== null && !takesType(types, readType(value))) return false;
  const values = allowedValues(schema);
  if (values !== null && ![...values.values()].some((each) => equalJson(each, value))) return false;
  if (typeof value === "number") return fitsNumber(value, schema);
  if (typeof value === "object" && value !== null) {
    return fitsSize(Object.keys(value).length, Array.isArray(value) ? "Items" : "Properties", schema);
  }
  if (typeof value !== "string") return true;
  const pattern = ownKeyword(schema, "pattern");
  const format = ownKeyword(schema, "format");
  if (typeof pattern === "string" && !matches(pattern, value)) return false;
  const samples = typeof format === "string" && Object.hasOwn(FORMAT_SAMPLES, format) ? FORMAT_SAMPLES[format] : null;
  if (samples !== null && !samples?.includes(value)) return false;
  return fitsSize([...value].length, "Length", schema);
}

function fitsSize(size: number, what: string, schema: JsonSchema): boolean {
  return Object.entries(BOUNDS).every(([end, keeps]) => {
    const limit = getBound(schema, `${end}${what}`);
    return limit === null || keeps(size, limit);
  });
}

function fitsNumber(value: number, schema: JsonSchema): boolean {
  const limit = (keyword: string): number | null => getBound(schema, keyword);
  const least = limit("minimum");
  const most = limit("maximum");
  const above = limit("exclusiveMinimum");
  const below = limit("exclusiveMaximum");
  const step = ownKeyword(schema, "multipleOf");
  return (
    (least === null || value >= least) &&
    (most === null || value <= most) &&
    (above === null || value > above) &&
    (below === null || value < below) &&
    (typeof step !== "number" || step <= 0 || Number.isInteger(value / step))
  );
}

export function readType(value: JsonValue): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "number" ? (Number.isInteger(value) ? "integer" : "number") : typeof value;
}

function hasTwins(values: readonly JsonValue[]): boolean {
  return values.some((value, at) => values.slice(at + 1).some((other) => equalJson(value, other)));
}

/** A pattern that JavaScript cannot read counts as matching. */
function matches(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, "u").test(text);
  } catch {
    return true;
  }
}
