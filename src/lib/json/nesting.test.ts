import { expect, it } from "vitest";
import { isNestedDeeperThan } from "./nesting";

it("ERR-02 counts arrays and objects within each other, and stops at the limit", () => {
  expect(isNestedDeeperThan("text", 0)).toBe(false);
  expect(isNestedDeeperThan([[1], { a: [] }], 3)).toBe(false);
  expect(isNestedDeeperThan([[1], { a: [] }], 2)).toBe(true);
  const deep: unknown = JSON.parse("[".repeat(500_000) + "]".repeat(500_000));
  expect(isNestedDeeperThan(deep, 200)).toBe(true);
});
