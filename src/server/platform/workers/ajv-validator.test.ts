import { describe, expect, it } from "vitest";
import { object, openValidator } from "./ajv-validator.test-support";

const { validator, findFaults } = openValidator();

describe("arguments against JSON Schema", () => {
  it("VAL-01 every missing parameter is named, nested ones by their path", async () => {
    const schema = object({ a: {}, deep: object({}, { required: ["b c"] }) }, { required: ["a", "z"] });
    expect(await findFaults(schema, { deep: {} })).toBe(
      `Invalid parameters: missing 'a'; missing 'z'; missing 'deep["b c"]'`,
    );
    expect(await findFaults(schema, { a: null, z: undefined, deep: { "b c": 1 } })).toBe(
      "Invalid parameters: missing 'z'",
    );
  });

  it("VAL-01 inherited names count as missing", async () => {
    const schema = object({}, { required: ["__proto__", "constructor", "toString"] });
    expect(await findFaults(schema, {})).toMatch(/__proto__.*constructor.*toString/);
    expect(await findFaults(schema, JSON.parse('{"__proto__":1,"constructor":1,"toString":1}'))).toBeNull();
  });

  it.each([
    [{ n: 1 }, null],
    [{ n: 1.0 }, null],
    [{ n: 1.5 }, "'n' must be integer"],
    [{ n: "1" }, "'n' must be integer"],
    [{ n: true }, "'n' must be integer"],
    [{ n: null }, "'n' must be integer"],
    [{ s: 1 }, "'s' must be string"],
    [{ b: "true" }, "'b' must be boolean"],
    [{ o: [] }, "'o' must be object"],
    [{ l: {} }, "'l' must be array"],
    [{ m: {} }, "'m' must be string or null"],
  ])("VAL-02 types are checked without coercion: %j → %j", async (args, fault) => {
    const schema = object({
      n: { type: "integer" },
      s: { type: "string" },
      b: { type: "boolean" },
      o: { type: "object" },
      l: { type: "array" },
      m: { type: ["string", "null"] },
    });
    expect(await findFaults(schema, args)).toBe(fault === null ? null : `Invalid parameters: ${fault}`);
  });

  it("VAL-03 a value outside enum lists the valid options", async () => {
    const schema = object({ unit: { enum: ["c", "f", 3, null] }, kind: { const: "x" } });
    expect(await findFaults(schema, { unit: "k", kind: "y" })).toBe(
      `Invalid parameters: 'unit' must be one of "c", "f", 3, null; 'kind' must be "x"`,
    );
  });

  it("VAL-04 undefined parameters are ignored at every depth, even where the schema closes itself", async () => {
    const closed = object(
      { a: object({ b: { type: "integer" } }, { additionalProperties: false }) },
      { additionalProperties: false },
    );
    expect(await findFaults(closed, { extra: 1, a: { b: 1, extra: 2 } })).toBeNull();
    expect(await findFaults({ ...closed, unevaluatedProperties: false }, { extra: 1 })).toBeNull();
    expect(await findFaults(object({ l: { type: "array", items: closed } }), { l: [{ x: 1 }] })).toBeNull();
    expect(await findFaults(closed, { extra: 1, a: { b: "x" } })).toBe("Invalid parameters: 'a.b' must be integer");
  });

  it("VAL-04 closed branches of a union still tell each other apart, and undefined parameters are ignored there too", async () => {
    const branch = (name: string) =>
      object({ [name]: { type: "string" } }, { additionalProperties: false, required: [name] });
    const schema = object({
      u: { oneOf: [branch("a"), { ...branch("b"), properties: { a: { type: "string" }, b: { type: "string" } } }] },
    });
    expect(await findFaults(schema, { u: { a: "1", b: "2" } })).toBeNull();
    expect(await findFaults(schema, { u: { a: "1", extra: true } })).toBeNull();
    expect(await findFaults(schema, { u: { a: 1 } })).not.toBeNull();
  });

  it("VAL-04 the value of a parameter called additionalProperties is data", async () => {
    const schema = object({ additionalProperties: { type: "boolean" } }, { required: ["additionalProperties"] });
    expect(await findFaults(schema, { additionalProperties: false })).toBeNull();
    expect(await findFaults(schema, {})).toContain("missing 'additionalProperties'");
  });

  it("VAL-05 paths name the fault in nested arrays and objects", async () => {
    const schema = object({ items: { type: "array", items: object({ price: { type: "number", minimum: 0 } }) } });
    expect(await findFaults(schema, { items: [{ price: 1 }, {}, { price: -1 }] })).toBe(
      "Invalid parameters: 'items[2].price' must be >= 0",
    );
  });

  it.each([
    [{ minLength: 3 }, "ab", "must have at least 3 characters"],
    [{ maxLength: 1 }, "ab", "must have at most 1 character"],
    [{ pattern: "^a+$" }, "b", 'must match pattern "^a+$"'],
    [{ format: "email" }, "x", 'must match format "email"'],
    [{ format: "date-time" }, "yesterday", 'must match format "date-time"'],
    [{ exclusiveMaximum: 5 }, 5, "must be < 5"],
    [{ multipleOf: 2 }, 3, "must be a multiple of 2"],
    [{ minItems: 1 }, [], "must have at least 1 item"],
    [{ uniqueItems: true }, [1, 2, 1], "must not have duplicate items (items 0 and 2 are equal)"],
    [{ minProperties: 1 }, {}, "must have at least 1 property"],
    [{ not: { type: "string" } }, "x", "must not match the excluded schema"],
  ])("VAL-05 bounds and formats: %j refuses %j", async (rule, value, message) => {
    expect(await findFaults(object({ v: rule }), { v: value })).toBe(`Invalid parameters: 'v' ${message}`);
  });

  it("VAL-05 a union's fault is one sentence about the form that was evidently meant", async () => {
    const circle = object({ kind: { const: "circle" }, radius: { type: "number" } }, { required: ["kind", "radius"] });
    const square = object({ kind: { const: "square" }, side: { type: "number" } }, { required: ["kind", "side"] });
    const schema = object(
      { shape: { oneOf: [{ $ref: "#/$defs/circle" }, { $ref: "#/$defs/square" }] } },
      { $defs: { circle, square } },
    );
    expect(await findFaults(schema, { shape: { kind: "circle" } })).toBe("Invalid parameters: missing 'shape.radius'");
    expect(await findFaults(schema, { shape: { kind: "oval" } })).toBe(
      `Invalid parameters: 'shape.kind' must be one of "circle", "square"`,
    );
    expect(await findFaults(schema, { shape: 3 })).toBe("Invalid parameters: 'shape' must be object");
    expect(await findFaults(object({ v: { oneOf: [{ type: "number" }, { minimum: 1 }] } }), { v: 2 })).toContain(
      "matches several",
    );
  });

  it.each([
    ["http://json-schema.org/draft-07/schema#", { items: [{ type: "string" }, { type: "number" }] }],
    ["https://json-schema.org/draft/2019-09/schema", { items: [{ type: "string" }, { type: "number" }] }],
    ["https://json-schema.org/draft/2020-12/schema", { prefixItems: [{ type: "string" }, { type: "number" }] }],
    [undefined, { prefixItems: [{ type: "string" }, { type: "number" }] }],
  ])("VAL-05 the dialect is chosen by $schema: %s", async ($schema, tuple) => {
    const schema = object({ pair: { type: "array", ...tuple } }, $schema === undefined ? {} : { $schema });
    expect(validator.checkSchema(schema)).toBeNull();
    expect(await findFaults(schema, { pair: ["a", 1] })).toBeNull();
    expect(await findFaults(schema, { pair: ["a", "b"] })).toBe("Invalid parameters: 'pair[1]' must be number");
  });

  it("VAL-05 two tools with the same $id do not mix", async () => {
    const withId = (type: string) =>
      object({ v: { $ref: "#/$defs/v" } }, { $id: "https://example.com/same", $defs: { v: { type } } });
    expect(await findFaults(withId("string"), { v: 1 })).toContain("must be string");
    expect(await findFaults(withId("number"), { v: 1 })).toBeNull();
  });

  it("VAL-05 recursive schemas work", async () => {
    const schema = object(
      { tree: { $ref: "#/$defs/node" } },
      { $defs: { node: object({ v: { type: "integer" }, next: { $ref: "#/$defs/node" } }, { required: ["v"] }) } },
    );
    expect(await findFaults(schema, { tree: { v: 1, next: { v: 2 } } })).toBeNull();
    expect(await findFaults(schema, { tree: { v: 1, next: { v: 2, next: {} } } })).toBe(
      "Invalid parameters: missing 'tree.next.next.v'",
    );
  });
});

