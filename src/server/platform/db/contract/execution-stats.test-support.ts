import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { anEnd, aStart, WEATHER } from "../../../calls/executions/execution.test-support";
import type { ExecutionStore } from "../../../calls/executions/execution-store";
import { fromBucket, toBucket } from "../../../calls/statistics/db/histogram";
import type { ExecutionEnd, ExecutionStart } from "../../../engine/ports";
import { type CreateDatabase, useDatabase } from "./store-database.test-support";

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 10, 21, 13, 30);

const NO_FAILURES = { failed: 0, error: 0, timedOut: 0, interrupted: 0, invalid: 0 };
const NO_CALLS = {
  ...NO_FAILURES,
  calls: 0,
  finished: 0,
  consoleInvalid: 0,
  rejected: 0,
  cancelled: 0,
  waiting: 0,
  running: 0,
  p50Ms: null,
  p95Ms: null,
  p99Ms: null,
};
/** As statistics show a duration: the value of its bucket. */
const near = (ms: number): number => fromBucket(toBucket(ms));
const NO_WAITS = { calls: 0, p50Ms: null, p95Ms: null };

export function describeExecutionStats(createDatabase: CreateDatabase): void {
  describe("figures of executions", () => {
    const database = useDatabase(createDatabase);
    let store: ExecutionStore;
    beforeEach(() => {
      store = database().executions({ instanceId: "inst_a", clock: { now: () => NOW, elapsed: () => 0 } });
    });
    afterEach(() => store.close());

    function record(start: Partial<ExecutionStart>, end: Partial<ExecutionEnd> = {}): Promise<void> {
      const whole = aStart({ queuedAt: NOW, validateMs: 0, ...start });
      return store.record(whole, anEnd(whole, end));
    }

    it("an empty execution log has zero calls, no percentile and every day of the window", async () => {
      const overview = await store.overview(3, "UTC");
      expect(overview.totals).toEqual({ ...NO_CALLS, running: 0, waits: NO_WAITS });
      expect(overview.days.map(({ day, calls }) => [day, calls])).toEqual([
        ["2026-11-19", 0],
        ["2026-11-20", 0],
        ["2026-11-21", 0],
      ]);
      expect(overview).toMatchObject({ slowest: [], failing: [], unknown: [], rebuilding: false });
      expect(await store.toolStats("nothing")).toEqual({ ...NO_CALLS, waits: NO_WAITS });
      expect(await store.facets()).toEqual({ tools: [], actors: [] });
    });

    it("the overview counts by UTC day and by tool, within the window only", async () => {
      await record({ toolName: "old", queuedAt: NOW - 3 * DAY });
      await record({ toolName: "fast", queuedAt: NOW - DAY }, { executionTimeMs: 1 });
      for (const executionTimeMs of [10, 20, 30]) await record({ toolName: "slow" }, { executionTimeMs });
      await record({ toolName: "fast" }, { status: "failed", executionTimeMs: 2 });
      await record({ toolName: "fast" }, { status: "cancelled", executionTimeMs: 3 });
      await store.begin(aStart({ toolName: "fast", queuedAt: NOW }));
      const overview = await store.overview(2, "UTC");
      expect(overview.totals).toEqual({
        ...NO_CALLS,
        calls: 7,
        finished: 5,
        failed: 1,
        error: 1,
        cancelled: 1,
        running: 1,
        p50Ms: near(10),
        p95Ms: near(30),
        p99Ms: near(30),
        waits: NO_WAITS,
      });
      expect(overview.days).toEqual([
        { ...NO_CALLS, day: "2026-11-20", calls: 1, finished: 1, p50Ms: near(1), p95Ms: near(1), p99Ms: near(1) },
        {
          ...NO_CALLS,
          day: "2026-11-21",
          calls: 6,
          finished: 4,
          failed: 1,
          error: 1,
          cancelled: 1,
          running: 1,
          p50Ms: near(10),
          p95Ms: near(30),
          p99Ms: near(30),
        },
      ]);
    });

    it("ranks tools by failures, also names that no tool had, and by p95 from five finished calls on", async () => {
      const call = async (toolName: string, succeeded: number, failed: number, executionTimeMs: number) => {
        for (let at = 0; at < succeeded; at += 1) await record({ toolName }, { executionTimeMs });
        for (let at = 0; at < failed; at += 1) await record({ toolName }, { status: "failed", executionTimeMs });
      };
      await call("busy", 9, 3, 10);
      await call("worst", 0, 5, 20);
      await call("fragile", 3, 2, 30);
      await call("once", 0, 1, 900);
      const unknown = { definition: null, implementationType: null, validateMs: null };
      for (const toolName of ["get_wether", "find-customer", "get_wether"]) {
        await record({ toolName, ...unknown }, { status: "failed", errorKind: "not_found", runMs: null });
      }
      const overview = await store.overview(1, "UTC");
      expect(overview.failing).toEqual([
        { toolName: "worst", finished: 5, failed: 5 },
        { toolName: "busy", finished: 12, failed: 3 },
        { toolName: "get_wether", finished: 2, failed: 2 },
        { toolName: "fragile", finished: 5, failed: 2 },
        { toolName: "once", finished: 1, failed: 1 },
      ]);
      expect(overview.slowest.map(({ toolName }) => toolName)).toEqual(["fragile", "worst", "busy"]);
      expect(overview.unknown).toEqual([{ toolName: "find-customer", calls: 1 }]);
      // Calls of a name that no tool had have no duration.
      expect(overview.totals).toMatchObject({ calls: 26, failed: 14, p95Ms: near(30) });
    });

    it("a duration is the time the tool itself ran: without validation, recording and waiting", async () => {
      const queuedAt = NOW - 100_000;
      await record(
        { toolName: "a", queuedAt, validateMs: 5.25 },
        { executionTimeMs: 25.5, runMs: 40.25, recordMs: 2, finishedAt: queuedAt + 60_028 },
      );
      await record({ toolName: "a", validateMs: 3 }, { executionTimeMs: 3, runMs: null, status: "failed" });
      const { items } = await store.list({});
      expect(items.map(({ durationMs }) => durationMs)).toEqual([null, 20.25]);
      expect(await store.find(items[1]?.id ?? "")).toMatchObject({ durationMs: 20.25, timing: { waitMs: 60_000.5 } });
      expect(await store.toolStats("a")).toMatchObject({ finished: 2, p50Ms: near(20.25), p95Ms: near(20.25) });
    });

    it("reads of resources and prompts are in no figure of tools, and listed by kind", async () => {
      await record({ toolName: "files resources/read", implementationType: "resource" });
      await record({ toolName: "files prompts/get", implementationType: "prompt" }, { status: "failed" });
      for (let at = 0; at < 5; at += 1) await record({ toolName: "files", implementationType: null });
      const { totals, failing, slowest } = await store.overview(1, "UTC");
      expect([totals.calls, failing.length, slowest.length]).toEqual([5, 0, 1]);
      expect((await store.toolFigures(1)).map(({ toolName }) => toolName)).toEqual(["files"]);
      expect((await store.facets()).tools).toEqual(["files"]);
      const listed = async (...kind: ("tool" | "resource" | "prompt")[]) =>
        (await store.list({ kind })).items.map(({ toolName }) => toolName);
      expect(new Set(await listed("tool"))).toEqual(new Set(["files"]));
      expect(await listed("prompt", "resource")).toEqual(["files prompts/get", "files resources/read"]);
      expect(await listed()).toHaveLength(7);
    });

    it("the overview counts by day of the viewer's time zone", async () => {
      await record({ queuedAt: Date.UTC(2026, 10, 20, 15, 30) });
      const callsByDay = async (zone: string) =>
        (await store.overview(2, zone)).days.map(({ day, calls }) => [day, calls]);
      expect(await callsByDay("UTC")).toEqual([
        ["2026-11-20", 1],
        ["2026-11-21", 0],
      ]);
      expect(await callsByDay("Asia/Tokyo")).toEqual([
        ["2026-11-20", 0],
        ["2026-11-21", 1],
      ]);
    });

    it("the figures of the catalog cover the window's calls by tool, and the last use of every tool", async () => {
      expect(await store.toolFigures(7)).toEqual([]);
      await record({ toolName: "old", queuedAt: NOW - 9 * DAY }, { status: "failed" });
      await record({ toolName: "used", queuedAt: NOW - 8 * DAY }, { status: "failed" });
      for (const status of ["succeeded", "failed", "cancelled", "timed_out"] as const) {
        await record({ toolName: "used", queuedAt: NOW - DAY }, { status });
      }
      expect(await store.toolFigures(7)).toEqual([
        { ...NO_FAILURES, toolName: "old", calls: 0, finished: 0, lastUsedAt: NOW - 9 * DAY },
        {
          ...NO_FAILURES,
          toolName: "used",
          calls: 4,
          finished: 3,
          failed: 2,
          error: 1,
          timedOut: 1,
          lastUsedAt: NOW - DAY,
        },
      ]);
    });

    it("the figures of servers cover the window's calls of their tools, not what was read of them", async () => {
      expect(await store.serverFigures(7)).toEqual([]);
      await record({ serverName: "files", queuedAt: NOW - 8 * DAY }, { status: "failed" });
      for (const executionTimeMs of [1, 2, 30]) await record({ serverName: "files" }, { executionTimeMs });
      await record({ serverName: "files" }, { status: "failed", errorKind: "tool_error", executionTimeMs: 40 });
      const invalid = { status: "failed", errorKind: "invalid_arguments", runMs: null } as const;
      await record({ serverName: "files" }, invalid);
      await record({ serverName: "files", source: "gateway" }, invalid);
      await record({ serverName: "files", implementationType: "resource" });
      await record({ serverName: "docs", queuedAt: NOW - DAY }, { executionTimeMs: 5 });
      await record({});
      expect((await store.serverFigures(7)).sort((a, b) => (a.serverName < b.serverName ? -1 : 1))).toEqual([
        { ...NO_FAILURES, serverName: "docs", calls: 1, finished: 1, p95Ms: near(5) },
        {
          ...NO_FAILURES,
          serverName: "files",
          calls: 6,
          finished: 5,
          failed: 2,
          error: 1,
          invalid: 1,
          p95Ms: near(40),
        },
      ]);
    });

    it("a tool's figures cover its calls only", async () => {
      for (const executionTimeMs of [4, 1, 3, 2]) await record({ toolName: "a" }, { executionTimeMs });
      await record({ toolName: "a" }, { status: "timed_out", executionTimeMs: 100 });
      await record({ toolName: "b" }, { status: "failed" });
      await store.begin(aStart({ toolName: "a" }));
      expect(await store.toolStats("a")).toEqual({
        ...NO_CALLS,
        calls: 6,
        finished: 5,
        failed: 1,
        timedOut: 1,
        running: 1,
        waits: NO_WAITS,
        p50Ms: near(3),
        p95Ms: near(100),
        p99Ms: near(100),
      });
    });

    it("counts invalid arguments of programs as failures, and those of the console, rejected, cancelled and waiting calls apart", async () => {
      const endings: Partial<ExecutionEnd>[] = [
        { executionTimeMs: 1 },
        { executionTimeMs: 2 },
        { executionTimeMs: 3 },
        { status: "failed", errorKind: "tool_error", executionTimeMs: 4 },
        { status: "timed_out", errorKind: "timeout", executionTimeMs: 5 },
        { status: "failed", errorKind: "invalid_arguments", runMs: null },
        { status: "failed", errorKind: "rejected", executionTimeMs: 900 },
        { status: "failed", errorKind: "approval_expired", executionTimeMs: 900 },
        { status: "cancelled", errorKind: "cancelled", executionTimeMs: 900 },
      ];
      for (const end of endings) await record({ toolName: "a" }, end);
      const invalid = { status: "failed", errorKind: "invalid_arguments", runMs: null } as const;
      for (const source of ["gateway", "agent", "api", "replay"] as const) {
        await record({ toolName: "a", source }, invalid);
      }
      await record({ toolName: "a" }, { status: "interrupted", errorKind: "interrupted", runMs: null });
      await store.begin(aStart({ toolName: "a", queuedAt: NOW, waiting: true }));
      const figures = {
        calls: 15,
        finished: 9,
        failed: 6,
        error: 1,
        timedOut: 1,
        interrupted: 1,
        invalid: 3,
        consoleInvalid: 2,
        rejected: 2,
        cancelled: 1,
        waiting: 1,
        running: 0,
        p50Ms: near(3),
        p95Ms: near(5),
        p99Ms: near(5),
        waits: NO_WAITS,
      };
      expect((await store.overview(1, "UTC")).totals).toEqual(figures);
      expect(await store.toolStats("a")).toEqual(figures);
      expect(await store.toolFigures(1)).toMatchObject([{ toolName: "a", calls: 15, finished: 9, failed: 6 }]);
      // Enough successes that rows which did not succeed are fewer.
      for (let at = 0; at < 10; at += 1) await record({ toolName: "b" }, { executionTimeMs: 1 });
      await record({ toolName: "b" }, { status: "failed", errorKind: "tool_error", executionTimeMs: 1 });
      expect(await store.toolStats("b")).toMatchObject({ calls: 11, finished: 11, failed: 1 });
    });

    it("time spent waiting for a user is a figure of its own, not part of the duration", async () => {
      const queuedAt = NOW - 100_000;
      const waited = { finishedAt: queuedAt + 60_022, executionTimeMs: 20, recordMs: 2 };
      await record({ toolName: "a", queuedAt }, waited);
      await record({ toolName: "a", queuedAt }, { finishedAt: queuedAt + 8, executionTimeMs: 7, recordMs: 1 });
      const waits = { calls: 1, p50Ms: near(60_000), p95Ms: near(60_000) };
      expect((await store.overview(1, "UTC")).totals).toMatchObject({ p95Ms: near(20), waits });
      expect(await store.toolStats("a")).toMatchObject({ p95Ms: near(20), waits });
    });

    it("calls of evals are in no figure", async () => {
      await record({ toolName: "a" });
      for (let at = 0; at < 3; at += 1) await record({ toolName: "a", source: "check" }, { status: "failed" });
      for (let at = 0; at < 12; at += 1) await record({ toolName: "b" });
      await record({ toolName: "b", source: "check" });
      expect((await store.overview(1, "UTC")).totals).toMatchObject({ calls: 13, failed: 0 });
      expect(await store.toolStats("a")).toMatchObject({ calls: 1, finished: 1, failed: 0 });
      expect(await store.toolStats("b")).toMatchObject({ calls: 12, finished: 12 });
      expect(await store.counts()).toMatchObject({ executions: 13 });
    });

    it("a tool's statistics group its newest calls by message, time, client and definition", async () => {
      const timeout = {
        status: "timed_out",
        errorKind: "timeout",
        error: "Timed out",
        executionTimeMs: 5_000,
      } as const;
      await record({ toolName: "a", source: "gateway", client: "claude/1.2" }, { executionTimeMs: 4 });
      await record({ toolName: "a", source: "gateway", client: "claude/1.3", queuedAt: NOW - 1 }, timeout);
      await record({ toolName: "a", queuedAt: NOW - 2 }, timeout);
      const invalid = { status: "failed", errorKind: "invalid_arguments", runMs: null } as const;
      await record({ toolName: "a", source: "api", client: "api/1" }, { ...invalid, error: "days must be integer" });
      await record({ toolName: "a" }, { ...invalid, error: "typed" });
      await record({ toolName: "a", source: "check" }, timeout);
      await record({ toolName: "b" }, timeout);
      const all = { days: null, zone: "UTC" };
      const { total, failures, read, latency, clients, versions, since } = await store.toolStatistics("a", all);
      expect(total).toMatchObject({ calls: 5, finished: 4, failed: 3, consoleInvalid: 1, p95Ms: near(5_000) });
      expect(failures.map(({ kind, message, calls, latestAt }) => [kind, message, calls, latestAt])).toEqual([
        ["timedOut", "Timed out", 2, NOW - 2],
        ["invalid", "days must be integer", 1, NOW],
      ]);
      expect(read).toBe(3);
      expect(latency.filter(({ calls }) => calls > 0)).toEqual([
        { upToMs: 10, calls: 1, failed: 0 },
        { upToMs: 10_000, calls: 2, failed: 2 },
      ]);
      expect(new Map(clients.map(({ key, source, calls }) => [key ?? source, calls]))).toEqual(
        new Map([
          ["claude", 2],
          ["console", 2],
          ["api", 1],
        ]),
      );
      expect(versions).toMatchObject([{ calls: 5, number: null }]);
      expect(since).toBeNull();
    });

    it("a tool's statistics cover the days of the asked period in the viewer's zone, and all calls without one", async () => {
      const failed = { status: "failed", errorKind: "tool_error", error: "No" } as const;
      await record({ toolName: "a", queuedAt: NOW - 91 * DAY }, failed);
      await record({ toolName: "a", queuedAt: NOW - 88 * DAY }, failed);
      for (let at = 0; at < 3; at += 1) await record({ toolName: "a" });
      const readPeriod = async (days: number | null, zone = "UTC") => {
        const { total, since, failures } = await store.toolStatistics("a", { days, zone });
        return [total.calls, since, failures[0]?.calls];
      };
      const today = Date.UTC(2026, 10, 21);
      expect(await readPeriod(90)).toEqual([4, today - 89 * DAY, 1]);
      expect(await readPeriod(7)).toEqual([3, today - 6 * DAY, undefined]);
      expect(await readPeriod(1, "Asia/Tokyo")).toEqual([3, today - 9 * 3_600_000, undefined]);
      expect(await readPeriod(null)).toEqual([5, null, 2]);
      expect(await store.toolStats("a")).toMatchObject({ calls: 5, failed: 2 });
      const { totals } = await store.overview(7, "UTC");
      expect((await store.toolStatistics("a", { days: 7, zone: "UTC" })).total.calls).toBe(totals.calls);
    });

    it("definitions are counted over all calls of the tools", async () => {
      const other = { ...WEATHER, description: "Another one" };
      for (const definition of [WEATHER, WEATHER, other]) await record({ toolName: "a", definition });
      await record({ toolName: "b", definition: WEATHER });
      expect(await store.definitionUse(["a"])).toEqual({
        counts: { [store.hashDefinition(WEATHER)]: 2, [store.hashDefinition(other)]: 1 },
        complete: true,
      });
    });

    it("a reader of statistics gets no message of another user's private call", async () => {
      const failed = { status: "failed", errorKind: "tool_error", error: "No mail of Ada" } as const;
      const ada = { toolName: "mail", serverName: "mail", actor: { id: "ada", name: "Ada" } };
      await record(ada, { ...failed, credential: "personal" });
      const read = async (id: string) =>
        (await store.toolFailures("mail", 0, { id, personal: ["mail"], open: [] })).failures.map(
          ({ message }) => message,
        );
      expect([await read("ada"), await read("bob")]).toEqual([["No mail of Ada"], [null]]);
    });

    it("facets name every tool once and every actor by the name used last", async () => {
      for (const toolName of ["b", "a", "b", "__proto__"]) await record({ toolName });
      await record({ toolName: "a", actor: { id: "ada", name: "Ada" } });
      await record({ toolName: "a", actor: { id: "ada", name: "Ada L." } });
      expect(await store.facets()).toEqual({
        tools: ["__proto__", "a", "b"],
        actors: [
          { id: "ada", name: "Ada L." },
          { id: "local-owner", name: "Local owner" },
        ],
      });
    });
  });
}
