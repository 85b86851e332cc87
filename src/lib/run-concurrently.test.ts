import { expect, it } from "vitest";
import { runConcurrently } from "./run-concurrently";

it("works through items in their order, and never more of them at once than allowed", async () => {
  const begun: number[] = [];
  let running = 0;
  let most = 0;
  await runConcurrently([1, 2, 3, 4, 5], 2, async (item) => {
    begun.push(item);
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
  });
  expect(begun).toEqual([1, 2, 3, 4, 5]);
  expect(most).toBe(2);
  await runConcurrently([], 2, () => Promise.reject(new Error("nothing to do")));
});

it("rejects with the first failure, and finishes the other items", async () => {
  const done: number[] = [];
  const work = runConcurrently([1, 2, 3, 4], 2, async (item) => {
    await new Promise((resolve) => setImmediate(resolve));
    if (item === 1) throw new Error("one failed");
    done.push(item);
  });
  await expect(work).rejects.toThrow("one failed");
  await expect.poll(() => done).toEqual([2, 3, 4]);
});
