import { expect, it } from "vitest";
import { call, invocationEngine } from "./invocation.test-support";
import { runBatch } from "./invocation-batch";

it("AGT-07 starting many calls of one response leaves turns for other work", async () => {
  let turns = 0;
  let counting = true;
  const count = (): void => {
    turns += 1;
    if (counting) setImmediate(count);
  };
  const turnsAtStart: number[] = [];
  const { invocation } = invocationEngine({
    busy: async () => {
      turnsAtStart.push(turns);
      const until = performance.now() + 15;
      while (performance.now() < until);
      return "done";
    },
  });
  const calls = Array.from({ length: 8 }, (_, index) => call("busy", { index }, `call_${index}`));
  setImmediate(count);
  const batch = runBatch({ calls, tracker: null, budget: 100 }, invocation);
  let step = await batch.next();
  while (step.done !== true) step = await batch.next();
  counting = false;
  expect(step.value.results).toHaveLength(8);
  expect(new Set(turnsAtStart).size).toBeGreaterThan(2);
});
