import { expect, it } from "vitest";
import { Allowance, isBoundedJson } from "./message-bounds";

it("takes JSON within the limits", () => {
  expect(isBoundedJson({ a: [1, "x", null, { b: true }], c: undefined })).toBe(true);
  expect(isBoundedJson("x".repeat(10), 10)).toBe(true);
});

it.each<[string, () => unknown]>([
  ["text that is too long", () => "x".repeat(1_000_001)],
  ["too many values", () => Array.from({ length: 60_000 }, () => 0)],
  ["a sparse list", () => new Array(4_000_000_000)],
  ["many long keys", () => Object.fromEntries(Array.from({ length: 2000 }, (_, at) => ["k".repeat(1000) + at, 1]))],
  ["a map", () => new Map([["a", 1]])],
  ["a buffer", () => new Uint8Array(10)],
  ["a date in a list", () => [new Date()]],
  ["a function", () => () => undefined],
  [
    "a cycle",
    () => {
      const cycle: Record<string, unknown> = {};
      cycle.self = cycle;
      return cycle;
    },
  ],
])("refuses %s", (_, make) => {
  expect(isBoundedJson(make())).toBe(false);
});

it("allows a burst, then as many as time gives back", () => {
  let now = 0;
  const allowance = new Allowance(2, 1, () => now);
  const take = () => allowance.take();
  expect([take(), take(), take()]).toEqual([true, true, false]);
  now = 1000;
  expect([take(), take()]).toEqual([true, false]);
  now = 100_000;
  expect([take(), take(), take()]).toEqual([true, true, false]);
});
