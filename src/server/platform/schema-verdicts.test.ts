import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../../lib/contract/json";
import { getToolVerdict } from "../../lib/schema/compare/tool-verdict";
import { RandomTools } from "./random-tools.test-support";
import { measureVerdicts } from "./schema-verdicts.test-support";
import { createValueCheck } from "./workers/schema-compiler";

/** Of each seed; all 20,000: `npm run bench:verdicts`. */
const PAIRS = 200;

function check(before: JsonSchema, after: JsonSchema, key: "inputSchema" | "outputSchema" = "inputSchema", rules = {}) {
  return getToolVerdict(
    "tool",
    { name: "tool", [key]: before },
    { name: "tool", [key]: after },
    { rules, check: createValueCheck() },
  );
}

const object = (properties: object, more: object = {}): JsonSchema => ({ type: "object", properties, ...more });

describe("verdicts on schemas", () => {
  it.each([11, 12, 13])(
    "never call a change compatible that a value refutes, and prove nine of ten breaking ones (seed %i)",
    (seed) => {
      const figures = measureVerdicts(new RandomTools(seed), PAIRS);
      expect(figures.refuted).toEqual([]);
      expect(figures.wrongWitnesses).toBe(0);
      expect(figures.breaking).toBeGreaterThan(PAIRS / 4);
      expect(figures.compatible).toBeGreaterThan(PAIRS / 4);
      expect(figures.witnessed / figures.breaking).toBeGreaterThanOrEqual(0.9);
    },
    60_000,
  );

  const kind = object({ kind: { const: "x" } }, { required: ["kind"] });
  const whenY = {
    if: object({ kind: { const: "y" } }, { required: ["kind"] }),
    ["then" as string]: { required: ["z"] },
  };
  const closed = object({ a: { type: "string" } }, { unevaluatedProperties: false });
  const both = object({}, { required: ["a", "b"] });
  it.each<[string, JsonSchema, object, JsonSchema]>([
    ["a condition that nothing meets", kind, whenY, object({ kind: {} })],
    ["names that are required anyway", both, { dependentRequired: { a: ["b"] } }, object({})],
    ["a schema that fits anyway", both, { dependentSchemas: { a: { required: ["b"] } } }, object({ a: {} })],
    [
      "a rest that is refused already",
      { ...closed, $defs: { one: { type: "string" } } },
      { $defs: {}, unevaluatedProperties: false },
      object({ a: { type: "string" } }),
    ],
    [
      "an element that is demanded already",
      object({ list: { type: "array", contains: { const: "x" } } }),
      { properties: { list: { type: "array", contains: { type: "string" } } } },
      object({ list: { type: "array" } }),
    ],
    [
      "what nothing fits",
      object({ a: { type: "integer", minimum: 4, maximum: 7, multipleOf: 8 } }, { required: ["a"] }),
      { minProperties: 2 },
      object({}),
    ],
  ])("prove that nothing is lost: %s", (_, before, more, wider) => {
    expect(check(before, { ...before, ...more }).outcome).not.toBe("breaking");
    // The same limit on a schema that takes more is a break.
    expect(check(wider, { ...wider, ...more }).outcome).toBe("breaking");
  });

  it.each<[string, JsonSchema, JsonSchema, string, string, unknown]>([
    [
      "a new required parameter",
      object({ path: { type: "string" } }),
      object({ path: { type: "string" }, priority: { type: "integer" } }, { required: ["priority"] }),
      ...(["input.required", "priority", {}] as const),
    ],
    [
      "a removed enum value",
      object({ mode: { enum: ["fast", "slow"] } }),
      object({ mode: { enum: ["fast"] } }),
      ...(["input.values", "mode", { mode: "slow" }] as const),
    ],
    [
      "a tighter limit",
      object({ limit: { type: "integer", maximum: 100 } }, { required: ["limit"] }),
      object({ limit: { type: "integer", maximum: 50 } }, { required: ["limit"] }),
      ...(["input.limit", "limit", { limit: 51 }] as const),
    ],
    [
      "a parameter that a closed schema no longer has",
      object({ path: { const: "a" } }, { additionalProperties: false }),
      object({}, { additionalProperties: false }),
      ...(["input.property-removed", "path", { path: "a" }] as const),
    ],
  ])("shows a call that %s refuses", (_, before, after, rule, path, value) => {
    const { outcome, severity, findings } = check(before, after);
    expect({ outcome, severity }).toEqual({ outcome: "breaking", severity: "error" });
    expect(findings[0]).toMatchObject({ rule, path, severity: "error", witness: { effect: "refused", value } });
  });

  it("shows a result that was impossible before", () => {
    const { findings } = check(
      object({ state: { enum: ["open"] } }, { required: ["state"] }),
      object({ state: { enum: ["open", "closed"] } }, { required: ["state"] }),
      "outputSchema",
    );
    expect(findings[0]).toMatchObject({
      rule: "output.values",
      witness: { effect: "impossible", value: { state: "closed" } },
    });
  });

  it("shows a value whose part is no longer described, where the schema stays open", () => {
    const { outcome, findings } = check(object({ a: { const: 1 }, b: {} }), object({ b: {} }));
    expect(outcome).toBe("breaking");
    expect(findings[0]).toMatchObject({ rule: "input.property-removed", witness: { effect: "lost", value: { a: 1 } } });
  });

  it("tells a new optional parameter of an open schema from a compatible change", () => {
    const before = object({ a: { type: "string" } });
    expect(check(before, object({ a: { type: "string" }, b: { type: "string" } })).outcome).toBe("by-convention");
    expect(check(before, object({ a: { type: ["string", "null"] } })).outcome).toBe("compatible");
    const inside = (more: object) =>
      object({ list: { anyOf: [{ items: object({ a: {}, ...more }) }, { type: "null" }] } });
    expect(check(inside({}), inside({ b: { type: "string" } })).outcome).toBe("by-convention");
  });

  it("names words, and takes the severity of a rule from its settings", () => {
    const before = object({ a: { description: "one" } });
    const after = object({ a: { description: "two" } });
    expect(check(before, after)).toMatchObject({ outcome: "wording", severity: "info" });
    expect(check(before, after, "inputSchema", { "input.words": "error" })).toMatchObject({ severity: "error" });
    expect(check(before, after, "inputSchema", { "input.words": "off" })).toMatchObject({
      severity: null,
      findings: [],
    });
  });
});
