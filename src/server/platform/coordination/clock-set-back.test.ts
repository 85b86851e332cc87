import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { recordingLogger } from "../../engine/recording-logger.test-support";
import { createClockWatch } from "./clock-watch";
import { createJobs } from "./local-jobs";

const HOUR = 3_600_000;
const MINUTE = 60_000;
/** The clock is ahead by so much. */
let aheadMs = 0;
const clock = { now: () => Date.now() + aheadMs, elapsed: () => performance.now() };

beforeEach(() => {
  aheadMs = 0;
  vi.useFakeTimers({ toFake: ["Date", "performance", "setTimeout", "clearTimeout"] });
});
afterEach(() => void vi.useRealTimers());

it("a job waits as long as it was ordered to, also where the clock is put back or forward meanwhile", async () => {
  const logger = recordingLogger();
  for (const jumpMs of [-8 * HOUR, -HOUR, -500, 0]) {
    const jobs = createJobs({ clock, logger });
    const begun = performance.now();
    const ran: number[] = [];
    jobs.handle("once", async () => {
      ran.push(performance.now() - begun);
      return undefined;
    });
    await jobs.start();
    await jobs.schedule({ kind: "once", key: "a", runAt: clock.now() + 10 * MINUTE });
    await vi.advanceTimersByTimeAsync(MINUTE);
    aheadMs += jumpMs;
    await vi.advanceTimersByTimeAsync(12 * MINUTE);
    expect(ran).toHaveLength(1);
    expect(ran[0]).toBeLessThanOrEqual(11 * MINUTE);
    expect(ran[0]).toBeGreaterThanOrEqual(10 * MINUTE - 1_000);
    await jobs.stop();
  }
});

it("work that repeats keeps its interval over a clock that is put back by 8 hours", async () => {
  const jobs = createJobs({ clock, logger: recordingLogger() });
  let runs = 0;
  jobs.repeat("often", 5 * MINUTE, async () => {
    runs += 1;
  });
  await jobs.start();
  await vi.advanceTimersByTimeAsync(10 * MINUTE);
  const before = runs;
  aheadMs -= 8 * HOUR;
  await vi.advanceTimersByTimeAsync(20 * MINUTE);
  expect(runs - before).toBeGreaterThanOrEqual(3);
  await jobs.stop();
});

it("the watch tells of a clock that was put back once, also after a restart, and not of one that goes on or is corrected", async () => {
  const settings = new Map<string, string>();
  const told: string[] = [];
  const start = async (name: string, fails = false) => {
    const logger = recordingLogger();
    const jobs = createJobs({ clock, logger });
    const watch = createClockWatch({
      jobs,
      clock,
      logger,
      settings: {
        read: async (key) => settings.get(key) ?? null,
        write: async (key, value) => void settings.set(key, value),
      },
    });
    watch.onSetBack(async () => {
      told.push(name);
      if (fails) throw new Error("the database is busy");
    });
    await jobs.start();
    await vi.advanceTimersByTimeAsync(3 * MINUTE);
    return jobs;
  };
  const first = await start("first");
  aheadMs += 8 * HOUR;
  await vi.advanceTimersByTimeAsync(2 * MINUTE);
  expect(told).toEqual([]);
  await first.stop();
  aheadMs -= 8 * HOUR;
  const failing = await start("failing", true);
  expect(told.length).toBeGreaterThan(1);
  await failing.stop();
  told.length = 0;
  const second = await start("second");
  expect(told).toEqual(["second"]);
  aheadMs -= 30_000;
  await vi.advanceTimersByTimeAsync(10 * MINUTE);
  expect(told).toEqual(["second"]);
  await second.stop();
});
