import { describe, expect, it } from "vitest";
import type { JsonSchema, JsonValue } from "../contract/json";
import { branchLabels } from "./describe/branch-labels";
import { describeField, type FieldDescription } from "./describe/describe-field";
import { unsupportedByForm } from "./describe/form-support";
import { sampleValue, valueForBranch } from "./describe/initial-values";
import { schemaTree } from "./describe/schema-tree";
import { describeType, describeTypeWithValues } from "./describe/type-label";
import { effectiveSchema } from "./effective-schema";
import { HOSTILE_SCHEMAS } from "./hostile-schemas.test-support";
import { keySchema } from "./key-schema";
import { fitScore, matchBranch } from "./match-branch";
import { REFERENCE_SCHEMAS } from "./reference-schemas.test-support";
import { TOO_LARGE_FOR_FORM } from "./step-budget";

/** Processor time. Generous: these took minutes, or never ended. */
const MAX_MS = 2_000;

function nestedValue(depth: number): JsonValue {
  let value: JsonValue = { leaf: "x" };
  for (let level = 0; level < depth; level += 1) value = { a: value, b: value, value, k0: 1, shared: "s" };
  return value;
}

function firstPlaces(schema: JsonSchema): FieldDescription[] {
  const root = describeField(schema, schema);
  return [root, ...root.properties.slice(0, 50).map((property) => describeField(property.schema, schema))];
}

const WALKS: Record<string, (schema: JsonSchema) => unknown> = {
  "spelling it out": (schema) => firstPlaces(schema).map((field) => effectiveSchema(field.schema, schema)),
  "describing its fields": firstPlaces,
  "labels of types": (schema) =>
    firstPlaces(schema).map((field) => [
      describeType(field.schema, schema),
      describeTypeWithValues(field.schema, schema),
    ]),
  "labels of branches": (schema) => firstPlaces(schema).map((field) => branchLabels(field.branches, schema)),
  "choosing a branch": (schema) =>
    firstPlaces(schema).map((field) => field.branches.map((branch) => valueForBranch(branch, nestedValue(4), schema))),
  "matching a value": (schema) =>
    firstPlaces(schema).map((field) => [
      matchBranch(nestedValue(8), field.branches, schema),
      fitScore(nestedValue(8), field.schema, schema),
    ]),
  "a sample": (schema) => sampleValue(schema, schema),
  "the tree of its parts": schemaTree,
  "what the form cannot show": unsupportedByForm,
};

describe.each(Object.entries(HOSTILE_SCHEMAS))("%s", (_name, written) => {
  it.each(Object.entries(WALKS))("does not hold up %s, and what comes of it stays small", (_walk, run) => {
    // A copy of its own: nothing is remembered from another test.
    const schema: JsonSchema = JSON.parse(JSON.stringify(written));
    const started = process.cpuUsage();
    const result = run(schema);
    const { user, system } = process.cpuUsage(started);
    expect((user + system) / 1000).toBeLessThan(MAX_MS);
    if (run === WALKS["a sample"]) expect(JSON.stringify(result).length).toBeLessThan(1_000_000);
    if (run === WALKS["the tree of its parts"]) expect(JSON.stringify(result).length).toBeLessThan(2_000_000);
  });
});

it("finds what an exponential allOf comes to, because each part is expanded once", () => {
  const schema = structuredClone(HOSTILE_SCHEMAS["allOf that refers twice to the next level, 40 levels"] as JsonSchema);
  const [, value] = firstPlaces(schema);
  expect(value).toMatchObject({ kind: "object", problem: null, typeLabel: "object" });
  expect(value?.properties.map(({ name }) => name)).toEqual(["leaf"]);
  expect(sampleValue(schema, schema)).toEqual({ value: { leaf: "text" } });
  expect(schemaTree(schema).map(({ name, depth }) => [name, depth])).toEqual([
    ["value", 0],
    ["leaf", 1],
  ]);
});

it("says that a place is too large to show as a form, and still shows the places beside it", () => {
  const huge = Object.fromEntries(Array.from({ length: 9_000 }, (_, at) => [`p${at}`, { type: "string" }]));
  const schema: JsonSchema = {
    type: "object",
    properties: {
      large: { allOf: [{ properties: huge }, { properties: { ...huge, x: {} } }, { properties: huge }] },
      plain: { type: "integer" },
    },
  };
  const [, large, plain] = firstPlaces(schema);
  expect(large).toMatchObject({ kind: "any", problem: TOO_LARGE_FOR_FORM });
  expect(plain).toMatchObject({ kind: "integer", problem: null });
});

it("edits a choice among thousands of forms as JSON, and cuts descriptions of any length", () => {
  const union = HOSTILE_SCHEMAS["a union of 3000 forms"] as JsonSchema;
  expect(firstPlaces(union)[1]).toMatchObject({ kind: "any", problem: TOO_LARGE_FOR_FORM, branches: [] });
  const repeated = HOSTILE_SCHEMAS["a large default that 300 properties refer to"] as JsonSchema;
  expect(firstPlaces(repeated)[1]?.description).toHaveLength(4_001);
});

it("opens recursion level by level", () => {
  const schema: JsonSchema = { type: "object", properties: { a: { $ref: "#" } } };
  let field = describeField(schema, schema);
  for (let level = 0; level < 200; level += 1) {
    const [property] = field.properties;
    field = describeField(property?.schema ?? false, schema);
    expect(field).toMatchObject({ kind: "object", problem: null });
  }
  expect(schemaTree(schema)).toMatchObject([{ name: "a", recursive: true }]);
});

it("lists arrays of arrays by their innermost elements, and ends for an array of itself", () => {
  const matrix: JsonSchema = {
    type: "object",
    properties: { m: { type: "array", items: { type: "array", items: { type: "object", properties: { x: {} } } } } },
  };
  expect(schemaTree(matrix).map(({ key, name }) => [key, name])).toEqual([
    ["/m", "m"],
    ["/m/-/-/x", "x"],
  ]);
  expect(schemaTree(HOSTILE_SCHEMAS["an array of itself"] as JsonSchema).map(({ name }) => name)).toEqual(["list"]);
});

it("matches keys by ordinary patterns and never runs one that can take exponential time", () => {
  const schema: JsonSchema = {
    type: "object",
    patternProperties: { "^x-[a-z]+$": { type: "string" }, "(a+)+$": { type: "integer" }, "^(\\w*\\s?)*$": {} },
  };
  const field = describeField(schema, schema);
  expect(keySchema(field, "x-name").schema).toEqual({ type: "string" });
  const before = process.cpuUsage();
  for (const key of ["a".repeat(40), `${"a".repeat(60)}!`]) keySchema(field, key);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(MAX_MS);
});

describe.each(REFERENCE_SCHEMAS)("VAL-05 a form reads $title", ({ schema, kinds = {} }) => {
  it("with the schema that each reference means", () => {
    const { properties } = describeField(schema, schema);
    const found = properties.map(({ name, schema: node }) => [name, describeField(node, schema).kind]);
    expect(Object.fromEntries(found)).toMatchObject(kinds);
  });

  it.each(Object.entries(WALKS))("and %s ends", (_walk, run) => {
    expect(() => run(structuredClone(schema))).not.toThrow();
  });
});

it("VAL-05 a dynamic reference leads to the outermost anchor of that name", () => {
  const schema = REFERENCE_SCHEMAS.find(({ title }) => title.startsWith("a dynamic reference whose"))?.schema ?? {};
  const [list] = describeField(schema, schema).properties;
  const field = describeField(list?.schema ?? false, schema);
  expect(describeField(field.items, schema).kind).toBe("string");
});
