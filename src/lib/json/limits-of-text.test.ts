import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseJsonInSlices } from "../parse-in-slices";
import { assertWithinLimits, isBeyondLimits } from "./limits";

const refuses = (text: string, most: { inOne?: number; inAll?: number; containers?: number }): boolean => {
  try {
    assertWithinLimits(text, most);
    return false;
  } catch (error) {
    if (!isBeyondLimits(error)) throw error;
    return true;
  }
};

function count(value: unknown): { all: number; widest: number } {
  if (typeof value !== "object" || value === null) return { all: 0, widest: 0 };
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  const parts = Object.values(value).map(count);
  return {
    all: parts.reduce((sum, { all }) => sum + all, own),
    widest: Math.max(own, ...parts.map(({ widest }) => widest)),
  };
}

describe("the keys of a text", () => {
  it("are counted as the parsed objects have them", () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: "binary" }), fc.nat(4), (text, most) => {
        const { all, widest } = count(JSON.parse(text));
        expect(refuses(text, { inOne: most })).toBe(widest > most);
        expect(refuses(text, { inAll: most })).toBe(all > most);
      }),
      { numRuns: 1000 },
    );
  });

  it("are counted without an end in a text that is no JSON", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'"\\{}[]:,a') }), (text) => {
        refuses(text, { inOne: 0, inAll: 0 });
      }),
    );
  });
});

function countContainers(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce<number>((sum, part) => sum + countContainers(part), 1);
}

it("lists and objects of a text are counted as the parsed value has them, at once and in slices", async () => {
  const property = fc.asyncProperty(fc.json({ stringUnit: "binary" }), fc.nat(6), async (text, containers) => {
    const isBeyond = countContainers(JSON.parse(text)) > containers;
    expect(refuses(text, { containers })).toBe(isBeyond);
    const sliced = parseJsonInSlices(text, { sliceChars: 10, maxContainers: containers });
    if (isBeyond) await expect(sliced).rejects.toSatisfy(isBeyondLimits);
    else expect(await sliced).toEqual(JSON.parse(text));
  });
  await fc.assert(property, { numRuns: 500 });
});
