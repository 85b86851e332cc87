import { afterEach, describe, expect, it, vi } from "vitest";
import { createSample } from "./sample.test-support";

afterEach(() => vi.unstubAllEnvs());

describe("the sample of a walk", () => {
  const cases = Array.from({ length: 23 }, (_, at) => at);
  const take = (seed: string, name: string): number[] => {
    vi.stubEnv("TOOLROOM_TEST_SAMPLE", seed);
    return cases.filter(createSample(7, name));
  };

  it("is everything in continuous integration", () => {
    expect(take("all", "tools.list")).toEqual(cases);
  });

  it("is the same for a seed, and seven seeds one after the other take every case once", () => {
    expect(take("185438461", "tools.list")).toEqual(take("185438461", "tools.list"));
    const taken = Array.from({ length: 7 }, (_, more) => take(String(185_438_461 + more), "tools.list")).flat();
    expect(taken.sort((one, other) => one - other)).toEqual(cases);
  });
});
