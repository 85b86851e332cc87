import type { JsonSchema } from "../../lib/contract/json";
import { REFERENCES_INTO_DATA_NAMES } from "./closed-schemas.test-support";
import type { SchemaCase } from "./schema-case.test-support";

export const DIALECT_ADDRESSES = {
  "draft-06": "http://json-schema.org/draft-06/schema#",
  "draft-07": "http://json-schema.org/draft-07/schema#",
  "2019-09": "https://json-schema.org/draft/2019-09/schema",
  "2020-12": "https://json-schema.org/draft/2020-12/schema",
} as const;
export type DialectName = keyof typeof DIALECT_ADDRESSES;

const ALL: readonly DialectName[] = ["draft-06", "draft-07", "2019-09", "2020-12"];
const LATER: readonly DialectName[] = ["2019-09", "2020-12"];
const object = (properties: Record<string, unknown>, more: JsonSchema = {}): JsonSchema => ({
  type: "object",
  properties,
  ...more,
});
const integer = { type: "integer" };

const REFERENCES: SchemaCase[] = [
  {
    title: "a reference to the root",
    schema: object({ a: { $ref: "#" }, n: integer }),
    fits: [{ a: {} }, { a: { a: { n: 1 } } }],
    refused: [{ a: 1 }, { a: { a: { n: "x" } } }],
  },
  {
    title: "a reference to the root from a list of branches",
    schema: object({ children: { type: "array", items: { anyOf: [{ $ref: "#" }, { type: "null" }] } }, n: integer }),
    fits: [{ children: [null, { children: [], n: 2 }] }],
    refused: [{ children: [{ n: "x" }] }, { children: [3] }],
  },
  {
    title: "a pointer with escapes",
    schema: object(
      {
        a: { $ref: "#/definitions/with~1slash" },
        b: { $ref: "#/definitions/with~0tilde" },
        c: { $ref: "#/definitions/a%25b" },
      },
      { definitions: { "with/slash": integer, "with~tilde": integer, "a%b": integer } },
    ),
    fits: [{ a: 1, b: 2, c: 3 }],
    refused: [{ a: "x" }, { b: "x" }, { c: "x" }],
  },
  {
    title: "references that lead on to others",
    schema: object(
      { a: { $ref: "#/definitions/c" } },
      { definitions: { a: integer, b: { $ref: "#/definitions/a" }, c: { $ref: "#/definitions/b" } } },
    ),
    fits: [{ a: 5 }],
    refused: [{ a: "a" }],
  },
  {
    title: "parameters called $ref",
    schema: object({ $ref: { $ref: "#/definitions/text" } }, { definitions: { text: { type: "string" } } }),
    fits: [{ $ref: "a" }],
    refused: [{ $ref: 2 }],
  },
  {
    title: "recursive references between schemas with addresses",
    schema: object(
      { meta: { type: "string" }, nodes: { type: "array", items: { $ref: "node" } } },
      {
        $id: "http://localhost:1234/tree",
        required: ["meta", "nodes"],
        definitions: {
          node: {
            $id: "http://localhost:1234/node",
            ...object({ value: { type: "number" }, subtree: { $ref: "tree" } }, { required: ["value"] }),
          },
        },
      },
    ),
    fits: [{ meta: "root", nodes: [{ value: 1, subtree: { meta: "child", nodes: [{ value: 1.5 }] } }] }],
    refused: [
      { meta: "root", nodes: [{ value: 1, subtree: { meta: "child", nodes: [{ value: "x" }] } }] },
      { meta: "root", nodes: [{}] },
    ],
  },
  {
    title: "a base address that changes inside",
    schema: object(
      { list: { $ref: "folder/items.json" } },
      {
        $id: "http://localhost:1234/root.json",
        definitions: {
          items: { $id: "folder/items.json", type: "array", items: { $ref: "item.json" } },
          item: { $id: "folder/item.json", ...integer },
        },
      },
    ),
    fits: [{ list: [1, 2] }],
    refused: [{ list: ["x"] }],
  },
  {
    title: "a URN as the address",
    schema: object(
      { a: { $ref: "urn:example:part" } },
      { definitions: { part: { $id: "urn:example:part", ...integer } } },
    ),
    fits: [{ a: 1 }],
    refused: [{ a: "x" }],
  },
  {
    title: "an enum with something like a reference",
    schema: object({ a: { enum: [{ $ref: "#/definitions/a" }] } }, { definitions: { a: integer } }),
    fits: [{ a: { $ref: "#/definitions/a" } }],
    refused: [{ a: 1 }],
  },
];

