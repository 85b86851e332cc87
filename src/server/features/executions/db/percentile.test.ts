import { expect, it } from "vitest";
import { percentile } from "./call-figures";

it("percentiles are values that occurred: the nearest rank", () => {
  const hundred = Array.from({ length: 100 }, (_, index) => index + 1);
  expect([percentile(hundred, 0.5), percentile(hundred, 0.95), percentile([7], 0.95)]).toEqual([50, 95, 7]);
});
