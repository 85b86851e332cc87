import { expect, it } from "vitest";
import { eventSize } from "./event-size";

it("EXE-06 an event's size is its texts and keys, and something for each value", () => {
  const size = eventSize({ type: "run_text", list: ["a".repeat(1000), 1, null, true] }, 1e6);
  expect(size).toBeGreaterThan(1000);
  expect(size).toBeLessThan(1200);
});

it("EXE-06 counting ends above its limit, and at no depth", () => {
  const many = Array.from({ length: 1000 }, () => "x".repeat(100));
  expect(eventSize(many, 5000)).toBeLessThan(5200);
  const deep = JSON.parse("[".repeat(100_000) + "]".repeat(100_000));
  expect(eventSize(deep, 1e9)).toBeGreaterThan(100_000);
});
