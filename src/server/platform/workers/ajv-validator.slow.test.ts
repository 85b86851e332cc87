import { describe, expect, it } from "vitest";
import { measureLongestPause } from "../shared/longest-pause.test-support";
import { AjvValidator } from "./ajv-validator";
import { object, openValidator } from "./ajv-validator.test-support";
import { validationCost } from "./schema-risk";

const { validator, findFaults } = openValidator();

describe("validation that explodes", () => {
  it("REG-04 a small schema whose references multiply compiles at once", () => {
    const big = object(Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`p${i}`, { type: "string" }])));
    const uses = Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`u${i}`, { $ref: "#/$defs/big" }]));
    expect(validator.checkSchema(object(uses, { $defs: { big } }))).toBeNull();
    // Inlined, it would take minutes.
  });

  it("VAL-03 a hundred thousand problems are counted and the first are reported", async () => {
    const schema = object({ v: { anyOf: [{ type: "array", items: { type: "integer" } }, { type: "null" }] } });
    expect(await findFaults(schema, { v: Array.from({ length: 100_000 }, () => "x") })).toContain("more");
  });

  it("VAL-05 a format that backtracks is ended by the same limit", async () => {
    expect(validationCost(object({ a: { format: "url" } }))).toBe(Number.POSITIVE_INFINITY);
    expect(validationCost(object({ a: { format: "date-time" } }))).toBeLessThan(20);
  });

  it("VAL-05 a pattern that backtracks endlessly is ended by its time limit while other calls continue, and the next one is validated", async () => {
    const hostile = object({ a: { type: "string", pattern: "^(a+)+$" } });
    const checked: string[] = [];
    const exploding = findFaults(hostile, { a: `${"a".repeat(60)}!` }).then((fault) => {
      checked.push("hostile");
      return fault;
    });
    await findFaults(object({ n: { type: "integer" } }), { n: 1 });
    checked.push("ordinary");
    await new Promise((resolve) => setImmediate(resolve));
    checked.push("timer");
    expect(await exploding).toContain("took longer than 1500 ms");
    expect(checked).toEqual(["ordinary", "timer", "hostile"]);
    expect(await findFaults(hostile, { a: "aaa" })).toBeNull();
    expect(await findFaults(hostile, { a: "b" })).toContain("must match pattern");
  });

  it("VAL-05 uniqueItems on many objects is ended by the same limit", async () => {
    const many = Array.from({ length: 60_000 }, (_, i) => ({ i, pad: "x" }));
    expect(await findFaults(object({ l: { type: "array", uniqueItems: true } }), { l: many })).toContain(
      "took longer than",
    );
  });

  it("VAL-05 references that multiply are ended by the same limit", async () => {
    const $defs: Record<string, unknown> = { d0: { type: "object", minProperties: 0 } };
    for (let i = 1; i <= 40; i += 1)
      $defs[`d${i}`] = { allOf: [{ $ref: `#/$defs/d${i - 1}` }, { $ref: `#/$defs/d${i - 1}` }] };
    expect(await findFaults(object({ v: { $ref: "#/$defs/d40" } }, { $defs }), { v: {} })).toContain(
      "took longer than",
    );
  });

  it("VAL-05 the cost of a schema says which need a thread that can be ended", () => {
    expect(validationCost(object({ a: { type: "string" }, b: { enum: [1, 2] } }))).toBeLessThan(20);
    expect(validationCost(object({ a: { pattern: "x" } }))).toBe(Number.POSITIVE_INFINITY);
    expect(validationCost(object({ pattern: { type: "string" } }))).toBeLessThan(20);
    expect(validationCost(object({ a: { $ref: "#" } }))).toBe(Number.POSITIVE_INFINITY);
    expect(validationCost(object({ a: { $ref: "#/$defs/x" } }, { $defs: { x: { type: "string" } } }))).toBeLessThan(20);
  });
});

describe("schemas that are expensive to compile", () => {
  const large = (name: string) =>
    object(Object.fromEntries(Array.from({ length: 3000 }, (_, index) => [`${name}_${index}`, { type: "string" }])), {
      required: [`${name}_0`],
    });

  it("VAL-05 a large schema is compiled outside the main thread, and its arguments are checked", async () => {
    const schema = large("ordinary");
    const longest = await measureLongestPause(async () => {
      expect(await findFaults(schema, {})).toBe("Invalid parameters: missing 'ordinary_0'");
      expect(await findFaults(schema, { ordinary_0: "x" })).toBeNull();
    });
    expect(longest).toBeLessThan(250);
    expect(validator.uncheckedKeywords(schema)).toEqual([]);
  });

  it("VAL-05 a schema that cannot be compiled within the limit is not checked, and its note says so", async () => {
    const hasty = new AjvValidator({ home: process.cwd(), compileMs: 1, workers: 1 });
    const schema = large("hasty");
    const size = { values: 1, bytes: 2, depth: 1, unrepresentable: false };
    expect(await hasty.validate(schema, {}, size)).toEqual({ valid: true });
    expect(hasty.uncheckedKeywords(schema)).toEqual([
      { pointer: "", keyword: "", message: "The schema is not checked: it is too expensive to check" },
    ]);
    expect(hasty.validate(schema, {}, size)).toEqual({ valid: true });
    await hasty.close();
  });
});
