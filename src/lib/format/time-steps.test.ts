import fc from "fast-check";
import { expect, it } from "vitest";
import { listTimeSteps } from "./time-steps";
import { toLocalIso } from "./time-zone";

const ZONES = ["UTC", "Asia/Tokyo", "America/New_York", "Asia/Kolkata"];
const LATEST = Date.UTC(2030, 0, 1);

it("steps cover the whole range without gaps, are at most 62, and begin at midnight of the zone where they are days", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: Date.UTC(2020, 0, 1), max: LATEST }),
      fc.integer({ min: 0, max: 6 * 365 * 86_400_000 }),
      fc.constantFrom(...ZONES),
      (since, length, zone) => {
        const until = Math.min(since + length, LATEST);
        const { starts, end } = listTimeSteps(since, until, zone);
        expect(starts.length).toBeGreaterThan(0);
        expect(starts.length).toBeLessThanOrEqual(62);
        expect(starts[0]).toBeLessThanOrEqual(since);
        expect(starts[1] ?? end).toBeGreaterThan(since);
        expect(end).toBeGreaterThan(until);
        expect(starts.at(-1)).toBeLessThanOrEqual(until);
        expect(starts.every((start, at) => start < (starts[at + 1] ?? end))).toBe(true);
        if (until - since > 40 * 86_400_000) {
          for (const start of starts) expect(toLocalIso(start, zone).slice(11)).toBe("00:00:00.000");
        }
      },
    ),
    { seed: 29, numRuns: 300 },
  );
});
