import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { waitUntil } from "../../lib/wait-until.test-support";
import type { OpenCluster, TestCluster, TestCopy } from "./cluster.test-support";
import type { JobHandler } from "./jobs";

/** What every implementation of `Jobs` guarantees. */
export function describeJobs(openCluster: OpenCluster): void {
  let cluster: TestCluster;
  beforeEach(async () => {
    cluster = await openCluster();
  });
  afterEach(() => cluster.close());

  const HOUR = 3_600_000;

  async function startWith(handler: JobHandler): Promise<TestCopy> {
    const copy = await cluster.openCopy();
    copy.jobs.handle("webhook", handler);
    await copy.start();
    return copy;
  }

  /** Hears of every run; holds each until `finish`. */
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
    it("that is due runs once, in one of the copies", async () => {
      const runs: string[] = [];
      const one = await startWith(async ({ key, payload }) => void runs.push(`${key} ${payload}`));
      const two = await startWith(async ({ key, payload }) => void runs.push(`${key} ${payload}`));
      const keys = Array.from({ length: 30 }, (_, at) => `query_${at}`);
      for (const [at, key] of keys.entries()) {
        await (at % 2 ? one : two).jobs.schedule({ kind: "webhook", key, payload: `"${at}"`, runAt: Date.now() });
      }
      await waitUntil(() => expect(runs).toHaveLength(30));
      await one.stop();
      await two.stop();
      expect(runs.toSorted()).toEqual(keys.map((key, at) => `${key} "${at}"`).toSorted());
    });

    it("that another copy scheduled is picked up", async () => {
      const runs: string[] = [];
      await startWith(async ({ key }) => void runs.push(key));
      const other = await cluster.openCopy();
      await other.jobs.schedule({ kind: "webhook", key: "query_1", runAt: Date.now() });
      await waitUntil(() => expect(runs).toEqual(["query_1"]));
    });

    it("does not run before its time, and an earlier time wins", async () => {
      const runs: string[] = [];
      const copy = await startWith(async ({ key }) => void runs.push(key));
      await copy.jobs.schedule({ kind: "webhook", key: "late", runAt: Date.now() + HOUR });
      await copy.jobs.schedule({ kind: "webhook", key: "early", runAt: Date.now() });
      await copy.jobs.schedule({ kind: "webhook", key: "early", runAt: Date.now() + HOUR });
      await waitUntil(() => expect(runs).toEqual(["early"]));
      await copy.jobs.schedule({ kind: "webhook", key: "late", runAt: Date.now() });
      await waitUntil(() => expect(runs).toContain("late"));
    });

    it("AGT-05 may lie further away than a timer can say", async () => {
      const runs: string[] = [];
      const days = 60 * 24 * HOUR;
      const handler: JobHandler = async ({ key }) => void runs.push(key);
      const one = await startWith(handler);
      await one.jobs.schedule({ kind: "webhook", key: "in two months", runAt: Date.now() + days });
      await one.jobs.schedule({ kind: "webhook", key: "now", runAt: Date.now() });
      await waitUntil(() => expect(runs).toEqual(["now"]));
      await one.stop();
      const late = await cluster.openCopy({ clockAheadMs: days });
      late.jobs.handle("webhook", handler);
      await late.start();
      await waitUntil(() => expect(runs).toEqual(["now", "in two months"]));
    });

    it("has one worker at a time; scheduled while it runs, it runs again", async () => {
      const gate = createGate();
      const one = await startWith(gate.handler);
      const two = await startWith(gate.handler);
      await one.jobs.schedule({ kind: "webhook", key: "query_1", runAt: Date.now() });
      await waitUntil(() => expect(gate.started).toEqual(["query_1"]));
      await two.jobs.schedule({ kind: "webhook", key: "query_1", runAt: Date.now() });
      await two.jobs.schedule({ kind: "webhook", key: "query_2", runAt: Date.now() });
      await waitUntil(() => expect(gate.started).toEqual(["query_1", "query_2"]));
      gate.finish();
      await waitUntil(() => expect(gate.started.toSorted()).toEqual(["query_1", "query_1", "query_2"]));
    });

    it("that fails runs again, and counts its attempts", async () => {
      const attempts: number[] = [];
      const copy = await startWith(async (job) => {
        attempts.push(job.attempts);
        if (attempts.length === 1) throw new Error("the disk is full");
        return undefined;
      });
      await copy.jobs.schedule({ kind: "webhook", key: "query_1", runAt: Date.now() });
      await waitUntil(() => expect(attempts).toEqual([1, 2]));
    });

    it("runs again when its handler says so", async () => {
      const attempts: number[] = [];
      const copy = await startWith(async (job) => {
        attempts.push(job.attempts);
        return attempts.length < 3 ? { runAt: Date.now() } : undefined;
      });
      await copy.jobs.schedule({ kind: "webhook", key: "query_1", runAt: Date.now() });
      await waitUntil(() => expect(attempts).toEqual([1, 1, 1]));
    });

    it("survives the end of its copy, however it ends", async () => {
      const [stopped, killed] = [createGate(), createGate()];
      const one = await startWith(stopped.handler);
      await one.jobs.schedule({ kind: "webhook", key: "query_1", runAt: Date.now() });
      await waitUntil(() => expect(stopped.started).toEqual(["query_1"]));
      await one.stop();
      expect(stopped.aborted).toEqual(["query_1"]);
      const two = await startWith(killed.handler);
      await waitUntil(() => expect(killed.started).toEqual(["query_1"]));
      await two.crash();
      const runs: string[] = [];
      await startWith(async ({ key }) => void runs.push(key));
      await waitUntil(() => expect(runs).toEqual(["query_1"]));
    });

    it("of a copy that lost its lease is taken over, and results of the first one are ignored", async () => {
      const [first, second] = [createGate(), createGate()];
      const one = await startWith(first.handler);
      await one.jobs.schedule({ kind: "webhook", key: "query_1", runAt: Date.now() });
      await waitUntil(() => expect(first.started).toHaveLength(1));
      const late = await cluster.openCopy({ clockAheadMs: 31_000 });
      late.jobs.handle("webhook", second.handler);
      await late.start();
      await waitUntil(() => expect(second.started).toEqual(["query_1"]));
      first.finish();
      await one.stop();
      // Had the first one removed it, it would not run again after this stop.
      await late.stop();
      const third = createGate();
      const next = await cluster.openCopy({ clockAheadMs: 31_000 });
      next.jobs.handle("webhook", third.handler);
      await next.start();
      await waitUntil(() => expect(third.started).toEqual(["query_1"]));
      third.finish();
    });

    it("that repeats does so in one copy at a time", async () => {
      let running = 0;
      let most = 0;
      let runs = 0;
      const work = async (): Promise<void> => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        runs += 1;
      };
      for (const copy of [await cluster.openCopy(), await cluster.openCopy()]) {
        copy.jobs.repeat("sweep", 5, work);
        await copy.start();
      }
      await waitUntil(() => expect(runs).toBeGreaterThan(5));
      expect(most).toBe(1);
    });
  });
}
