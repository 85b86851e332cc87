import type { JsonSchema } from "../../contract/json";
import { canonicalJson } from "../../json/canonical-json";
import { commonTypes, LOWER_BOUNDS, takesAnything, takesType } from "../keywords";
import { listRequired, ownKeyword } from "../resolve-ref";

const BASIC_TYPES = ["string", "number", "boolean", "object", "array", "null"] as const;
const KNOWN_TYPES: ReadonlySet<unknown> = new Set([...BASIC_TYPES, "integer"]);

/** The units that `min…` and `max…` count, by type. */
const COUNTED = { string: "Length", array: "Items", object: "Properties" } as const;
/** The keywords that bound the values of a type. */
export const BOUNDS: Readonly<Record<string, readonly string[]>> = {
  number: ["minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"],
  ...Object.fromEntries(Object.entries(COUNTED).map(([type, what]) => [type, [`min${what}`, `max${what}`]])),
};
const ALL_BOUNDS = Object.values(BOUNDS).flat();

/** The facts that hold for every value that several schemas accept together. They may say less than the schemas do, never more. */
export interface SchemaFacts {
  /** `integer` where the numbers are whole. Empty: no value is taken. */
  types: ReadonlySet<string>;
  /** Values by their JSON texts; null where any value is valid. */
  values: ReadonlyMap<string, unknown> | null;
  /** The tightest limit by keyword: `minimum`, `maxLength`… */
  bounds: ReadonlyMap<string, number>;
  required: ReadonlySet<string>;
}

/** The types that a schema takes, or null where it does not say. `nullable` is OpenAPI's `null` in the list. */
export function listTypes(schema: JsonSchema): string[] | null {
  const type = ownKeyword(schema, "type");
  const listed: unknown[] = Array.isArray(type) ? type : [type];
  if (!listed.every((each) => KNOWN_TYPES.has(each)) || listed.length === 0) return null;
  const types = new Set(listed as string[]);
  if (ownKeyword(schema, "nullable") === true) types.add("null");
  return [...types].sort();
}

/** Cached, because schemas are not changed while they are compared, and each is read often. */
const KNOWN_VALUES = new WeakMap<JsonSchema, ReadonlyMap<string, unknown> | null>();

/** `enum` and `const` by their JSON texts; null where any value will do. */
export function allowedValues(schema: JsonSchema): ReadonlyMap<string, unknown> | null {
  const known = KNOWN_VALUES.get(schema);
  if (known !== undefined) return known;
  const values = readValues(schema);
  KNOWN_VALUES.set(schema, values);
  return values;
}

function readValues(schema: JsonSchema): Map<string, unknown> | null {
  const listed = ownKeyword(schema, "enum");
  let values = Array.isArray(listed) ? new Map(listed.map((value) => [canonicalJson(value), value])) : null;
  if (Object.hasOwn(schema, "const")) {
    const text = canonicalJson(schema.const);
    values = values !== null && !values.has(text) ? new Map() : new Map([[text, schema.const]]);
  }
  return values;
}

/** Draft-04 writes `exclusiveMinimum: true` beside `minimum`. */
const INCLUSIVE: Readonly<Record<string, string>> = { exclusiveMinimum: "minimum", exclusiveMaximum: "maximum" };
const EXCLUSIVE: Readonly<Record<string, string>> = { minimum: "exclusiveMinimum", maximum: "exclusiveMaximum" };

export function getBound(schema: JsonSchema, keyword: string): number | null {
  const inclusive = INCLUSIVE[keyword];
  const exclusive = EXCLUSIVE[keyword];
  const isFlag = inclusive !== undefined && ownKeyword(schema, keyword) === true;
  if (exclusive !== undefined && ownKeyword(schema, exclusive) === true) return null;
  const value = ownKeyword(schema, isFlag ? inclusive : keyword);
  return typeof value === "number" ? value : null;
}

/** @param isModern whether the dialect knows `minContains` and `maxContains` */
export function readFacts(schemas: readonly JsonSchema[], isModern = false): SchemaFacts {
  let types: Set<string> = new Set(BASIC_TYPES);
  let values: ReadonlyMap<string, unknown> | null = null;
  const bounds = new Map<string, number>();
  const required = new Set<string>();
  for (const schema of schemas) {
    types = commonTypes(types, listTypes(schema) ?? BASIC_TYPES);
    const allowed = allowedValues(schema);
    if (allowed !== null)
      values = values === null ? allowed : new Map([...allowed].filter(([text]) => values?.has(text)));
    for (const keyword of ALL_BOUNDS) tighten(bounds, keyword, getBound(schema, keyword));
    if (isModern) addContainedBounds(schema, bounds);
    for (const name of listRequired(schema)) required.add(name);
  }
  if (types.has("number") && schemas.some(takesWholeNumbers)) {
    types.delete("number");
    types.add("integer");
  }
  if (!types.has("number")) roundBounds(bounds);
  if (values === null && [...types].every((type) => type === "null" || type === "boolean")) {
    values = new Map([...types].flatMap((type) => (type === "null" ? [["null", null]] : TRUTHS)));
  }
  if (values === null) return { types, values, bounds, required };
  values = new Map([...values].filter(([, value]) => takesType(types, readType(value))));
  addValueBounds([...values.values()], bounds);
  return { types: new Set([...values.values()].map(readType)), values, bounds, required };
}