describe("verdicts on awkward schemas", () => {
  const A = object({ a: { type: "integer" } }, { required: ["a"], additionalProperties: false });
  const B = object({ a: {}, b: {} }, { required: ["a", "b"], additionalProperties: false });

  it("VAL-05 a oneOf over closed forms takes what one of them takes, by reference or inline, extras or not", async () => {
    const inline = object({ v: { oneOf: [A, B] } });
    const byReference = object({ v: { oneOf: [{ $ref: "#/$defs/A" }, { $ref: "#/$defs/B" }] } }, { $defs: { A, B } });
    for (const schema of [inline, byReference]) {
      expect(await findFaults(schema, { v: { a: 1, b: 2 } })).toBeNull();
      expect(await findFaults(schema, { v: { a: 1, b: 2, x: 3 } })).toBeNull();
      expect(await findFaults(schema, { v: { b: 2 } })).not.toBeNull();
    }
  });

  it("VAL-04 parameters called like keywords are parameters", async () => {
    const schema = object({ default: { anyOf: [A] }, enum: { anyOf: [A] } });
    expect(await findFaults(schema, { default: { a: 1, extra: 1 }, enum: { a: 1, extra: 1 } })).toBeNull();
    expect(await findFaults(schema, { default: { a: "x" } })).toContain("'default.a' must be integer");
  });

  it("VAL-01 a union's fault does not hide the faults beside it", async () => {
    const schema = object(
      {},
      {
        allOf: [
          object({ x: { type: "integer" } }, { required: ["m"] }),
          { anyOf: [{ required: ["a"] }, { required: ["b"] }] },
        ],
      },
    );
    expect(await findFaults(schema, { x: "s" })).toMatch(/missing 'm'.*'x' must be integer/);
  });

  it.each([
    "http://json-schema.org/draft-06/schema#",
    "https://json-schema.org/draft-07/schema#",
    "http://json-schema.org/draft-07/schema",
    "http://json-schema.org/draft/2020-12/schema",
  ])("VAL-05 the dialect %s is known however its address is written", async ($schema) => {
    expect(await findFaults(object({ n: { type: "integer" } }, { $schema }), { n: "x" })).toContain("must be integer");
  });

  it("VAL-05 unknown keywords are ignored, as the dialects say", async () => {
    const schema = object(
      { n: { nullable: true }, id: { type: "string" } },
      { id: "some-id", "x-vendor": { deep: true } },
    );
    expect(await findFaults(schema, { n: 1, id: 5 })).toContain("'id' must be string");
  });

  it("VAL-05 patterns are Unicode where they can be and lenient where they cannot", async () => {
    const schema = object({
      word: { pattern: "^\\p{L}+$" },
      one: { pattern: "^.$" },
      dash: { pattern: "^[\\w\\-]+$" },
    });
    expect(await findFaults(schema, { word: "é", one: "😀", dash: "a-b" })).toBeNull();
    expect(await findFaults(schema, { word: "1" })).toContain("'word' must match pattern");
  });

  it("VAL-05 $async does not switch validation off", async () => {
    expect(await findFaults(object({ a: { type: "integer" } }, { $async: true }), { a: "x" })).toContain(
      "must be integer",
    );
  });
});
