import type { JsonSchema } from "../contract/json";

function levels(count: number, level: (next: JsonSchema, index: number) => JsonSchema, last: JsonSchema): JsonSchema {
  const definitions = Array.from({ length: count }, (_, index) => [
    `L${index}`,
    level({ $ref: `#/$defs/L${index + 1}` }, index),
  ]);
  return {
    type: "object",
    properties: { value: { $ref: "#/$defs/L0" } },
    required: ["value"],
    $defs: Object.fromEntries([...definitions, [`L${count}`, last]]),
  };
}

function nested(depth: number, wrap: (inner: JsonSchema) => JsonSchema): JsonSchema {
  let inner: JsonSchema = { type: "string" };
  for (let level = 0; level < depth; level += 1) inner = wrap(inner);
  return { type: "object", properties: { value: inner }, required: ["value"] };
}

const LEAF: JsonSchema = { type: "object", properties: { leaf: { type: "string" } }, required: ["leaf"] };
const thirty = <T>(make: (index: number) => T): T[] => Array.from({ length: 30 }, (_, index) => make(index));
const wide = (count: number): JsonSchema =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, { type: "string" }]));

/** Schemas of a few kilobytes whose meaning grows exponentially, or without end, when their references are followed. */
export const HOSTILE_SCHEMAS: Record<string, JsonSchema> = {
  "allOf that refers twice to the next level, 22 levels": levels(22, (next) => ({ allOf: [next, next] }), LEAF),
  "allOf that refers twice to the next level, 40 levels": levels(40, (next) => ({ allOf: [next, next] }), LEAF),
  "allOf whose two sides differ, 40 levels": levels(
    40,
    (next, at) => ({
      allOf: [
        { ...next, properties: { [`a${at}`]: { minimum: 1 } } },
        { ...next, properties: { [`a${at}`]: { minimum: 2 }, shared: { title: `T${at}` } } },
      ],
    }),
    LEAF,
  ),
  "anyOf that refers twice to the next level, 40 levels": levels(
    40,
    (next, at) => ({ title: `T${at}`, properties: { [`k${at}`]: {} }, anyOf: [next, { ...next, minProperties: 1 }] }),
    LEAF,
  ),
  "required properties that refer to the next level, 40 levels": levels(
    40,
    (next) => ({ type: "object", properties: { a: next, b: next, c: next }, required: ["a", "b", "c"] }),
    LEAF,
  ),
  "arrays of at least ten of the next level, 40 levels": levels(
    40,
    (next) => ({ type: "array", minItems: 10, items: next }),
    LEAF,
  ),
  "oneOf of 30 in oneOf of 30, 12 levels": levels(
    12,
    (next) => ({
      type: "object",
      properties: { shared: { type: "string" } },
      oneOf: thirty((index) => ({ ...next, properties: { [`k${index}`]: { const: index } } })),
    }),
    LEAF,
  ),
  "allOf of unions, 40 levels": levels(
    40,
    (next) => ({ allOf: [{ anyOf: [next, { type: "null" }] }, { anyOf: [next, { type: "string" }] }] }),
    LEAF,
  ),
  "not, if and dependent schemas that refer to the next level, 40 levels": levels(
    40,
    (next) => ({
      not: next,
      if: next,
      else: next,
      contains: next,
      dependentSchemas: { a: next, b: next },
    }),
    LEAF,
  ),
  "recursive allOf that doubles": levels(30, (next) => ({ allOf: [next, next, { $ref: "#/$defs/L0" }] }), LEAF),
  "an object in itself": { type: "object", properties: { a: { $ref: "#" }, b: { $ref: "#" } }, required: ["a", "b"] },
  "an array of itself": {
    type: "object",
    properties: { list: { $ref: "#/$defs/list" } },
    required: ["list"],
    $defs: { list: { type: "array", minItems: 3, items: { $ref: "#/$defs/list" } } },
  },
  "two objects in each other": {
    type: "object",
    properties: { tree: { $ref: "#/$defs/tree" } },
    required: ["tree"],
    $defs: {
      tree: { type: "object", properties: { nodes: { type: "array", minItems: 2, items: { $ref: "#/$defs/node" } } } },
      node: {
        allOf: [{ $ref: "#/$defs/tree" }],
        properties: { tree: { $ref: "#/$defs/tree" }, one: { anyOf: [{ $ref: "#/$defs/node" }, { $ref: "#" }] } },
        required: ["tree", "one"],
      },
    },
  },
  "a reference to itself": { type: "object", properties: { a: { $ref: "#/properties/a" } }, required: ["a"] },
  "a union of itself": {
    type: "object",
    properties: { a: { $ref: "#/$defs/u" } },
    $defs: { u: { anyOf: thirty(() => ({ $ref: "#/$defs/u" })) } },
  },
  "a recursive $dynamicRef": {
    $dynamicAnchor: "node",
    type: "object",
    properties: { children: { type: "array", items: { $dynamicRef: "#node" } } },
  },
  "a chain of 2000 references": levels(2000, (next) => next, LEAF),
  "arrays nested 60 levels": nested(60, (items) => ({ type: "array", items })),
  "objects nested 60 levels": nested(60, (inner) => ({ type: "object", properties: { inner }, required: ["inner"] })),
  "objects nested 2000 levels": nested(2000, (inner) => ({
    type: "object",
    properties: { inner },
    required: ["inner"],
  })),
  "allOf nested 2000 levels": nested(2000, (inner) => ({ allOf: [inner] })),
  "unknown keywords nested 600 levels": nested(600, (inner) => ({ "x-inner": { other: [inner] } })),
  "allOf nested 60 levels": nested(60, (inner) => ({ allOf: [inner] })),
  "a union of 3000 forms": {
    type: "object",
    properties: {
      value: { oneOf: Array.from({ length: 3000 }, (_, at) => ({ type: "object", title: `T${at % 7}` })) },
    },
  },
  "4000 properties": { type: "object", properties: wide(4000), required: Object.keys(wide(4000)) },
  "an enum of 4000 values merged 30 times": levels(
    30,
    (next, at) => ({ allOf: [next, { enum: Array.from({ length: 130 }, (_, value) => ({ at, value })) }] }),
    { enum: Array.from({ length: 2000 }, (_, value) => ({ value })) },
  ),
  "a large default that 300 properties refer to": {
    type: "object",
    properties: Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`p${at}`, { $ref: "#/$defs/big" }])),
    required: Array.from({ length: 300 }, (_, at) => `p${at}`),
    $defs: { big: { type: "string", description: "d".repeat(50_000), default: "x".repeat(100_000) } },
  },
};