const TRUTHS: [string, unknown][] = [
  ["true", true],
  ["false", false],
];

function takesWholeNumbers(schema: JsonSchema): boolean {
  return Number.isSafeInteger(ownKeyword(schema, "multipleOf"));
}

/** The least and the greatest whole number within the bounds. */
function roundBounds(bounds: Map<string, number>): void {
  const round = (exclusive: string, inclusive: string, toInside: (value: number) => number, step: number): void => {
    const outside = bounds.get(exclusive);
    const limit = bounds.get(inclusive);
    if (limit !== undefined && Number.isSafeInteger(toInside(limit))) tighten(bounds, inclusive, toInside(limit));
    if (outside === undefined || !Number.isSafeInteger(toInside(outside))) return;
    tighten(bounds, inclusive, Number.isInteger(outside) ? outside + step : toInside(outside));
  };
  round("exclusiveMinimum", "minimum", Math.ceil, 1);
  round("exclusiveMaximum", "maximum", Math.floor, -1);
}

/**
 * A list has at least as many elements as `contains` requires; where `contains` accepts anything, its maximum limits
 * the list too.
 */
function addContainedBounds(schema: JsonSchema, bounds: Map<string, number>): void {
  if (!Object.hasOwn(schema, "contains")) return;
  const { contains } = schema;
  const least = ownKeyword(schema, "minContains") ?? 1;
  const most = ownKeyword(schema, "maxContains");
  if (typeof least === "number") tighten(bounds, "minItems", least);
  if (takesAnything(contains) && typeof most === "number") tighten(bounds, "maxItems", most);
}

function tighten(bounds: Map<string, number>, keyword: string, value: number | null): void {
  if (value === null) return;
  const known = bounds.get(keyword) ?? value;
  bounds.set(keyword, LOWER_BOUNDS.has(keyword) ? Math.max(known, value) : Math.min(known, value));
}

function readType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}

/** Bounds of what is listed: the least and the greatest of each type. */
function addValueBounds(values: readonly unknown[], bounds: Map<string, number>): void {
  const add = (what: string, sizes: readonly number[]): void => {
    let least = Number.POSITIVE_INFINITY;
    let greatest = Number.NEGATIVE_INFINITY;
    for (const size of sizes) [least, greatest] = [Math.min(least, size), Math.max(greatest, size)];
    if (sizes.length === 0) return;
    tighten(bounds, what === "" ? "minimum" : `min${what}`, least);
    tighten(bounds, what === "" ? "maximum" : `max${what}`, greatest);
  };
  add(
    "",
    values.filter((value) => typeof value === "number"),
  );
  const measureSizes = (type: string): number[] =>
    values.filter((value) => readType(value) === type).map((value) => measureSize(value as string | object));
  for (const [type, what] of Object.entries(COUNTED)) add(what, measureSizes(type));
}

/** Characters of a text as JSON Schema counts them; members of the others. */
function measureSize(value: string | object): number {
  return typeof value === "string" ? [...value].length : Object.keys(value).length;
}

/** Whether every value within the bounds keeps the limit. */
export function keepsBound({ bounds, required }: SchemaFacts, keyword: string, limit: number): boolean {
  const known = (word: string): number =>
    bounds.get(word) ?? (LOWER_BOUNDS.has(word) ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY);
  switch (keyword) {
    case "minimum":
      return known("minimum") >= limit || known("exclusiveMinimum") >= limit;
    case "exclusiveMinimum":
      return known("minimum") > limit || known("exclusiveMinimum") >= limit;
    case "maximum":
      return known("maximum") <= limit || known("exclusiveMaximum") <= limit;
    case "exclusiveMaximum":
      return known("maximum") < limit || known("exclusiveMaximum") <= limit;
    case "minProperties":
      return Math.max(known(keyword), required.size) >= limit;
    default:
      return LOWER_BOUNDS.has(keyword) ? Math.max(known(keyword), 0) >= limit : known(keyword) <= limit;
  }
}
