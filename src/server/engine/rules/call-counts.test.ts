import fc from "fast-check";
import { expect, it } from "vitest";
import { type CountingCall, createCallCounts } from "./call-counts";

const MINUTE_MS = 60_000;
const START = 1_800_000_000_000;

interface Step {
  /** A call is made, or one of another moment is only looked at; or the process starts again. */
  kind: "call" | "look" | "restart" | "unruled";
  atMs: number;
  minutes: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom("call", "call", "call", "look", "restart", "unruled"),
  atMs: fc.integer({ min: -5 * MINUTE_MS, max: 5 * MINUTE_MS }),
  minutes: fc.constantFrom(1, 3, 10),
});

it.each([false, true])(
  "counts what the log has, over restarts, windows, moments and times without a rule (instances share it: %s)",
  async (isShared) => {
    const seen = { counted: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const log: { id: string; at: number }[] = [];
        const open = () =>
          createCallCounts({
            isShared,
            readTimes: async ({ executionId, at }, after) =>
              log
                .filter((each) => each.id !== executionId && each.at > after && each.at <= at)
                .map((each) => each.at)
                .sort((left, right) => left - right),
          });
        let counts = open();
        for (const [index, { kind, atMs, minutes }] of steps.entries()) {
          const at = START + index * MINUTE_MS + atMs;
          const call: CountingCall = { executionId: `exec_${index}`, actorId: "eve", toolName: "pay", at };
          if (kind === "restart") {
            counts = open();
          } else if (kind === "unruled") {
            counts.forget();
            log.push({ id: call.executionId, at });
          } else {
            const count = await counts.open(call, minutes);
            const expected = log.filter((each) => each.at > at - minutes * MINUTE_MS && each.at <= at).length;
            expect(count(minutes)).toBe(expected);
            seen.counted += expected;
            if (kind === "look") continue;
            counts.note(call, 10);
            // What is evaluated after the call was noted, and arguments that are decided again, do not count it.
            expect(count(minutes)).toBe(expected);
            log.push({ id: call.executionId, at });
            const again = await counts.open(call, minutes);
            counts.note(call, 10);
            expect(again(minutes)).toBe(expected);
          }
        }
      }),
      { numRuns: 300 },
    );
    expect(seen.counted).toBeGreaterThan(500);
  },
);

it("calls at one moment wait for one read, and each counts those that were decided before it", async () => {
  let reads = 0;
  const counts = createCallCounts({
    isShared: false,
    async readTimes() {
      reads += 1;
      return [START - 1];
    },
  });
  const found = await Promise.all(
    Array.from({ length: 50 }, async (_, at) => {
      const call = { executionId: `exec_${at}`, actorId: "eve", toolName: "pay", at: START };
      const count = await counts.open(call, 5);
      const before = count(5);
      counts.note(call, 5);
      return before;
    }),
  );
  expect(reads).toBe(1);
  expect(found.sort((left, right) => left - right)).toEqual(Array.from({ length: 50 }, (_, at) => at + 1));
});
