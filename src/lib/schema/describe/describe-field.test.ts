import { describe, expect, it } from "vitest";
import type { JsonSchema, JsonValue } from "../../contract/json";
import { keySchema } from "../key-schema";
import { matchBranch } from "../match-branch";
import { branchLabels } from "./branch-labels";
import { describeField } from "./describe-field";
import { fitsField } from "./fits-field";
import { unsupportedByForm } from "./form-support";
import { emptyValue, initialArguments, sampleArguments, sampleValue, valueForBranch } from "./initial-values";
import { schemaTree } from "./schema-tree";

const of = (schema: JsonSchema | boolean, root: JsonSchema = {}) => describeField(schema, root);

describe("the kind of a field", () => {
  it.each<[JsonSchema | boolean, string]>([
    [{ type: "string" }, "string"],
    [{ type: "string", maxLength: 5000 }, "multiline"],
    [{ type: "number" }, "number"],
    [{ type: "integer" }, "integer"],
    [{ type: "boolean" }, "boolean"],
    [{ type: "null" }, "null"],
    [{ enum: ["a", "b"] }, "enum"],
    [{ type: "string", enum: [] }, "string"],
    [{ const: 1 }, "const"],
    [{ oneOf: [{ const: "a", title: "First" }, { const: "b" }] }, "enum"],
    [{ type: "object", properties: { a: true } }, "object"],
    [{ properties: { a: true } }, "object"],
    [{ type: "object", additionalProperties: { type: "number" } }, "map"],
    [{ type: "object" }, "map"],
    [{ type: "object", additionalProperties: false }, "object"],
    [{ type: "array", items: { type: "string" } }, "array"],
    [{ type: "array", prefixItems: [{ type: "string" }] }, "tuple"],
    [{ type: "array", items: [{ type: "string" }] }, "tuple"],
    [{ type: ["string", "number"] }, "union"],
    [{ anyOf: [{ type: "string" }, { type: "number" }] }, "union"],
    [{ description: "anything" }, "any"],
    [{ type: "nonsense" }, "any"],
    [true, "any"],
    [false, "any"],
  ])("%j is %s", (schema, kind) => {
    expect(of(schema).kind).toBe(kind);
  });

  it("treats a type or null as the type, with null allowed", () => {
    for (const schema of [
      { type: ["string", "null"] },
      { anyOf: [{ type: "string" }, { type: "null" }] },
      { oneOf: [{ type: "null" }, { type: "string" }] },
      { type: "string", nullable: true },
    ]) {
      expect(of(schema)).toMatchObject({ kind: "string", allowsNull: true });
    }
    expect(of({ type: ["string", "number", "null"] })).toMatchObject({ kind: "union", allowsNull: true });
    expect(of({ enum: ["a", null] })).toMatchObject({ kind: "enum", allowsNull: true, options: [{ value: "a" }] });
    expect(of({ type: "string" }).allowsNull).toBe(false);
  });

  it("offers a default and examples, a default of null or false included", () => {
    expect(of({ type: "boolean", default: false }).defaultValue).toBe(false);
    expect(of({ default: null }).defaultValue).toBeNull();
    expect(of({ type: "string", examples: ["Oslo"] })).toMatchObject({ defaultValue: undefined, examples: ["Oslo"] });
  });

  it("words limits briefly", () => {
    expect(of({ type: "integer", minimum: 1, maximum: 14 }).constraints).toBe("1–14");
    expect(of({ type: "number", exclusiveMinimum: 0, multipleOf: 0.5 }).constraints).toBe("> 0 · multiple of 0.5");
    expect(of({ type: "string", format: "email", minLength: 3, pattern: "^a" }).constraints).toBe(
      "email · at least 3 characters · matches ^a",
    );
    expect(of({ type: "array", minItems: 2, maxItems: 2, uniqueItems: true }).constraints).toBe(
      "exactly 2 items · no repeats",
    );
  });

  it("reads alternatives that only require properties as a condition, not a choice", () => {
    const field = of({
      type: "object",
      properties: { a: true, b: true },
      oneOf: [{ required: ["a"] }, { required: ["b"] }],
    });
    expect(field).toMatchObject({ kind: "object", constraints: "needs a, or b" });
  });

  it("shows a required property that is described nowhere, and takes odd names as names", () => {
    const properties: JsonSchema = JSON.parse('{"__proto__":{"type":"string"},"constructor":{"type":"number"}}');
    const field = of({ type: "object", properties, required: ["ghost", "__proto__"] });
    expect(field.properties.map(({ name, required }) => [name, required])).toEqual([
      ["__proto__", true],
      ["constructor", false],
      ["ghost", true],
    ]);
  });

  it("gives extra keys the schema of their pattern, then of additionalProperties, else none", () => {
    const field = of({
      type: "object",
      properties: { a: true },
      patternProperties: { "^x-": { type: "number" }, "(": { type: "null" } },
      additionalProperties: { type: "boolean" },
    });
    expect(keySchema(field, "x-1")).toEqual({ schema: { type: "number" }, extra: false });
    expect(keySchema(field, "y")).toEqual({ schema: { type: "boolean" }, extra: false });
    expect(keySchema(of({ type: "object", properties: { a: true } }), "y")).toEqual({ schema: true, extra: true });
  });

  it("fits only what the control can show unchanged", () => {
    const fits = (schema: JsonSchema, value: JsonValue) => fitsField(of(schema), value);
    expect(fits({ type: "string" }, "")).toBe(true);
    expect(fits({ type: "string" }, "a\nb")).toBe(true);
    expect(fits({ type: "string" }, "a\r\nb")).toBe(false);
    expect(fits({ type: "string" }, { a: 1 })).toBe(false);
    expect(fits({ type: "integer" }, 1.5)).toBe(true);
    expect(fits({ type: "integer" }, "1.")).toBe(true);
    expect(fits({ type: "integer" }, "12")).toBe(false);
    expect(fits({ type: "boolean" }, "true")).toBe(false);
    expect(fits({ enum: ["a"] }, "kelvin")).toBe(true);
    expect(fits({ enum: ["a"] }, ["a"])).toBe(false);
    expect(fits({ type: "array" }, {})).toBe(false);
    expect(fits({ type: "object" }, [])).toBe(false);
  });
});

