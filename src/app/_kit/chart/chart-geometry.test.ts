import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CHART_HEIGHT, CHART_WIDTH, columns, roundUpMax, toY } from "./chart-geometry";

describe("the chart's geometry", () => {
  it("keeps columns apart and inside", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 90 }), (count) => {
        const all = columns(count);
        expect(all).toHaveLength(count);
        all.forEach((column, at) => {
          const next = all[at + 1];
          expect(column.x).toBeGreaterThanOrEqual(0);
          expect(column.x + column.width).toBeLessThanOrEqual(next?.x ?? CHART_WIDTH);
        });
      }),
    );
  });

  it("ends the axis at a round figure that holds every value", () => {
    expect(roundUpMax([])).toBe(1);
    expect(roundUpMax([0, 0])).toBe(1);
    expect(roundUpMax([3])).toBe(5);
    expect(roundUpMax([1_001])).toBe(2_000);
    expect(roundUpMax([0.41])).toBeCloseTo(0.5);
    fc.assert(
      fc.property(fc.double({ min: 1e-4, max: 1e9, noNaN: true }), (value) => {
        expect(roundUpMax([value])).toBeGreaterThanOrEqual(value);
        expect(roundUpMax([value])).toBeLessThanOrEqual(value * 2.51);
      }),
    );
  });

  it("draws nothing as nothing, and one in a million still visibly", () => {
    expect(toY(0, 10)).toBe(CHART_HEIGHT);
    expect(toY(1, 1_000_000)).toBe(CHART_HEIGHT - 1);
    expect(toY(10, 10)).toBe(0);
  });
});
