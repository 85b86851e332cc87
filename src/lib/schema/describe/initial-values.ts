import type { JsonObject, JsonSchema, JsonValue } from "../../contract/json";
import { fitScore } from "../match-branch";
import { ownKeyword, type SchemaNode } from "../resolve-ref";
import { countValues } from "../short-json";
import { StepBudget } from "../step-budget";
import { isJsonObject, ownValue } from "../value-at";
import { describeField, type FieldDescription } from "./describe-field";

const MAX_DEPTH = 8;
const MAX_SAMPLE_ITEMS = 10;
const MAX_SAMPLE_CHARS = 200;
/** Values of one sample: required parts that each require parts would otherwise multiply level by level. */
const MAX_SAMPLE_VALUES = 1_000;
/** The limit of values in an example of an optional part. */
const MAX_OPTIONAL_VALUES = 50;

interface Sampling {
  root: JsonSchema;
  budget: StepBudget;
}

const FORMAT_SAMPLES = new Map([
  ["date-time", "2026-01-31T12:00:00Z"],
  ["date", "2026-01-31"],
  ["time", "12:00:00Z"],
  ["duration", "PT1H"],
  ["email", "name@example.com"],
  ["hostname", "example.com"],
  ["ipv4", "192.0.2.1"],
  ["ipv6", "2001:db8::1"],
  ["uri", "https://example.com/"],
  ["url", "https://example.com/"],
  ["uri-reference", "/example"],
  ["uuid", "00000000-0000-4000-8000-000000000000"],
  ["json-pointer", "/example"],
  ["regex", ".*"],
]);

function sampleString(schema: JsonSchema): string {
  const format = ownKeyword(schema, "format");
  const known = typeof format === "string" ? FORMAT_SAMPLES.get(format) : undefined;
  if (known !== undefined) return known;
  const least = ownKeyword(schema, "minLength");
  const most = ownKeyword(schema, "maxLength");
  const long = typeof least === "number" ? Math.min(least, MAX_SAMPLE_CHARS) : 0;
  const text = "text".padEnd(long, "x");
  return typeof most === "number" && most >= 0 ? text.slice(0, most) : text;
}

/** The number nearest to zero that the bounds allow. */
function sampleNumber(schema: JsonSchema, whole: boolean): number {
  const read = (keyword: string) => {
    const value = ownKeyword(schema, keyword);
    return typeof value === "number" && Number.isFinite(value) ? value : null;
  };
  const declared = read("multipleOf");
  const step = declared !== null && declared > 0 ? declared : whole ? 1 : 0;
  const above = read("exclusiveMinimum");
  const below = read("exclusiveMaximum");
  const gap = step || 0.5;
  const low = Math.max(
    read("minimum") ?? Number.NEGATIVE_INFINITY,
    above === null ? Number.NEGATIVE_INFINITY : above + gap,
  );
  const high = Math.min(
    read("maximum") ?? Number.POSITIVE_INFINITY,
    below === null ? Number.POSITIVE_INFINITY : below - gap,
  );
  if (low > 0) return step > 0 ? Math.ceil(low / step) * step : low;
  if (high < 0) return step > 0 ? Math.floor(high / step) * step : high;
  return 0;
}

function sampleArray(field: FieldDescription, sampling: Sampling, depth: number): JsonValue[] {
  const least = typeof field.schema === "boolean" ? undefined : ownKeyword(field.schema, "minItems");
  const wanted = Math.max(field.prefix.length, typeof least === "number" ? Math.min(least, MAX_SAMPLE_ITEMS) : 0);
  const length = sampling.budget.isSpent ? 0 : wanted;
  return Array.from({ length }, (_, index) => sampleAt(field.prefix[index] ?? field.items, sampling, depth + 1));
}

function sampleObject(field: FieldDescription, sampling: Sampling, depth: number): JsonValue {
  const required = sampling.budget.isSpent ? [] : field.properties.filter((property) => property.required);
  return Object.fromEntries(required.map(({ name, schema }) => [name, sampleAt(schema, sampling, depth + 1)]));
}

function sampleAt(node: SchemaNode, sampling: Sampling, depth: number): JsonValue {
  const { root, budget } = sampling;
  const field = describeField(node, root);
  const given = field.examples[0] ?? field.defaultValue;
  // Constants and defaults count with all their values.
  if (given !== undefined && budget.spend(countValues(given, MAX_SAMPLE_VALUES))) return given;
  const [option] = field.options;
  if (option !== undefined) return option.value;
  if (depth > MAX_DEPTH || !budget.spend()) return field.allowsNull ? null : emptyValue(field, root);
  const schema = typeof field.schema === "boolean" ? {} : field.schema;
  switch (field.kind) {
    case "string":
    case "multiline":
      return sampleString(schema);
    case "number":
    case "integer":
      return sampleNumber(schema, field.kind === "integer");
    case "object":
    case "map":
      return sampleObject(field, sampling, depth);
    case "array":
    case "tuple":
      return sampleArray(field, sampling, depth);
    case "union":
      return sampleAt(field.branches[0] ?? true, sampling, depth + 1);
    default:
      return emptyValue(field, root);
  }
}

