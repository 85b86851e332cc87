import fc from "fast-check";
import { expect, it } from "vitest";
import { canonicalJson } from "./canonical-json";
import { hasMoreValuesThan, isNestedDeeperThan, isWholeJson, MAX_JSON_LEVELS, writeJson } from "./limits";

it("ERR-02 counts arrays and objects within each other, and stops at the limit", () => {
  expect(isNestedDeeperThan("text", 0)).toBe(false);
  expect(isNestedDeeperThan([[1], { a: [] }], 3)).toBe(false);
  expect(isNestedDeeperThan([[1], { a: [] }], 2)).toBe(true);
  const deep: unknown = JSON.parse("[".repeat(500_000) + "]".repeat(500_000));
  expect(isNestedDeeperThan(deep, 200)).toBe(true);
});

const nest = (levels: number): unknown => JSON.parse("[".repeat(levels) + "]".repeat(levels));

it.each([MAX_JSON_LEVELS + 1, 5000, 100_000, 1_000_000])(
  "ERR-02 JSON of %i levels is refused by the count, whatever the engine could write",
  (levels) => {
    expect(() => writeJson(nest(levels))).toThrow("the value is nested deeper than 1000 levels");
    expect(canonicalJson(nest(levels))).toBe('"(nested too deeply)"');
  },
);

it("ERR-02 JSON at the limit is written", () => {
  expect(writeJson(nest(MAX_JSON_LEVELS))).toHaveLength(2 * MAX_JSON_LEVELS);
  expect(canonicalJson(nest(MAX_JSON_LEVELS))).toHaveLength(2 * MAX_JSON_LEVELS);
  expect(writeJson(undefined)).toBeUndefined();
});

it("counts the values of a text as the parsed value has them, empty lists and objects up to twice", () => {
  const count = (value: unknown): [values: number, empty: number] => {
    if (typeof value !== "object" || value === null) return [1, 0];
    const parts = Object.values(value).map(count);
    const own: [number, number] = [1, parts.length === 0 ? 1 : 0];
    return parts.reduce((sum, each) => [sum[0] + each[0], sum[1] + each[1]], own);
  };
  fc.assert(
    fc.property(fc.json({ stringUnit: "binary" }), fc.integer({ min: 1, max: 12 }), (text, most) => {
      const [values, empty] = count(JSON.parse(text));
      if (values > most) expect(hasMoreValuesThan(text, most)).toBe(true);
      if (values + empty <= most) expect(hasMoreValuesThan(text, most)).toBe(false);
    }),
    { numRuns: 500 },
  );
});

it("tells a whole text from the beginning of one", () => {
  const container = fc.jsonValue({ stringUnit: "binary" }).map((value) => JSON.stringify([value]));
  fc.assert(
    fc.property(container, fc.nat(), (text, cut) => {
      expect(isWholeJson(text)).toBe(true);
      expect(isWholeJson(text.slice(0, 1 + (cut % (text.length - 1))))).toBe(false);
    }),
    { numRuns: 500 },
  );
});