describe("unions", () => {
  const circle: JsonSchema = {
    type: "object",
    properties: { kind: { const: "circle" }, name: { type: "string" }, r: { type: "number" } },
    required: ["kind", "r"],
  };
  const box: JsonSchema = {
    type: "object",
    properties: { kind: { const: "box" }, name: { type: "string" }, w: { type: "number" } },
    required: ["kind", "w"],
  };
  const branches = [
    { type: "string" },
    circle,
    box,
    { type: "array", items: { type: "integer" } },
    { type: "integer" },
    { type: "number" },
  ];

  it.each<[JsonValue, number]>([
    ["text", 0],
    [{ kind: "circle", r: 1 }, 1],
    [{ kind: "box" }, 2],
    [{ w: 3 }, 2],
    [[1], 3],
    [7, 4],
    [7.5, 5],
    [true, -1],
    [null, -1],
  ])("finds the branch of %j", (value, index) => {
    expect(matchBranch(value, branches, {})).toBe(index);
  });

  it("names branches by title, discriminator, reference or type, and numbers those that read the same", () => {
    const root: JsonSchema = { $defs: { Place: { type: "object" } } };
    const labels = branchLabels(
      [{ title: "Named" }, circle, { $ref: "#/$defs/Place" }, { type: "string" }, { type: "string" }],
      root,
    );
    expect(labels).toEqual(["Named", 'kind: "circle"', "Place", "string (1)", "string (2)"]);
  });

  it("goes over to another branch with its constants and what both share", () => {
    expect(valueForBranch(box, { kind: "circle", name: "n", r: 1 }, {})).toEqual({ kind: "box", name: "n" });
    expect(valueForBranch({ type: "string" }, 5, {})).toBe("");
    expect(valueForBranch({ type: "number" }, 5, {})).toBe(5);
  });
});