const APPLICATORS: SchemaCase[] = [
  {
    title: "allOf beside anyOf beside oneOf",
    schema: object({ n: { allOf: [{ multipleOf: 2 }], anyOf: [{ multipleOf: 3 }], oneOf: [{ multipleOf: 5 }] } }),
    fits: [{ n: 30 }],
    refused: [{ n: 2 }, { n: 6 }, { n: 15 }],
  },
  {
    title: "oneOf with branches that overlap",
    schema: object({ v: { oneOf: [{ type: "integer" }, { minimum: 2 }] } }),
    fits: [{ v: 1 }, { v: 2.5 }],
    refused: [{ v: 3 }, { v: 1.5 }],
  },
  {
    title: "not with a closed schema",
    schema: object({ v: { not: object({ foo: { type: "string" } }, { required: ["foo"] }) } }),
    fits: [{ v: { foo: 1 } }, { v: 1 }],
    refused: [{ v: { foo: "x" } }],
  },
  {
    title: "patternProperties with additionalProperties",
    schema: { type: "object", patternProperties: { "^n_": integer }, additionalProperties: { type: "string" } },
    fits: [{ n_1: 1, other: "x" }],
    refused: [{ n_1: "x" }, { other: 1 }],
  },
  {
    title: "propertyNames",
    schema: { type: "object", propertyNames: { maxLength: 3 } },
    fits: [{ abc: 1 }],
    refused: [{ abcd: 1 }],
  },
  {
    title: "dependencies of names and schemas",
    schema: { type: "object", dependencies: { a: ["b"], c: object({ d: integer }, { required: ["d"] }) } },
    fits: [{ a: 1, b: 2 }, { c: 1, d: 2 }, { b: 1 }],
    refused: [{ a: 1 }, { c: 1 }, { c: 1, d: "x" }],
  },
  {
    title: "contains and uniqueItems",
    schema: object({ l: { type: "array", contains: { const: 1 }, uniqueItems: true } }),
    fits: [{ l: [1, 2] }],
    refused: [{ l: [2] }, { l: [1, 1] }, { l: [] }],
  },
  {
    title: "schemas that are true or false",
    schema: object({ a: true, b: false }),
    fits: [{ a: 1 }, {}],
    refused: [{ b: 1 }],
  },
  {
    title: "parameters with the names of inherited ones",
    schema: object({ constructor: integer, toString: { type: "string" } }, { required: ["constructor"] }),
    fits: [{ constructor: 1 }],
    refused: [{}, { constructor: "x" }, { constructor: 1, toString: 2 }],
  },
  {
    title: "unknown keywords, also with things like schemas",
    schema: object({ a: integer }, { "x-parts": { $anchorless: { type: 7 } }, examples: [{ $id: 3 }] }),
    fits: [{ a: 1 }],
    refused: [{ a: "x" }],
  },
];

const TUPLES: SchemaCase[] = [
  {
    title: "items as a list",
    schema: object({ l: { items: [integer, { type: "string" }], additionalItems: { type: "null" } } }),
    fits: [{ l: [1, "x", null] }, { l: [1] }],
    refused: [{ l: ["x"] }, { l: [1, "x", 2] }],
  },
];

const SINCE_DRAFT_07: SchemaCase[] = [
  {
    title: "if, then and else",
    schema: object({
      n: JSON.parse('{ "if": { "exclusiveMaximum": 0 }, "then": { "minimum": -10 }, "else": { "multipleOf": 2 } }'),
    }),
    fits: [{ n: -1 }, { n: 4 }],
    refused: [{ n: -100 }, { n: 3 }],
  },
];

