import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { BoundedWorker } from "./bounded-worker";
import type { WorkerEvents } from "./start-worker";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Workers that answer at once, each with its number. */
function startWorkers() {
  const ended: number[] = [];
  let started = 0;
  const start = ({ onMessage }: WorkerEvents) => {
    started += 1;
    const number = started;
    queueMicrotask(() => onMessage({ ready: true }));
    return {
      post: (message: object) => queueMicrotask(() => onMessage({ id: (message as { id: number }).id, value: number })),
      hold: () => {},
      end: async () => void ended.push(number),
    };
  };
  return { start, ended };
}

it("a worker ends when it has had no job for the idle time, and the next job gets a new one", async () => {
  const { start, ended } = startWorkers();
  const worker = new BoundedWorker({ start, limitMs: 1000, exitReason: "ended", idleMs: 500 });
  expect(await worker.run({})).toEqual({ kind: "answer", value: 1 });
  vi.advanceTimersByTime(400);
  expect(await worker.run({})).toEqual({ kind: "answer", value: 1 });
  vi.advanceTimersByTime(400);
  expect(ended).toEqual([]);
  vi.advanceTimersByTime(100);
  expect(ended).toEqual([1]);
  expect(await worker.run({})).toEqual({ kind: "answer", value: 2 });
  await worker.close();
  expect(ended).toEqual([1, 2]);
});
