import { expect, it } from "vitest";
import { changeHistogram, fromBucket, Histogram, toBucket } from "./histogram";

/** A repeatable sequence of numbers from 0 to 1. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] as number;
}

it("percentiles are within 2% on uniform, exponential, log-normal, two-peaked and single-valued durations", () => {
  const random = createRandom(7);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const distributions: readonly (() => number)[] = [
    () => random() * 900,
    () => -Math.log(1 - random()) * 40,
    () => Math.exp(normal() * 2 + 4),
    () => (random() < 0.94 ? 2 + random() : 5_000 + random() * 100),
    () => 17,
    () => 0.001 + random() * 0.5,
    () => random() * 1e9,
  ];
  for (const draw of distributions) {
    for (const size of [1, 2, 7, 100, 10_000]) {
      const values = Array.from({ length: size }, () => Math.max(0.001, Math.round(draw() * 1_000) / 1_000));
      const histogram = new Histogram();
      // In two or seven parts, which are merged by their texts.
      const parts = Array.from({ length: size === 100 ? 7 : 2 }, () => new Histogram());
      for (const value of values) parts[Math.floor(random() * parts.length)]?.add(toBucket(value), 1);
      for (const part of parts) histogram.addText(part.encode());
      expect(parts.reduce((sum, part) => sum + part.total, 0)).toBe(size);
      const shares = [0.5, 0.95, 0.99] as const;
      const whole = new Histogram();
      for (const value of values) whole.add(toBucket(value), 1);
      expect(histogram.percentiles(shares)).toEqual(whole.percentiles(shares));
      histogram.percentiles(shares).forEach((figure, at) => {
        const exact = percentile(values, shares[at] ?? 0);
        expect(Math.abs((figure ?? 0) - exact) / exact).toBeLessThan(0.02);
      });
    }
  }
});

it("every bucket's value is in that bucket, and zero stays zero", () => {
  for (let bucket = 0; bucket < 1_300; bucket += 1) expect(toBucket(fromBucket(bucket))).toBe(bucket);
  for (const power of [0.001, 0.01, 1, 10, 1_000, 1e6]) expect(toBucket(power) + 1).toBe(toBucket(power * 1.0001));
  expect([toBucket(0), toBucket(-1), toBucket(Number.NaN), fromBucket(0)]).toEqual([0, 0, 0, 0]);
});

it("what is taken out again leaves an empty text, and none gets below zero", () => {
  const changes = new Map([
    [3, 2],
    [900, 70_000],
  ]);
  const text = changeHistogram("", changes);
  const histogram = new Histogram();
  histogram.addText(text);
  expect(histogram.total).toBe(70_002);
  expect(changeHistogram(text, new Map([...changes].map(([bucket, count]) => [bucket, -count])))).toBe("");
  expect(changeHistogram("", new Map([[5, -1]]))).toBe("");
  expect(new Histogram().percentiles([0.5])).toEqual([null]);
});