describe("sample values", () => {
  it("hold what is required, by example, default, option, format and bounds", () => {
    const schema: JsonSchema = {
      type: "object",
      required: ["a", "b", "c", "d", "e", "list"],
      properties: {
        a: { type: "string", examples: ["Oslo"] },
        b: { enum: ["x", "y"] },
        c: { type: "integer", minimum: 5, multipleOf: 4 },
        d: { type: "string", format: "email" },
        e: { type: "number", exclusiveMaximum: -1 },
        list: { type: "array", minItems: 2, items: { type: "boolean" } },
        optional: { type: "string" },
      },
    };
    expect(sampleValue(schema, schema)).toEqual({
      a: "Oslo",
      b: "x",
      c: 8,
      d: "name@example.com",
      e: -1.5,
      list: [false, false],
    });
  });

  it("of a tool that requires nothing hold what it takes", () => {
    const schema: JsonSchema = { type: "object", properties: { city: { type: "string" }, days: { type: "integer" } } };
    expect([sampleArguments(schema), sampleArguments({ type: "object" })]).toEqual([{ city: "text", days: 0 }, {}]);
    expect(sampleArguments({ ...schema, required: ["days"] })).toEqual({ days: 0 });
  });

  it("a form begins with its required objects, and with defaults where they are wanted", () => {
    const unit: JsonSchema = { type: "string", default: "c" };
    const place: JsonSchema = { type: "object", properties: { unit, name: { type: "string" } }, required: ["unit"] };
    const properties = { place, other: place, unit };
    const schema: JsonSchema = { type: "object", properties, required: ["place", "unit"] };
    expect(initialArguments(schema, false)).toEqual({ place: {} });
    expect(initialArguments(schema, true)).toEqual({ place: { unit: "c" }, unit: "c" });
    const endless: JsonSchema = { type: "object", properties: { again: { $ref: "#" } }, required: ["again"] };
    expect(JSON.stringify(initialArguments(endless, false)).length).toBeLessThan(100);
  });

  it("end for a schema that requires itself", () => {
    const schema: JsonSchema = { type: "object", properties: { again: { $ref: "#" } }, required: ["again"] };
    expect(JSON.stringify(sampleValue(schema, schema)).length).toBeLessThan(400);
    const union: JsonSchema = { anyOf: [{ type: "array", items: { $ref: "#" }, minItems: 1 }, { type: "string" }] };
    expect(Array.isArray(sampleValue(union, union))).toBe(true);
    expect(emptyValue(of(union, union), union)).toEqual([]);
  });
});

describe("the definition view", () => {
  const schema: JsonSchema = {
    type: "object",
    required: ["location"],
    properties: {
      location: { type: "string", description: "City" },
      units: { enum: ["celsius", "fahrenheit"], default: "celsius" },
      days: { type: "integer", minimum: 1, maximum: 14 },
      alerts: { type: "object", properties: { email: { type: "string", format: "email" } } },
      tree: { $ref: "#/$defs/node" },
    },
    $defs: { node: { type: "object", properties: { children: { type: "array", items: { $ref: "#/$defs/node" } } } } },
  };

  it("lists properties with type, limits, default and depth", () => {
    const rows = schemaTree(schema);
    expect(rows.map(({ name, typeText, depth }) => [name, typeText, depth])).toEqual([
      ["location", "string", 0],
      ["units", '"celsius" | "fahrenheit"', 0],
      ["days", "integer", 0],
      ["alerts", "object", 0],
      ["email", "string", 1],
      ["tree", "object", 0],
      ["children", "object[]", 1],
    ]);
    expect(rows[0]).toMatchObject({ required: true, description: "City", defaultText: null });
    expect(rows[1]?.defaultText).toBe('"celsius"');
    expect(rows[2]?.constraints).toBe("1–14");
  });

  it("marks what refers back and does not repeat it", () => {
    expect(
      schemaTree(schema)
        .filter((row) => row.recursive)
        .map((row) => row.name),
    ).toEqual(["children"]);
    const self: JsonSchema = { type: "object", properties: { self: { $ref: "#" } } };
    expect(schemaTree(self)).toHaveLength(1);
  });

  it("gives every row a key of its own and stays bounded for schemas that grow as they are read", () => {
    const grows: JsonSchema = {
      type: "object",
      properties: Object.fromEntries(
        Array.from({ length: 8 }, (_, index) => [
          `p${index}`,
          { allOf: [{ $ref: "#" }, { description: String(index) }] },
        ]),
      ),
    };
    const rows = schemaTree(grows);
    expect(rows.length).toBeLessThanOrEqual(2_000);
    expect(new Set(rows.map((row) => row.key)).size).toBe(rows.length);
  });
});

it("names what the form cannot stand for, and where", () => {
  const schema: JsonSchema = {
    type: "object",
    properties: { a: { $ref: "#/nowhere" }, b: { if: {}, else: {} }, c: { items: { not: {} } } },
  };
  expect(unsupportedByForm(schema).map(({ pointer }) => pointer)).toEqual([
    "/properties/a",
    "/properties/b",
    "/properties/c/items",
  ]);
  expect(unsupportedByForm({ type: "object", properties: { ok: { type: "string" } } })).toEqual([]);
});
