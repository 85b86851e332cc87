import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CONFORMANCE_OUTCOMES } from "../contract/conformance-outcome";
import { compareChecks, countOutcomes, sortChecks } from "./compare-checks";

const outcome = fc.constantFrom(...CONFORMANCE_OUTCOMES);
/** Runs of checks out of a few, so that two of them share some. */
const run = fc
  .dictionary(fc.constantFrom("a", "b", "c", "d", "e"), outcome)
  .map((found) => Object.entries(found).map(([id, each]) => ({ id, outcome: each })));
const read = (checks: readonly { id: string; outcome: string }[], id: string) =>
  checks.find((each) => each.id === id)?.outcome;

describe("two runs of checks", () => {
  it("differ in what failed in one of them, and in nothing else", () => {
    fc.assert(
      fc.property(run, run, (before, now) => {
        const { newFailures, fixed } = compareChecks({ id: "before", checks: before }, now);
        for (const id of ["a", "b", "c", "d", "e"]) {
          const was = read(before, id);
          const is = read(now, id);
          expect(newFailures.includes(id)).toBe(is === "failed" && was !== "failed");
          expect(fixed.includes(id)).toBe(is === "passed" && was === "failed");
        }
      }),
    );
  });

  it("do not differ where they are one, and a first run has only new failures", () => {
    fc.assert(
      fc.property(run, (checks) => {
        const same = compareChecks({ id: "same", checks }, checks);
        expect(same).toEqual({ before: "same", newFailures: [], fixed: [] });
        const failed = checks.filter((each) => each.outcome === "failed").map(({ id }) => id);
        expect(compareChecks(null, checks)).toEqual({ before: null, newFailures: failed, fixed: [] });
      }),
    );
  });
});

it("checks are counted whole, and sorted by outcome without a change of order within it", () => {
  fc.assert(
    fc.property(run, (checks) => {
      const counts = countOutcomes(checks);
      expect(Object.values(counts).reduce((sum, each) => sum + each, 0)).toBe(checks.length);
      const expected = CONFORMANCE_OUTCOMES.flatMap((each) => checks.filter((check) => check.outcome === each));
      expect(sortChecks(checks)).toEqual(expected);
    }),
  );
});
