import { describe, expect, it } from "vitest";
import { isPlainObject, type JsonSchema } from "../../lib/contract/json";
import { compareSchemas } from "../../lib/schema/compare/compare-tool";
import { ONE_SCHEMA, SCHEMA_LISTS, SCHEMA_MAPS } from "../../lib/schema/keywords";
import { RandomSchemas, seededRandom } from "./random-schemas.test-support";

/** The rules of the findings that break, in both directions. */
function findBreaking(one: JsonSchema, other: JsonSchema): string[] {
  return (["sent", "answered"] as const).flatMap((direction) =>
    [...compareSchemas(one, other, direction).list(), ...compareSchemas(other, one, direction).list()].flatMap(
      ({ weight, sentence }) => (weight === "breaking" ? [`${direction}: ${sentence}`] : []),
    ),
  );
}

const text = (more: JsonSchema): JsonSchema => ({ type: "string", ...more });
const list = (more: JsonSchema): JsonSchema => ({ type: "array", ...more });
const object = (more: JsonSchema): JsonSchema => ({ type: "object", properties: { a: { type: "string" } }, ...more });
const NUMBER_LIST = list({ items: { type: "number" } });

/** Two spellings of one meaning. */
const SPELLINGS: [name: string, one: JsonSchema, other: JsonSchema][] = [
  ["minLength 0", text({}), text({ minLength: 0 })],
  ["a pattern that every text matches", text({}), text({ pattern: ".*" })],
  ["an empty pattern", text({}), text({ pattern: "" })],
  ["minItems 0", list({}), list({ minItems: 0 })],
  ["uniqueItems false", list({}), list({ uniqueItems: false })],
  ["items true", list({}), list({ items: true })],
  ["items without a rule", list({}), list({ items: {} })],
  ["contains with minContains 0", NUMBER_LIST, { ...NUMBER_LIST, contains: { const: 1 }, minContains: 0 }],
  ["minContains 1", list({ contains: { const: 1 } }), list({ contains: { const: 1 }, minContains: 1 })],
  ["minContains without contains", list({}), list({ minContains: 3 })],
  ["maxContains without contains", list({}), list({ maxContains: 3 })],
  ["contains anything as minItems 1", list({ minItems: 1 }), list({ contains: true })],
  ["contains anything, counted", list({ minItems: 2 }), list({ contains: true, minContains: 2 })],
  ["contains anything, with a most", list({ minItems: 1, maxItems: 3 }), list({ contains: {}, maxContains: 3 })],
  [
    "the same contains and maxContains, with minContains 1",
    list({ contains: { type: "string" }, maxContains: 2 }),
    list({ contains: { type: "string" }, maxContains: 2, minContains: 1 }),
  ],
  ["unevaluatedItems true", list({}), list({ unevaluatedItems: true })],
  ["unevaluatedItems without a rule", list({}), list({ unevaluatedItems: {} })],
  ["unevaluatedItems beside items", NUMBER_LIST, { ...NUMBER_LIST, unevaluatedItems: false }],
  ["required without names", object({}), object({ required: [] })],
  ["minProperties 0", object({}), object({ minProperties: 0 })],
  ["minProperties below required", object({ required: ["a"] }), object({ required: ["a"], minProperties: 1 })],
  ["no properties", { type: "object" }, { type: "object", properties: {} }],
  ["additionalProperties true", object({}), object({ additionalProperties: true })],
  ["additionalProperties without a rule", object({}), object({ additionalProperties: {} })],
  ["propertyNames true", object({}), object({ propertyNames: true })],
  ["propertyNames that are texts", object({}), object({ propertyNames: { type: "string" } })],
  ["propertyNames of any pattern", object({}), object({ propertyNames: { pattern: "^" } })],
  ["no patternProperties", object({}), object({ patternProperties: {} })],
  ["patternProperties without a rule", object({}), object({ patternProperties: { "^x-": true } })],
  ["no dependentRequired", object({}), object({ dependentRequired: {} })],
  ["dependentRequired without names", object({}), object({ dependentRequired: { a: [] } })],
  ["no dependentSchemas", object({}), object({ dependentSchemas: {} })],
  ["dependentSchemas without a rule", object({}), object({ dependentSchemas: { a: true } })],
  ["no dependencies", object({}), object({ dependencies: {} })],
  ["unevaluatedProperties true", object({}), object({ unevaluatedProperties: true })],
  ["unevaluatedProperties without a rule", object({}), object({ unevaluatedProperties: {} })],
  [
    "additionalProperties false as unevaluatedProperties false",
    object({ additionalProperties: false }),
    object({ unevaluatedProperties: false }),
  ],
  [
    "unevaluatedProperties beside additionalProperties",
    object({ additionalProperties: false }),
    object({ additionalProperties: false, unevaluatedProperties: false }),
  ],
  [
    "unevaluatedProperties again, in a part of allOf",
    object({ unevaluatedProperties: false }),
    object({
      unevaluatedProperties: false,
      allOf: [{ properties: { a: { type: "string" } }, unevaluatedProperties: false }],
    }),
  ],
  [
    "properties moved to a part of allOf, below unevaluatedProperties",
    object({ unevaluatedProperties: false }),
    { type: "object", allOf: [{ properties: { a: { type: "string" } } }], unevaluatedProperties: false },
  ],
  [
    "properties behind a reference, below unevaluatedProperties",
    object({ unevaluatedProperties: false }),
    {
      type: "object",
      $ref: "#/$defs/Base",
      unevaluatedProperties: false,
      $defs: { Base: { properties: { a: { type: "string" } } } },
    },
  ],
  [
    "unevaluatedProperties with another title of a property",
    object({ unevaluatedProperties: false, anyOf: [{ required: ["a"] }, { properties: { b: { type: "number" } } }] }),
    {
      type: "object",
      properties: { a: { type: "string", title: "A" } },
      unevaluatedProperties: false,
      anyOf: [{ required: ["a"] }, { properties: { b: { type: "number", description: "B" } } }],
    },
  ],
  ["one part of allOf", text({ minLength: 1 }), { allOf: [text({ minLength: 1 })] }],
  ["a part of allOf without a rule", text({}), text({ allOf: [{}] })],
  ["anyOf anything", text({}), text({ anyOf: [true, { minLength: 3 }] })],
  ["oneOf anything", text({}), text({ oneOf: [{}] })],
  ["oneOf anything and nothing", text({}), text({ oneOf: [{}, false] })],
  ["anyOf with nothing", text({ anyOf: [{ minLength: 3 }] }), text({ anyOf: [{ minLength: 3 }, false] })],
  ["not nothing", text({}), text({ not: false })],
  ["not what the type excludes", text({}), text({ not: { type: "number" } })],
  ["if without then and else", text({}), text({ if: { minLength: 3 } })],
  ["then without if", text({}), text({ ...JSON.parse('{"then":{"minLength":3}}') })],
  ["if with then that takes anything", text({}), text({ if: { minLength: 3 }, ...JSON.parse('{"then":true}') })],
  ["one type in a list", text({}), { type: ["string"] }],
  ["types in another order", { type: ["string", "null"] }, { type: ["null", "string"] }],
  ["number and integer", { type: "number" }, { type: ["integer", "number"] }],
  ["all types", {}, { type: ["string", "number", "boolean", "object", "array", "null"] }],
  ["types as alternatives", { type: ["string", "null"] }, { anyOf: [{ type: "string" }, { type: "null" }] }],
  [
    "alternatives that exclude each other",
    { type: ["string", "null"] },
    { oneOf: [{ type: "string" }, { type: "null" }] },
  ],
  ["a constant as a list of one", { const: "a" }, { enum: ["a"] }],
  ["values in another order and twice", { enum: ["a", "b"] }, { enum: ["b", "a", "a"] }],
  ["values as alternatives", { enum: ["a", "b"] }, { anyOf: [{ const: "a" }, { const: "b" }] }],
  ["values as alternatives of which one fits", { enum: ["a", "b"] }, { oneOf: [{ const: "a" }, { const: "b" }] }],
  ["a type beside values of it", { enum: ["a", "b"] }, { type: "string", enum: ["a", "b"] }],
  ["both truths as values", { type: "boolean" }, { enum: [true, false] }],
  ["null as a value", { type: "null" }, { const: null }],
  ["integer as multiples of 1", { type: "integer" }, { type: "number", multipleOf: 1 }],
  ["multiples of 1 beside integer", { type: "integer" }, { type: "integer", multipleOf: 1 }],
  ["a bound of integers, exclusive", { type: "integer", minimum: 1 }, { type: "integer", exclusiveMinimum: 0 }],
  ["a greatest integer, exclusive", { type: "integer", maximum: 9 }, { type: "integer", exclusiveMaximum: 10 }],
  ["a bound of integers between two", { type: "integer", minimum: 1 }, { type: "integer", minimum: 0.5 }],
  [
    "minLength 1 as a pattern-free bound beside a weaker one",
    text({ minLength: 2 }),
    text({ minLength: 2, allOf: [{ minLength: 1 }] }),
  ],
  [
    "a reference",
    object({}),
    object({ properties: { a: { $ref: "#/$defs/Text" } }, $defs: { Text: { type: "string" } } }),
  ],
  ["a definition that is not used", text({}), text({ $defs: { Other: { type: "number" } } })],
  ["an unknown keyword", text({}), text({ "x-order": 3 })],
];

