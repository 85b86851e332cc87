import { Ajv2020 } from "ajv/dist/2020";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonSchema, JsonValue } from "../../contract/json";
import { MAX_SCHEMA_CHARS, schemaFor } from "./provider-schema";
import type { SchemaProvider } from "./schema-dialects";

const KINDS: SchemaProvider[] = ["anthropic", "openai", "openai-compatible", "gemini", "ollama"];
const INLINING: SchemaProvider[] = ["openai-compatible", "gemini", "ollama"];
const GEMINI_KEYWORDS = new Set([
  "type",
  "format",
  "title",
  "description",
  "enum",
  "items",
  "minItems",
  "maxItems",
  "minimum",
  "maximum",
  "anyOf",
  "properties",
  "required",
]);

/** Schemas below a schema, itself included; what only looks like a keyword, such as a property's name, is none. */
function schemasIn(schema: JsonSchema): JsonSchema[] {
  const inner = Object.entries(schema).flatMap(([keyword, value]) => {
    if (["properties", "$defs", "definitions", "patternProperties"].includes(keyword))
      return Object.values(value as object);
    if (["anyOf", "oneOf", "allOf", "prefixItems"].includes(keyword)) return value as JsonSchema[];
    return ["items", "not", "additionalProperties"].includes(keyword) && typeof value === "object" ? [value] : [];
  });
  return [schema, ...inner.flatMap((each) => (typeof each === "object" && each !== null ? schemasIn(each) : []))];
}

// Shared: each would compile its own metaschema first. They keep no schema without an `$id` that would meet another.
const options = { strict: false, validateFormats: false, logger: false, addUsedSchema: false } as const;
const newest = new Ajv2020(options);

function accepts(schema: JsonSchema, value: unknown): boolean {
  return newest.validate(schema, value);
}

const shapes: JsonSchema = {
  $schema: "http://json-schema.org/draft-07/schema#",
  oneOf: [
    {
      type: "object",
      properties: { kind: { const: "circle" }, radius: { type: "number" }, unit: { type: "string" } },
      required: ["kind", "radius"],
      additionalProperties: false,
    },
    {
      type: "object",
      properties: { kind: { const: "square" }, side: { type: "number" } },
      required: ["kind", "side"],
      additionalProperties: false,
    },
  ],
};

