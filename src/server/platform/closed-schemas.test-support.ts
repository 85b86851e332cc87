import type { SchemaCase } from "./schema-case.test-support";

const integer = { type: "integer" };
const closed = (properties: Record<string, unknown>) => ({ properties, additionalProperties: false });

/** References to schemas that stand under a name or keyword which elsewhere holds data. Any dialect. */
export const REFERENCES_INTO_DATA_NAMES: SchemaCase[] = [
  {
    title: "an address under definitions called enum, const, default and examples",
    schema: {
      type: "object",
      properties: {
        a: { $ref: "enum.json" },
        b: { $ref: "const.json" },
        c: { $ref: "default.json" },
        d: { $ref: "examples.json" },
      },
      definitions: {
        enum: { $id: "enum.json", ...integer },
        const: { $id: "const.json", ...integer },
        default: { $id: "default.json", ...integer },
        examples: { $id: "examples.json", ...integer },
      },
    },
    fits: [{ a: 1, b: 2, c: 3, d: 4 }],
    refused: [{ a: "x" }, { b: "x" }, { c: "x" }, { d: "x" }],
  },
  {
    title: "an address of a parameter called default",
    schema: {
      type: "object",
      properties: { default: { $id: "http://localhost:1234/default", ...integer }, a: { $ref: "/default" } },
      $id: "http://localhost:1234/root",
    },
    fits: [{ a: 1 }],
    refused: [{ a: "x" }, { default: "x" }],
  },
  {
    title: "a pointer into a default and into examples",
    schema: {
      type: "object",
      properties: { a: { $ref: "#/properties/b/default" }, b: { default: integer }, c: { $ref: "#/examples/0" } },
      examples: [{ type: "string" }],
    },
    fits: [{ a: 1, c: "x" }],
    refused: [{ a: "x" }, { c: 1 }],
  },
];

/**
 * Schemas of 2020-12 whose `additionalProperties: false` is ignored. `fits` is what plain JSON Schema accepts, `refused`
 * what is wrong even so.
 */
export const CLOSED_SCHEMAS: SchemaCase[] = [
  {
    title: "a not that refers to a closed definition",
    schema: { properties: { v: { not: { $ref: "#/$defs/a" } } }, $defs: { a: closed({ a: true }) } },
    fits: [{ v: { b: 1 } }, { v: { a: 1, b: 1 } }],
    refused: [{ v: { a: 1 } }, { v: {} }],
  },
  {
    title: "a not that refers to a closed definition by way of others and of itself",
    schema: {
      properties: { v: { not: { anyOf: [{ $ref: "#/$defs/by~1way" }, integer] } } },
      $defs: { a: closed({ a: { $ref: "#/$defs/by~1way" } }), "by/way": { allOf: [{ $ref: "#/$defs/a" }] } },
    },
    fits: [{ v: { b: 1 } }, { v: { a: { b: 1 } } }],
    refused: [{ v: { a: {} } }, { v: 1 }],
  },
  {
    title: "an if that refers to a closed definition",
    schema: {
      properties: {
        v: JSON.parse(
          '{ "if": { "$ref": "#/$defs/a" }, "then": { "required": ["a"] }, "else": { "required": ["z"] } }',
        ),
      },
      $defs: { a: closed({ a: true }) },
    },
    fits: [{ v: { b: 1, z: 1 } }, { v: { a: 1 } }],
    refused: [{ v: {} }, { v: { b: 1 } }],
  },
  {
    title: "a not that refers to a closed definition by its anchor",
    schema: { properties: { v: { not: { $ref: "#a" } }, n: integer }, $defs: { a: { $anchor: "a", ...closed({}) } } },
    fits: [{ v: { b: 1 } }],
    refused: [{ n: "x" }],
  },
  {
    title: "a oneOf of closed definitions called by their anchors",
    schema: {
      oneOf: [{ $ref: "#cat" }, { $ref: "#dog" }],
      $defs: {
        cat: { $anchor: "cat", ...closed({ name: { type: "string" } }) },
        dog: { $anchor: "dog", ...closed({ name: { type: "string" }, age: integer }) },
      },
    },
    fits: [{ name: "Rex", age: 3 }],
    refused: [{ name: 1 }],
  },
  {
    title: "a oneOf of closed definitions called by their addresses",
    schema: {
      oneOf: [{ $ref: "cat.json" }, { $ref: "dog.json" }],
      $defs: {
        cat: { $id: "cat.json", ...closed({ name: { type: "string" } }) },
        dog: { $id: "dog.json", ...closed({ name: { type: "string" }, age: integer }) },
      },
    },
    fits: [{ name: "Rex", age: 3 }],
    refused: [{ name: 1 }],
  },
  {
    title: "a oneOf of closed forms beside an anyOf and an allOf",
    schema: {
      anyOf: [{ required: ["a"] }, { required: ["b"] }],
      oneOf: [closed({ a: integer, n: integer }), closed({ b: integer, n: integer })],
      allOf: [{ maxProperties: 2 }],
    },
    fits: [{ a: 1 }, { b: 1, n: 1 }],
    refused: [{}, { a: 1, n: "x" }, { a: 1, b: 1, n: 1 }],
  },
  {
    title: "a contains with a closed schema that may match once",
    schema: { properties: { l: { contains: closed({ a: integer }), maxContains: 1 } } },
    fits: [{ l: [{ a: 1 }, { a: 1, b: 1 }] }],
    refused: [{ l: [] }, { l: [{ a: "x" }] }],
  },
];
