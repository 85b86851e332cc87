import { expect, it } from "vitest";
import { compareRates, wilsonInterval } from "./wilson-interval";

it("an interval of a rate is Wilson's, stays within 0 and 1, and narrows with attempts", () => {
  // Values of the formula's reference: 8 of 10 is 49.0 % to 94.3 %.
  expect(wilsonInterval(8, 10).low).toBeCloseTo(0.4902, 3);
  expect(wilsonInterval(8, 10).high).toBeCloseTo(0.9433, 3);
  expect(wilsonInterval(0, 10).low).toBe(0);
  expect(wilsonInterval(10, 10).high).toBe(1);
  expect(wilsonInterval(0, 0)).toEqual({ low: 0, high: 1 });
  expect(wilsonInterval(800, 1000).low).toBeGreaterThan(0.77);
});

it("two rates differ only where chance does not explain it", () => {
  expect(compareRates([8, 10], [6, 10])).toBe("chance");
  expect(compareRates([90, 100], [60, 100])).toBe("worse");
  expect(compareRates([60, 100], [90, 100])).toBe("better");
  expect(compareRates([0, 0], [5, 5])).toBe("chance");
});
