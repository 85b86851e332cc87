import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { JsonSchema, JsonValue } from "../../contract/json";
import { schemaFor } from "./provider-schema";
import type { SchemaProvider } from "./schema-dialects";

const KINDS: SchemaProvider[] = ["anthropic", "openai", "openai-compatible", "gemini", "ollama"];

// Shared: each would compile its own metaschema first.
const options = { strict: false, validateFormats: false, logger: false } as const;
const newest = new Ajv2020(options);
const older = new Ajv(options);

it("arguments that fit the schema fit the provider's version of it", () => {
  fc.assert(
    fc.property(fc.constantFrom(...KINDS), schemaWithValue, (kind, [schema, value]) => {
      expect(older.validate(schema, value)).toBe(true);
      expect(newest.validate(schemaFor(kind, schema), value)).toBe(true);
    }),
    { numRuns: 150 },
  );
});

type SchemaWithValue = [JsonSchema, JsonValue];

/** A schema and a value that fits it, made together. */
const schemaAndValue = fc.letrec<{ any: SchemaWithValue }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    fc.tuple(fc.constant<JsonSchema>({ type: "string", minLength: 0, description: "text" }), fc.string()),
    fc
      .integer({ min: -50, max: 50 })
      .map<SchemaWithValue>((n) => [{ type: "integer", minimum: n, exclusiveMaximum: n + 1 }, n]),
    fc.constantFrom<JsonValue>("a", 1, true, null).map<SchemaWithValue>((value) => [{ const: value }, value]),
    fc.constantFrom<SchemaWithValue>(
      [{ enum: ["a", null, 3] }, 3],
      [{ enum: ["a", null] }, null],
      [{ type: ["string", "null"] }, null],
      [true as unknown as JsonSchema, [1]],
      [{ $ref: "#/$defs/tree" }, { kids: [{ kids: [{ kids: [{ kids: [] }] }] }] }],
      [{ not: { type: "string" } }, 4],
    ),
    fc
      .array(tie("any"), { minLength: 1, maxLength: 3 })
      .map<SchemaWithValue>((items) => [
        { type: "array", items: items.map(([schema]) => schema), additionalItems: { type: "number" } },
        [...items.map(([, value]) => value), 7],
      ]),
    tie("any").map<SchemaWithValue>(([schema, value]) => [
      { type: "array", items: schema, maxItems: 2 },
      [value, value],
    ]),
    tie("any").map<SchemaWithValue>(([schema, value]) => [
      { anyOf: [{ type: "object", required: ["zz"] }, schema] },
      value,
    ]),
    fc
      .tuple(tie("any"), tie("any"))
      .map<SchemaWithValue>(([[a, value], [b]]) => [{ anyOf: [a, b], title: "x" }, value]),
    tie("any").map<SchemaWithValue>(([schema, value]) => [{ allOf: [schema, schema, {}] }, value]),
    fc
      .dictionary(fc.constantFrom("a", "b", "type", "items"), tie("any"))
      .chain((members) =>
        fc
          .subarray(Object.keys(members))
          .map<SchemaWithValue>((required) => [
            { type: "object", properties: pick(members, 0), required, additionalProperties: false },
            pick(members, 1) as JsonValue,
          ]),
      ),
  ),
})).any;

function pick(members: Record<string, SchemaWithValue>, part: 0 | 1): JsonSchema {
  return Object.fromEntries(Object.entries(members).map(([name, pair]) => [name, pair[part]]));
}

const DEFS = { tree: { type: "object", properties: { kids: { type: "array", items: { $ref: "#/$defs/tree" } } } } };

/** The same below the root of a tool's parameters: beside it, in parts, or in one of two forms. */
const schemaWithValue: fc.Arbitrary<SchemaWithValue> = fc
  .tuple(schemaAndValue, schemaAndValue, fc.constantFrom("beside", "parts", "forms", "reference"))
  .map(([[one, first], [other, second], way]) => {
    const a: JsonSchema = { type: "object", properties: { a: one }, required: ["a"] };
    const b: JsonSchema = { properties: { b: other, kind: { const: "b" } }, required: ["b"] };
    const value = { a: first, b: second } as JsonValue;
    const $defs = { ...DEFS, a };
    if (way === "beside")
      return [{ ...a, properties: { a: one, b: other }, additionalProperties: false, $defs }, value];
    if (way === "parts") return [{ allOf: [a, b], $defs }, value];
    if (way === "reference") return [{ $ref: "#/$defs/a", $defs }, value];
    const forms = [{ ...a, additionalProperties: false }, b];
    return [{ type: "object", anyOf: forms, $defs }, { a: first } as JsonValue];
  });