/** Spellings of one pattern. */
const PATTERNS: [one: string, other: string][] = [
  ["^[0-9]+$", "^\\d+$"],
  ["^[A-Za-z0-9_]+$", "^\\w+$"],
  ["^\\w+$", "^[\\w\\d]+$"],
  ["^[^0-9]$", "^\\D$"],
  ["^\\S+$", "^[^\\s]+$"],
  ["^a+$", "^a{1,}$"],
  ["^a*$", "^a{0,}$"],
  ["^a?$", "^a{0,1}$"],
  ["^aaa$", "^a{3}$"],
  ["^a{2,4}$", "^aa(a|aa)?$"],
  ["^(a|b|c)$", "^[a-c]$"],
  ["^(?:ab)+$", "^(ab)+$"],
  ["^(?<year>\\d{4})$", "^[0-9]{4}$"],
  ["^[a-z-]+$", "^[-a-z]+$"],
  ["^a\\-b$", "^a-b$"],
  ["^\\x41\\u0042$", "^AB$"],
  ["^a\\.b$", "^a[.]b$"],
  ["^\\/tmp$", "^/tmp$"],
  ["^a", "^a.*"],
  ["a", "^[\\s\\S]*a[\\s\\S]*$"],
  ["a$", "^[^]*a$"],
  ["^(a|ab)(c|bcd)?$", "^(?:ab?|abcd|ac|abc|abbcd)$"],
  ["^a+?$", "^a+$"],
  ["^(foo|foobar)$", "^foo(?:bar)?$"],
  ["^$", "^[]*$"],
  ["x|y", "[xy]"],
];

