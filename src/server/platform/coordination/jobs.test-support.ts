import { afterEach, describe, expect, it } from "vitest";
import { waitUntil } from "../../../lib/wait-until.test-support";
import type { Clock } from "../../engine/ports";
import type { JobHandler, JobMonitor, Jobs } from "./jobs";

const HOUR = 3_600_000;
const DAYS = 60 * 24 * HOUR;

/**
 * The guarantees of every implementation of `Jobs`.
 * @param pass what time passing needs beside the clock, where the implementation has another one
 */
export function describeJobs(create: (clock: Clock) => Jobs, pass?: (ms: number) => Promise<void>): void {
  const opened: Jobs[] = [];
  let aheadMs = 0;
  const clock = { now: () => Date.now() + aheadMs, elapsed: () => performance.now() };
  afterEach(async () => {
    aheadMs = 0;
    for (const jobs of opened.splice(0)) await jobs.stop();
  });

  async function letPass(ms: number): Promise<void> {
    aheadMs += ms;
    await pass?.(ms);
  }

  function open(): Jobs {
    const jobs = create(clock);
    opened.push(jobs);
    return jobs;
  }

  async function startWith(handler: JobHandler): Promise<Jobs> {
    const jobs = open();
    jobs.handle("webhook", handler);
    await jobs.start();
    return jobs;
  }

  const order = (jobs: Jobs, key: string, more: { payload?: string; runAt?: number } = {}) =>
    jobs.schedule({ kind: "webhook", key, runAt: clock.now(), ...more });

  /** A handler that runs until `finish`. */
  function createGate() {
    const started: string[] = [];
    const aborted: string[] = [];
    let finish = (): void => {};
    const held = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const handler: JobHandler = async ({ key, signal }) => {
      started.push(key);
      const end = new Promise<void>((_, reject) => {
        signal.addEventListener("abort", () => {
          aborted.push(key);
          reject(signal.reason);
        });
      });
      await Promise.race([held, end]);
      return undefined;
    };
    return { started, aborted, handler, finish: () => finish() };
  }

  describe("a job", () => {
    it("that is due runs once", async () => {
      const runs: string[] = [];
      const jobs = await startWith(async ({ key, payload }) => void runs.push(`${key} ${payload}`));
      const keys = Array.from({ length: 30 }, (_, at) => `query_${at}`);
      for (const [at, key] of keys.entries()) await order(jobs, key, { payload: `"${at}"` });
      await waitUntil(() => expect(runs).toHaveLength(30));
      await jobs.stop();
      expect(runs.toSorted()).toEqual(keys.map((key, at) => `${key} "${at}"`).toSorted());
    });

    it("that is ordered before the start waits for it", async () => {
      const runs: string[] = [];
      const jobs = open();
      jobs.handle("webhook", async ({ key }) => void runs.push(key));
      await order(jobs, "query_1");
      expect(runs).toEqual([]);
      await jobs.start();
      await waitUntil(() => expect(runs).toEqual(["query_1"]));
    });

    it("does not run before its time, and an earlier time wins", async () => {
      const runs: string[] = [];
      const jobs = await startWith(async ({ key }) => void runs.push(key));
      await order(jobs, "late", { runAt: clock.now() + HOUR });
      await order(jobs, "soon", { runAt: clock.now() + HOUR });
      await order(jobs, "soon");
      await order(jobs, "late", { runAt: clock.now() + 2 * HOUR });
      await waitUntil(() => expect(runs).toEqual(["soon"]));
      await order(jobs, "late");
      await waitUntil(() => expect(runs).toContain("late"));
    });

    it("AGT-05 may lie further away than a timer can say", async () => {
      const runs: string[] = [];
      const jobs = await startWith(async ({ key }) => void runs.push(key));
      await order(jobs, "in two months", { runAt: clock.now() + DAYS });
      await order(jobs, "now");
      await waitUntil(() => expect(runs).toEqual(["now"]));
      await letPass(DAYS);
      await order(jobs, "then");
      await waitUntil(() => expect(runs).toEqual(["now", "in two months", "then"]));
    });

    it("has one worker at a time; ordered while it runs, it runs again", async () => {
      const gate = createGate();
      const jobs = await startWith(gate.handler);
      await order(jobs, "query_1");
      await waitUntil(() => expect(gate.started).toEqual(["query_1"]));
      await order(jobs, "query_1");
      await order(jobs, "query_2");
      await waitUntil(() => expect(gate.started).toEqual(["query_1", "query_2"]));
      gate.finish();
      await waitUntil(() => expect(gate.started.toSorted()).toEqual(["query_1", "query_1", "query_2"]));
    });

    it("that is limited to some at once runs no more of its kind, and others beside them", async () => {
      const gate = createGate();
      const runs: string[] = [];
      const jobs = open();
      jobs.handle("webhook", gate.handler, { atOnce: 2 });
      jobs.handle("other", async ({ key }) => void runs.push(key));
      await jobs.start();
      for (const key of ["one", "two", "three"]) await order(jobs, key);
      await waitUntil(() => expect(gate.started.toSorted()).toEqual(["one", "two"]));
      await jobs.schedule({ kind: "other", key: "beside", runAt: clock.now() });
      await waitUntil(() => expect(runs).toEqual(["beside"]));
      expect(gate.started).toHaveLength(2);
      gate.finish();
      await waitUntil(() => expect(gate.started).toContain("three"));
    });

    it("that fails runs again, and counts its attempts", async () => {
      const attempts: number[] = [];
      const jobs = await startWith(async (job) => {
        attempts.push(job.attempts);
        if (attempts.length === 1) throw new Error("the disk is full");
        return undefined;
      });
      await order(jobs, "query_1");
      await waitUntil(() => expect(attempts).toEqual([1, 2]));
    });

    it("runs again when its handler says so", async () => {
      const attempts: number[] = [];
      const jobs = await startWith(async (job) => {
        attempts.push(job.attempts);
        return attempts.length < 3 ? { runAt: clock.now() } : undefined;
      });
      await order(jobs, "query_1");
      await waitUntil(() => expect(attempts).toEqual([1, 1, 1]));
    });

    it("is aborted and waited for when the server stops, and none begins after that", async () => {
      const gate = createGate();
      const jobs = await startWith(gate.handler);
      await order(jobs, "query_1");
      await waitUntil(() => expect(gate.started).toEqual(["query_1"]));
      await jobs.stop();
      expect(gate.aborted).toEqual(["query_1"]);
      await order(jobs, "query_2");
      await new Promise((resolve) => setImmediate(resolve));
      expect(gate.started).toEqual(["query_1"]);
    });

    it("that repeats seldom runs soon after a start all the same", async () => {
      let runs = 0;
      const jobs = open();
      jobs.repeat("digest", 24 * HOUR, async () => {
        runs += 1;
      });
      await jobs.start();
      await letPass(31_000);
      await order(jobs, "looks at the clock again");
      await waitUntil(() => expect(runs).toBe(1));
    });

    it("that repeats does so one at a time, also after a failure", async () => {
      let running = 0;
      let most = 0;
      let runs = 0;
      const jobs = open();
      jobs.repeat("sweep", 5, async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        runs += 1;
        if (runs === 2) throw new Error("the disk is full");
      });
      await jobs.start();
      await waitUntil(() => expect(runs).toBeGreaterThan(4));
      expect(most).toBe(1);
    });
  });
}

