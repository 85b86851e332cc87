import { describe, expect, it } from "vitest";
import { faultsOf, object, validator } from "./ajv-validator.test-support";
import { validationCost } from "./schema-risk";

describe("validation that explodes", () => {
  it("REG-04 a small schema whose references multiply compiles at once", () => {
    const big = object(Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`p${i}`, { type: "string" }])));
    const uses = Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`u${i}`, { $ref: "#/$defs/big" }]));
    expect(validator.checkSchema(object(uses, { $defs: { big } }))).toBeNull();
    // Inlined, it would take minutes.
  });

  it("VAL-03 a hundred thousand faults are counted and the first are told", async () => {
    const schema = object({ v: { anyOf: [{ type: "array", items: { type: "integer" } }, { type: "null" }] } });
    expect(await faultsOf(schema, { v: Array.from({ length: 100_000 }, () => "x") })).toContain("more");
  });

  it("VAL-05 a format that backtracks is ended by the same limit", async () => {
    expect(validationCost(object({ a: { format: "url" } }))).toBe(Number.POSITIVE_INFINITY);
    expect(validationCost(object({ a: { format: "date-time" } }))).toBeLessThan(20);
  });

  it("VAL-05 a pattern that backtracks without end is ended by its time limit while other calls go on, and the next is judged", async () => {
    const hostile = object({ a: { type: "string", pattern: "^(a+)+$" } });
    const judged: string[] = [];
    const exploding = faultsOf(hostile, { a: `${"a".repeat(60)}!` }).then((fault) => {
      judged.push("hostile");
      return fault;
    });
    await faultsOf(object({ n: { type: "integer" } }), { n: 1 });
    judged.push("ordinary");
    await new Promise((resolve) => setTimeout(resolve, 50));
    judged.push("timer");
    expect(await exploding).toContain("took longer than 1500 ms");
    expect(judged).toEqual(["ordinary", "timer", "hostile"]);
    expect(await faultsOf(hostile, { a: "aaa" })).toBeNull();
    expect(await faultsOf(hostile, { a: "b" })).toContain("must match pattern");
  });

  it("VAL-05 uniqueItems on many objects is ended by the same limit", async () => {
    const many = Array.from({ length: 60_000 }, (_, i) => ({ i, pad: "x" }));
    expect(await faultsOf(object({ l: { type: "array", uniqueItems: true } }), { l: many })).toContain(
      "took longer than",
    );
  });

  it("VAL-05 references that multiply are ended by the same limit", async () => {
    const $defs: Record<string, unknown> = { d0: { type: "object", minProperties: 0 } };
    for (let i = 1; i <= 40; i += 1)
      $defs[`d${i}`] = { allOf: [{ $ref: `#/$defs/d${i - 1}` }, { $ref: `#/$defs/d${i - 1}` }] };
    expect(await faultsOf(object({ v: { $ref: "#/$defs/d40" } }, { $defs }), { v: {} })).toContain("took longer than");
  });

  it("VAL-05 the cost of a schema says which need a thread that can be ended", () => {
    expect(validationCost(object({ a: { type: "string" }, b: { enum: [1, 2] } }))).toBeLessThan(20);
    expect(validationCost(object({ a: { pattern: "x" } }))).toBe(Number.POSITIVE_INFINITY);
    expect(validationCost(object({ pattern: { type: "string" } }))).toBeLessThan(20);
    expect(validationCost(object({ a: { $ref: "#" } }))).toBe(Number.POSITIVE_INFINITY);
    expect(validationCost(object({ a: { $ref: "#/$defs/x" } }, { $defs: { x: { type: "string" } } }))).toBeLessThan(20);
  });
});