/** Keywords that refuse nothing with this value, each with what it must stand beside. */
const NEUTRAL: [keyword: string, value: unknown][] = [
  ["minLength", 0],
  ["minItems", 0],
  ["minProperties", 0],
  ["uniqueItems", false],
  ["required", []],
  ["pattern", ""],
  ["propertyNames", true],
  ["properties", {}],
  ["patternProperties", {}],
  ["dependentRequired", {}],
  ["dependentSchemas", {}],
  ["dependencies", {}],
  ["allOf", [true]],
  ["anyOf", [{}]],
  ["oneOf", [true]],
  ["not", false],
  ["items", {}],
  ["minContains", 1],
  ["unevaluatedItems", true],
];

/** The schema with keywords that refuse nothing, here and in its parts. */
function addNeutral(schema: unknown, random: () => number): unknown {
  if (!isPlainObject(schema)) return schema;
  const spelled: JsonSchema = {};
  const inside = (part: unknown): unknown => addNeutral(part, random);
  for (const [keyword, value] of Object.entries(schema)) {
    if (ONE_SCHEMA.has(keyword)) spelled[keyword] = inside(value);
    else if (SCHEMA_LISTS.has(keyword) && Array.isArray(value)) spelled[keyword] = value.map(inside);
    else if (SCHEMA_MAPS.has(keyword) && isPlainObject(value)) {
      spelled[keyword] = Object.fromEntries(Object.entries(value).map(([name, part]) => [name, inside(part)]));
    } else spelled[keyword] = value;
  }
  for (const [keyword, value] of NEUTRAL) {
    if (!Object.hasOwn(spelled, keyword) && random() < 0.15) spelled[keyword] = value;
  }
  if (!Object.hasOwn(spelled, "contains") && !Object.hasOwn(spelled, "minContains") && random() < 0.15) {
    spelled.contains = { type: "string" };
    spelled.minContains = 0;
  }
  return spelled;
}

const DOCUMENTS = Number(process.env.SCHEMA_PAIRS ?? 150);

describe("a schema that is spelled in another way", () => {
  it.each(SPELLINGS)("breaks nothing: %s", (_name, one, other) => {
    expect(findBreaking(one, other)).toEqual([]);
    const inside = (part: JsonSchema): JsonSchema => {
      const { $defs, ...rest } = part;
      return { type: "object", properties: { value: rest }, ...($defs === undefined ? {} : { $defs }) };
    };
    expect(findBreaking(inside(one), inside(other))).toEqual([]);
  });

  it.each(PATTERNS)("breaks nothing: the pattern %s as %s", (one, other) => {
    expect(findBreaking(text({ pattern: one }), text({ pattern: other }))).toEqual([]);
    const names = (pattern: string): JsonSchema => ({
      type: "object",
      patternProperties: { [pattern]: { type: "number" } },
      additionalProperties: false,
    });
    expect(findBreaking(names(one), names(other))).toEqual([]);
  });

  it("breaks nothing: random schemas with keywords that refuse nothing in all of their parts", () => {
    const documents = new RandomSchemas(11);
    const random = seededRandom(11);
    for (let count = 0; count < DOCUMENTS; count += 1) {
      const [schema] = documents.pair();
      const spelled = addNeutral(schema, random) as JsonSchema;
      expect({ breaking: findBreaking(schema, spelled), schema, spelled }).toMatchObject({ breaking: [] });
    }
  });
});