/** The guarantees of every implementation of `JobMonitor`. */
export function describeJobMonitor(create: (clock: Clock) => Jobs & JobMonitor): void {
  const opened: Jobs[] = [];
  const clock = { now: () => Date.now(), elapsed: () => performance.now() };
  afterEach(async () => {
    for (const jobs of opened.splice(0)) await jobs.stop();
  });

  describe("the queues", () => {
    it("say what waits, when it runs next, and why the last run failed, until it succeeds", async () => {
      let isBroken = true;
      const jobs = create(clock);
      opened.push(jobs);
      jobs.handle("webhook", async () => {
        if (isBroken) throw new Error("the receiver is away");
        return undefined;
      });
      jobs.repeat("sweep", HOUR, async () => undefined);
      await jobs.start();
      await jobs.schedule({ kind: "webhook", key: "one", runAt: clock.now() });
      await jobs.schedule({ kind: "webhook", key: "later", runAt: clock.now() + HOUR });
      const find = async (kind: string) => (await jobs.queues()).find((queue) => queue.kind === kind);
      await waitUntil(async () => expect(await find("webhook")).toMatchObject({ failed: 1, waiting: 2 }));
      expect(await find("webhook")).toMatchObject({
        everyMs: null,
        running: 0,
        succeeded: 0,
        failures: [{ key: "one", attempts: 1, error: "the receiver is away", retryAt: expect.any(Number) }],
      });
      expect(await find("sweep")).toMatchObject({ everyMs: HOUR, waiting: 1, lastRunAt: null, failures: [] });
      isBroken = false;
      expect(await jobs.runNow("webhook", "one")).toBe(1);
      await waitUntil(async () => expect(await find("webhook")).toMatchObject({ succeeded: 1, failures: [] }));
      expect(await jobs.runNow("sweep")).toBe(1);
      await waitUntil(async () => expect(await find("sweep")).toMatchObject({ succeeded: 1, waiting: 1 }));
      expect(await jobs.runNow("nothing")).toBe(0);
    });
  });
}