/** A small value that looks valid: required parts only, examples and defaults first. `pattern` is not solved. */
export function sampleValue(node: SchemaNode, root: JsonSchema): JsonValue {
  return sampleAt(node, { root, budget: new StepBudget(MAX_SAMPLE_VALUES) }, 0);
}

/** An example of a tool's arguments: what is required, or where nothing is, some of what it takes. */
export function sampleArguments(schema: JsonSchema): JsonObject {
  const sampling = { root: schema, budget: new StepBudget(MAX_SAMPLE_VALUES) };
  const sample = sampleAt(schema, sampling, 0);
  if (!isJsonObject(sample)) return {};
  if (Object.keys(sample).length > 0) return sample;
  const optional = { root: schema, budget: new StepBudget(MAX_OPTIONAL_VALUES) };
  const { properties } = describeField(schema, schema);
  const taken = properties.slice(0, MAX_SAMPLE_ITEMS).filter((property) => !isEndlessUnion(property.schema, schema));
  return Object.fromEntries(taken.map((property) => [property.name, sampleAt(property.schema, optional, 1)]));
}

/** A choice that leads only to further choices has no value to show. */
function isEndlessUnion(node: SchemaNode, root: JsonSchema, depth = 0): boolean {
  const field = describeField(node, root);
  if (field.kind !== "union") return false;
  return depth > MAX_DEPTH || isEndlessUnion(field.branches[0] ?? true, root, depth + 1);
}

/** The smallest value of a field's type, for a field that is added without a value. */
export function emptyValue(field: FieldDescription, root: JsonSchema, depth = 0): JsonValue {
  switch (field.kind) {
    case "number":
    case "integer":
      return sampleNumber(typeof field.schema === "boolean" ? {} : field.schema, field.kind === "integer");
    case "boolean":
      return false;
    case "enum":
    case "const":
      return field.options[0]?.value ?? null;
    case "object":
    case "map":
      return {};
    case "array":
    case "tuple":
      return [];
    case "null":
      return null;
    case "union": {
      const [first] = field.branches;
      return first === undefined || depth > MAX_DEPTH ? "" : emptyValue(describeField(first, root), root, depth + 1);
    }
    default:
      return "";
  }
}

const MAX_OPENED = 100;
const MAX_OPENED_LEVELS = 3;

/**
 * The initial values of a form: required objects, which begin open.
 * @param withDefaults also the defaults of required parameters
 */
export function initialArguments(schema: JsonSchema, withDefaults: boolean): JsonObject {
  const budget = new StepBudget(MAX_OPENED);
  function fill({ properties }: FieldDescription, level: number): JsonObject {
    const entries = properties.flatMap((property): [string, JsonValue][] => {
      if (!property.required) return [];
      const inner = describeField(property.schema, schema);
      if (withDefaults && inner.defaultValue !== undefined) return [[property.name, inner.defaultValue]];
      const opens = inner.kind === "object" && !inner.allowsNull && level < MAX_OPENED_LEVELS && budget.spend();
      return opens ? [[property.name, fill(inner, level + 1)]] : [];
    });
    return Object.fromEntries(entries);
  }
  return fill(describeField(schema, schema), 0);
}

function objectFor(field: FieldDescription, before: JsonObject, root: JsonSchema): JsonValue {
  const entries = field.properties.flatMap((property): [string, JsonValue][] => {
    const inner = describeField(property.schema, root);
    const [only] = inner.options;
    if (property.required && only !== undefined && inner.options.length === 1) return [[property.name, only.value]];
    const kept = ownValue(before, property.name);
    return kept !== undefined && fitScore(kept, property.schema, root) !== null ? [[property.name, kept]] : [];
  });
  return Object.fromEntries(entries);
}

/**
 * The value after a switch to another branch of a union: unchanged if the branch accepts it, else an object with the branch's
 * constants and the shared properties, else the empty value of the branch's type.
 */
export function valueForBranch(branch: SchemaNode, before: JsonValue | undefined, root: JsonSchema): JsonValue {
  const field = describeField(branch, root);
  if (field.kind === "object" || field.kind === "map") {
    return objectFor(field, isJsonObject(before) ? before : {}, root);
  }
  if (before !== undefined && fitScore(before, branch, root) !== null) return before;
  return emptyValue(field, root);
}