const tree: JsonSchema = {
  type: "object",
  properties: { root: { $ref: "#/$defs/Node" } },
  required: ["root"],
  $defs: {
    Node: {
      type: "object",
      description: "A node",
      properties: { label: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/Node" } } },
      required: ["label"],
    },
  },
};

describe("schemas for providers", () => {
  it.each(KINDS)("%s: the root is an object with properties and without choices; $schema is gone", (kind) => {
    for (const schema of [
      {},
      { type: "object" },
      { $ref: "#" },
      { type: ["object", "null"] },
      shapes,
      { enum: [{}] },
    ]) {
      const reduced = schemaFor(kind, schema);
      expect(reduced).toMatchObject({ type: "object", properties: {} });
      const root = Object.keys(reduced);
      for (const keyword of ["$schema", "anyOf", "oneOf", "allOf", "enum", "const", "not", "$ref"]) {
        expect(root).not.toContain(keyword);
      }
    }
  });

  it.each(KINDS)("%s: forms at the root become one object; the description tells them apart", (kind) => {
    const reduced = schemaFor(kind, shapes);
    expect(reduced).toMatchObject({
      properties: { kind: { enum: ["circle", "square"] }, radius: { type: "number" }, side: { type: "number" } },
      required: ["kind"],
    });
    expect(reduced.description).toBe(
      'Must fit one of these forms: (1) kind = "circle", with radius, optionally unit; (2) kind = "square", with side.',
    );
    expect(accepts(reduced, { kind: "circle", radius: 1, unit: "m" })).toBe(true);
    expect(accepts(reduced, { kind: "square", side: 1 })).toBe(true);
    expect(accepts(reduced, { kind: "oval" })).toBe(false);
  });

  it.each(KINDS)("%s: parts at the root are merged with their siblings", (kind) => {
    const reduced = schemaFor(kind, {
      type: "object",
      properties: { a: { type: "string" } },
      required: ["a"],
      additionalProperties: false,
      allOf: [{ properties: { a: { maxLength: 3 }, b: { type: "integer" } }, required: ["b"] }],
    });
    expect(reduced).toMatchObject({
      properties: { a: { type: "string" }, b: { type: "integer" } },
      required: ["a", "b"],
    });
    expect(accepts(reduced, { a: "x", b: 1 })).toBe(true);
  });

  it.each(INLINING)("%s: references are written out, and one into itself ends in a shape that says so", (kind) => {
    const reduced = schemaFor(kind, tree);
    expect(schemasIn(reduced).some((each) => Object.hasOwn(each, "$ref") || Object.hasOwn(each, "$defs"))).toBe(false);
    expect(reduced).toMatchObject({ properties: { root: { type: "object", description: "A node" } } });
    expect(JSON.stringify(reduced)).toContain("Not written out further");
    const value = {
      root: { label: "a", children: [{ label: "b", children: [{ label: "c", children: [{ label: "d" }] }] }] },
    };
    expect(accepts(reduced, value)).toBe(true);
    expect(accepts(reduced, { root: { children: [] } })).toBe(false);
  });

  it("anthropic, openai: definitions stay, those only that are used, and older words become 2020-12", () => {
    for (const kind of ["anthropic", "openai"] as const) {
      const reduced = schemaFor(kind, { ...tree, $defs: { ...(tree.$defs as object), Unused: { type: "string" } } });
      expect(reduced).toMatchObject({ properties: { root: { $ref: "#/$defs/Node" } } });
      expect(Object.keys(reduced.$defs as object)).toEqual(["Node"]);
      const pair = schemaFor(kind, {
        type: "object",
        properties: { p: { type: "array", items: [{ type: "string" }, {}], additionalItems: { type: "number" } } },
      });
      expect(pair).toMatchObject({
        properties: { p: { prefixItems: [{ type: "string" }, {}], items: { type: "number" } } },
      });
    }
  });

  it("gemini: keywords that it refuses are gone from every schema, their meaning is in the description", () => {
    const reduced = schemaFor("gemini", {
      type: "object",
      properties: {
        unit: { const: "C" },
        on: { const: true, description: "Switch" },
        count: { type: "integer", exclusiveMinimum: 0, multipleOf: 5, default: 10 },
        code: { type: "string", pattern: "^[A-Z]+$", minLength: 2 },
        map: { type: "object", additionalProperties: { type: "number" } },
        list: { type: "array", uniqueItems: true },
        choice: { oneOf: [{ type: "string" }, { type: "null" }] },
        level: { enum: ["low", null] },
        both: { allOf: [{ type: "string" }, { minLength: 1, format: "email" }] },
      },
      required: ["unit", "absent"],
      additionalProperties: false,
    });
    for (const schema of schemasIn(reduced)) {
      for (const keyword of Object.keys(schema)) expect(GEMINI_KEYWORDS).toContain(keyword);
    }
    expect(reduced.properties).toMatchObject({
      unit: { enum: ["C"] },
      on: { description: "Switch Must be true." },
      count: { description: "More than 0. A multiple of 5. Default: 10." },
      code: { description: 'Must match the pattern "^[A-Z]+$". At least 2 characters.' },
      map: { description: 'Any other property is {"type":"number"}.' },
      list: { items: {}, description: "Items must be unique." },
      choice: { anyOf: [{ type: "string" }, { type: "null" }] },
      level: { anyOf: [{ type: "string", enum: ["low"] }, { type: "null" }] },
      both: { type: "string", description: 'At least 1 characters. Format: "email".' },
      absent: {},
    });
  });

  it("ollama: booleans in the place of schemas, which it cannot read, are gone", () => {
    const reduced = schemaFor("ollama", {
      type: "object",
      properties: { any: true, never: false, deep: { items: true } },
    });
    expect(reduced.properties).toEqual({ any: {}, deep: { items: {} } });
  });

  it.each(KINDS)(
    "%s: a narrowing keyword is kept only as it was, since widening what it holds would narrow it",
    (kind) => {
      const reduced = schemaFor(kind, {
        type: "object",
        properties: {
          x: { not: { $ref: "elsewhere.json" } },
          y: { oneOf: [{ $ref: "other.json" }, { type: "number" }] },
        },
      });
      for (const value of [{ x: 1 }, { y: 1 }, { y: "text" }]) expect(accepts(reduced, value)).toBe(true);
    },
  );

  it("names such as __proto__ and constructor are properties like others", () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"number"}},"required":["constructor"]}',
    ) as JsonSchema;
    for (const kind of KINDS) {
      const reduced = schemaFor(kind, schema);
      expect(Object.keys(reduced.properties as object)).toEqual(["__proto__", "constructor"]);
      expect(Object.getPrototypeOf(reduced.properties)).toBe(Object.prototype);
    }
    expect(schemaFor("gemini", { $ref: "#/constructor", properties: { a: { $ref: "#/__proto__/x" } } })).toMatchObject({
      properties: { a: { description: 'A shape not described here ("#/__proto__/x").' } },
    });
  });

  it.each(KINDS)("%s: a huge schema is cut to a size that a model can read", (kind) => {
    const wide = {
      type: "object",
      properties: Object.fromEntries(range(4000).map((n) => [`p${n}`, { type: "string" }])),
    };
    const doubling = {
      type: "object",
      properties: { a: { $ref: "#/$defs/d0" } },
      $defs: Object.fromEntries(
        range(40).map((n) => [
          `d${n}`,
          { properties: { l: { $ref: `#/$defs/d${n + 1}` }, r: { $ref: `#/$defs/d${n + 1}` } } },
        ]),
      ),
    };
    let deep: JsonSchema = { type: "string" };
    for (let level = 0; level < 3000; level += 1) deep = { type: "object", properties: { d: deep }, anyOf: [{}, deep] };
    for (const schema of [wide, doubling, deep, { type: "object", description: "x".repeat(1_000_000) }]) {
      expect(JSON.stringify(schemaFor(kind, schema)).length).toBeLessThanOrEqual(MAX_SCHEMA_CHARS);
    }
    expect(Object.keys(schemaFor(kind, wide).properties as object).length).toBeGreaterThan(30);
  });

  it("never throws on what only resembles a schema, never changes it, and always gives a small object schema", () => {
    fc.assert(
      fc.property(fc.constantFrom(...KINDS), resemblance, (kind, schema) => {
        const before = JSON.stringify(schema);
        const reduced = schemaFor(kind, schema as JsonSchema);
        expect(JSON.stringify(schema)).toBe(before);
        expect(reduced.type).toBe("object");
        expect(typeof reduced.properties).toBe("object");
        expect(JSON.stringify(reduced).length).toBeLessThanOrEqual(MAX_SCHEMA_CHARS);
        if (INLINING.includes(kind)) expect(schemasIn(reduced).some((each) => Object.hasOwn(each, "$ref"))).toBe(false);
      }),
      { numRuns: 150 },
    );
  });
});

function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

/** JSON with keywords in all the wrong places. */
const resemblance = fc.letrec<{ schema: JsonValue }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 5 },
    fc.jsonValue({ maxDepth: 1 }) as fc.Arbitrary<JsonValue>,
    fc.constantFrom<JsonValue>(
      { $ref: "#" },
      { $ref: "#/$defs/a" },
      { $ref: "#/anyOf/0" },
      { type: "object" },
      true,
      false,
    ),
    fc.dictionary(
      fc.constantFrom(
        "type",
        "properties",
        "items",
        "anyOf",
        "oneOf",
        "allOf",
        "not",
        "$ref",
        "$defs",
        "enum",
        "const",
        "required",
        "additionalProperties",
        "description",
        "if",
        "then",
        "minimum",
        "exclusiveMinimum",
        "dependencies",
        "prefixItems",
        "__proto__",
        "a",
        "b",
        "additionalItems",
        "patternProperties",
        "default",
      ),
      fc.oneof(tie("schema"), fc.array(tie("schema"), { maxLength: 3 })),
      { maxKeys: 5 },
    ),
  ),
})).schema;
