import type { JsonSchema } from "../contract/json";

/** The shapes of references and recursion that the JSON Schema Test Suite has for objects, and how a form reads one field. */
export const REFERENCE_SCHEMAS: { title: string; schema: JsonSchema; kinds?: Record<string, string> }[] = [
  {
    title: "root pointer",
    schema: { properties: { foo: { $ref: "#" } }, additionalProperties: false },
    kinds: { foo: "object" },
  },
  {
    title: "relative pointer to a property",
    schema: { properties: { foo: { type: "integer" }, bar: { $ref: "#/properties/foo" } } },
    kinds: { bar: "integer" },
  },
  {
    title: "relative pointer into a tuple",
    schema: { properties: { a: { prefixItems: [{ type: "integer" }] }, b: { $ref: "#/properties/a/prefixItems/0" } } },
    kinds: { b: "integer" },
  },
  {
    title: "escaped pointers",
    schema: {
      $defs: {
        "tilde~field": { type: "integer" },
        "slash/field": { type: "string" },
        "percent%field": { type: "null" },
      },
      properties: {
        tilde: { $ref: "#/$defs/tilde~0field" },
        slash: { $ref: "#/$defs/slash~1field" },
        percent: { $ref: "#/$defs/percent%25field" },
      },
    },
    kinds: { tilde: "integer", slash: "string", percent: "null" },
  },
  {
    title: "nested references",
    schema: {
      $defs: { a: { type: "integer" }, b: { $ref: "#/$defs/a" }, c: { $ref: "#/$defs/b" } },
      properties: { v: { $ref: "#/$defs/c" } },
    },
    kinds: { v: "integer" },
  },
  {
    title: "siblings of a reference",
    schema: { $defs: { r: { type: "array" } }, properties: { foo: { $ref: "#/$defs/r", maxItems: 2 } } },
    kinds: { foo: "array" },
  },
  {
    title: "a property named $ref, and one that refers",
    schema: {
      properties: { $ref: { type: "string" }, other: { $ref: "#/$defs/s" } },
      $defs: { s: { type: "boolean" } },
    },
    kinds: { $ref: "string", other: "boolean" },
  },
  {
    title: "references to true and false",
    schema: { properties: { t: { $ref: "#/$defs/t" }, f: { $ref: "#/$defs/f" } }, $defs: { t: true, f: false } },
    kinds: { t: "any", f: "any" },
  },
  {
    title: "recursive references between schemas with identifiers",
    schema: {
      $id: "http://localhost:1234/draft2020-12/tree",
      type: "object",
      properties: { meta: { type: "string" }, nodes: { type: "array", items: { $ref: "node" } } },
      required: ["meta", "nodes"],
      $defs: {
        node: {
          $id: "http://localhost:1234/draft2020-12/node",
          type: "object",
          properties: { value: { type: "number" }, subtree: { $ref: "tree" } },
          required: ["value"],
        },
      },
    },
    kinds: { nodes: "array" },
  },
  {
    title: "a pointer relative to a nested $id",
    schema: {
      $id: "http://localhost:1234/base.json",
      properties: { v: { $ref: "inner.json#/$defs/x" }, w: { $ref: "#/$defs/x" } },
      $defs: { x: { type: "boolean" }, inner: { $id: "inner.json", $defs: { x: { type: "integer" } } } },
    },
    kinds: { v: "integer", w: "boolean" },
  },
  {
    title: "anchors, the same one in two resources",
    schema: {
      $id: "http://localhost:1234/anchors.json",
      properties: { outer: { $ref: "#here" }, inner: { $ref: "other.json#here" } },
      $defs: {
        a: { $anchor: "here", type: "string" },
        other: { $id: "other.json", $defs: { b: { $anchor: "here", type: "number" } } },
      },
    },
    kinds: { outer: "string", inner: "number" },
  },
  {
    title: "an urn as base",
    schema: {
      $id: "urn:uuid:deadbeef-1234-0000-0000-4321feebdaed",
      properties: { foo: { $ref: "urn:uuid:deadbeef-1234-0000-0000-4321feebdaed#/$defs/bar" } },
      $defs: { bar: { type: "string" } },
    },
    kinds: { foo: "string" },
  },
  {
    title: "an identifier of draft 7 that is an anchor",
    schema: {
      $schema: "http://json-schema.org/draft-07/schema#",
      properties: { a: { $ref: "#foo" } },
      definitions: { A: { $id: "#foo", type: "integer" } },
    },
    kinds: { a: "integer" },
  },
  {
    title: "an identifier inside an enum is data",
    schema: {
      $id: "http://localhost:1234/enum.json",
      properties: { v: { $ref: "http://localhost:1234/x.json" }, e: { enum: [{ $id: "x.json", type: "null" }] } },
      $defs: { real: { $id: "x.json", type: "string" } },
    },
    kinds: { v: "string", e: "enum" },
  },
  {
    title: "a dynamic reference to the root",
    schema: {
      $id: "https://example.com/tree",
      $dynamicAnchor: "node",
      type: "object",
      properties: { data: true, children: { type: "array", items: { $dynamicRef: "#node" } } },
    },
    kinds: { children: "array" },
  },
  {
    title: "a dynamic reference whose outermost anchor is elsewhere",
    schema: {
      $id: "https://test.json-schema.org/typical/root",
      properties: { list: { $ref: "list" } },
      $defs: {
        foo: { $dynamicAnchor: "items", type: "string" },
        list: {
          $id: "list",
          type: "array",
          items: { $dynamicRef: "#items" },
          $defs: { d: { $dynamicAnchor: "items" } },
        },
      },
    },
    kinds: { list: "array" },
  },
  {
    title: "a recursive reference of draft 2019-09",
    schema: {
      $schema: "https://json-schema.org/draft/2019-09/schema",
      $recursiveAnchor: true,
      type: "object",
      properties: { foo: { $recursiveRef: "#" } },
    },
    kinds: { foo: "object" },
  },
  {
    title: "no infinite recursion through allOf",
    schema: {
      $defs: { int: { type: "integer" } },
      allOf: [{ properties: { foo: { $ref: "#/$defs/int" } } }, { additionalProperties: { $ref: "#/$defs/int" } }],
    },
    kinds: { foo: "integer" },
  },
  {
    title: "an array of itself",
    schema: { type: "object", properties: { l: { type: "array", items: { $ref: "#/properties/l" } } } },
    kinds: { l: "array" },
  },
  {
    title: "unevaluated properties through a recursion",
    schema: { type: "object", properties: { x: { $ref: "#" } }, unevaluatedProperties: false },
    kinds: { x: "object" },
  },
  {
    title: "what the document does not hold",
    schema: {
      properties: { a: { $ref: "https://elsewhere.example/x" }, b: { $ref: "#/nowhere" }, c: { $dynamicRef: "#no" } },
    },
    kinds: { a: "any", b: "any", c: "any" },
  },
  {
    title: "odd values of keywords",
    schema: {
      type: "object",
      properties: { a: { $ref: 5 }, b: { allOf: {}, items: 3 }, c: null, d: { properties: [] } },
    },
  },
];