const SINCE_2019: SchemaCase[] = [
  {
    title: "anchors",
    schema: object({ a: { $ref: "#number" } }, { $defs: { A: { $anchor: "number", ...integer } } }),
    fits: [{ a: 1 }],
    refused: [{ a: "x" }],
  },
  {
    title: "an anchor in an embedded document",
    schema: object(
      { a: { $ref: "inner.json#number" } },
      {
        $id: "http://localhost:1234/root",
        $defs: { A: { $id: "inner.json", $defs: { B: { $anchor: "number", ...integer } } } },
      },
    ),
    fits: [{ a: 1 }],
    refused: [{ a: "x" }],
  },
  {
    title: "a reference with keywords beside it",
    schema: object({ a: { $ref: "#/$defs/list", maxItems: 2 } }, { $defs: { list: { type: "array" } } }),
    fits: [{ a: [1] }],
    refused: [{ a: [1, 2, 3] }, { a: "x" }],
  },
  {
    title: "dependentSchemas, dependentRequired, minContains and maxContains",
    schema: object(
      { l: { contains: { const: 1 }, minContains: 2, maxContains: 3 } },
      { dependentRequired: { a: ["b"] }, dependentSchemas: { c: { required: ["d"] } } },
    ),
    fits: [{ l: [1, 1] }, { a: 1, b: 1 }, { c: 1, d: 1 }],
    refused: [{ l: [1] }, { l: [1, 1, 1, 1] }, { a: 1 }, { c: 1 }],
  },
  {
    title: "unevaluatedProperties and unevaluatedItems with a schema",
    schema: object(
      { a: integer, l: { unevaluatedItems: { type: "number" } } },
      { unevaluatedProperties: { type: "string" } },
    ),
    fits: [{ a: 1, b: "x", l: [1, 2] }],
    refused: [{ b: 1 }, { l: [true] }],
  },
];

const OF_2019: SchemaCase[] = [
  {
    title: "$recursiveRef",
    schema: object({ next: { $recursiveRef: "#" }, n: integer }, { $recursiveAnchor: true }),
    fits: [{ next: { n: 1 } }],
    refused: [{ next: { n: "x" } }],
  },
];

const OF_2020: SchemaCase[] = [
  {
    title: "prefixItems with items",
    schema: object({ l: { prefixItems: [integer], items: { type: "string" } } }),
    fits: [{ l: [1, "x"] }],
    refused: [{ l: ["x"] }, { l: [1, 2] }],
  },
  {
    title: "$dynamicRef to a $dynamicAnchor",
    schema: object({ next: { $dynamicRef: "#node" }, n: integer }, { $dynamicAnchor: "node" }),
    fits: [{ next: { n: 1 } }],
    refused: [{ next: { n: "x" } }, { next: 1 }],
  },
];

const GROUPS: readonly (readonly [dialects: readonly DialectName[], cases: readonly SchemaCase[]])[] = [
  [ALL, REFERENCES],
  [ALL, REFERENCES_INTO_DATA_NAMES],
  [ALL, APPLICATORS],
  [["draft-06", "draft-07", "2019-09"], TUPLES],
  [["draft-07", "2019-09", "2020-12"], SINCE_DRAFT_07],
  [LATER, SINCE_2019],
  [["2019-09"], OF_2019],
  [["2020-12"], OF_2020],
];

/** Every case in every dialect that has its keywords, and those of 2020-12 once more without `$schema`. */
export function* schemaCases(): Generator<SchemaCase & { dialect: DialectName }> {
  for (const [dialects, cases] of GROUPS) {
    for (const dialect of dialects) {
      for (const each of cases) {
        const schema = { $schema: DIALECT_ADDRESSES[dialect], ...each.schema };
        yield { ...each, dialect, schema, title: `${dialect}: ${each.title}` };
        if (dialect === "2020-12") yield { ...each, dialect, title: `no dialect declared: ${each.title}` };
      }
    }
  }
}
