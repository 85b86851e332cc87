import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { collectAtRest } from "./collect-at-rest";

const CHECK_MS = 5_000;
const MB = 1024 * 1024;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A heap that a collection brings down to 70 MB. */
function start() {
  const state = { utilization: 0, heapBytes: 200 * MB, collections: 0 };
  const stop = collectAtRest({
    utilization: () => state.utilization,
    heapBytes: () => state.heapBytes,
    collect: () => {
      state.collections += 1;
      state.heapBytes = 70 * MB;
    },
  });
  return { state, stop };
}

it("garbage is collected after ten seconds of rest, and never while the server works", () => {
  const { state, stop } = start();
  state.utilization = 0.4;
  vi.advanceTimersByTime(20 * CHECK_MS);
  expect(state.collections).toBe(0);
  state.utilization = 0.01;
  vi.advanceTimersByTime(CHECK_MS);
  state.utilization = 0.4;
  vi.advanceTimersByTime(CHECK_MS);
  state.utilization = 0.01;
  vi.advanceTimersByTime(CHECK_MS);
  expect(state.collections).toBe(0);
  vi.advanceTimersByTime(CHECK_MS);
  expect(state.collections).toBe(1);
  state.utilization = 0.4;
  vi.advanceTimersByTime(20 * CHECK_MS);
  expect(state.collections, "the second, too, waits for rest").toBe(1);
  stop();
});

it("a resting server collects twice, which returns the memory, and again only after its heap has grown by 32 MB", () => {
  const { state, stop } = start();
  vi.advanceTimersByTime(20 * CHECK_MS);
  expect(state.collections).toBe(2);
  state.heapBytes += 31 * MB;
  vi.advanceTimersByTime(20 * CHECK_MS);
  expect(state.collections).toBe(2);
  state.heapBytes += 2 * MB;
  vi.advanceTimersByTime(2 * CHECK_MS);
  expect(state.collections).toBe(4);
  stop();
  state.heapBytes += 200 * MB;
  vi.advanceTimersByTime(20 * CHECK_MS);
  expect(state.collections).toBe(4);
});

it("the garbage collector of this process can be called", async () => {
  vi.useRealTimers();
  const { collect, heapBytes } = (await import("./collect-at-rest")).createReadings();
  expect(collect).not.toThrow();
  expect(heapBytes()).toBeGreaterThan(0);
  expect("gc" in globalThis).toBe(false);
});
