import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ExecutionEnd, ExecutionStart } from "../../engine/ports";
import { anEnd, aStart } from "../../features/executions/execution.test-support";
import type { ExecutionStore } from "../../features/executions/execution-store";
import { type CreateDatabase, useDatabase } from "./store-database.test-support";

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 10, 21, 13, 30);

export function describeExecutionStats(createDatabase: CreateDatabase): void {
  describe("figures of executions", () => {
    const database = useDatabase(createDatabase);
    let store: ExecutionStore;
    beforeEach(() => {
      store = database().executions({ instanceId: "inst_a", clock: { now: () => NOW, elapsed: () => 0 } });
    });
    afterEach(() => store.close());

    function record(start: Partial<ExecutionStart>, end: Partial<ExecutionEnd> = {}): Promise<void> {
      const whole = aStart({ queuedAt: NOW, ...start });
      return store.record(whole, anEnd(whole, end));
    }

    it("an empty execution log has zero calls, no percentile and every day of the window", async () => {
      const overview = await store.overview(3);
      expect(overview.totals).toEqual({ calls: 0, failed: 0, running: 0, p50Ms: null, p95Ms: null });
      expect(overview.days.map(({ day, calls }) => [day, calls])).toEqual([
        ["2026-11-19", 0],
        ["2026-11-20", 0],
        ["2026-11-21", 0],
      ]);
      expect(overview).toMatchObject({ slowest: [], failing: [], sampled: false, sampleLimit: 50_000 });
      expect(await store.toolStats("nothing")).toEqual({ calls: 0, failed: 0, p50Ms: null, p95Ms: null });
      expect(await store.facets()).toEqual({ tools: [], actors: [] });
    });

    it("the overview counts by UTC day and by tool, within the window only", async () => {
      await record({ toolName: "old", queuedAt: NOW - 3 * DAY });
      await record({ toolName: "fast", queuedAt: NOW - DAY }, { executionTimeMs: 1 });
      for (const executionTimeMs of [10, 20, 30]) await record({ toolName: "slow" }, { executionTimeMs });
      await record({ toolName: "fast" }, { status: "failed", executionTimeMs: 2 });
      await record({ toolName: "fast" }, { status: "cancelled", executionTimeMs: 3 });
      await store.begin(aStart({ toolName: "fast", queuedAt: NOW }));
      const overview = await store.overview(2);
      expect(overview.totals).toEqual({ calls: 7, failed: 1, running: 1, p50Ms: 3, p95Ms: 30 });
      expect(overview.days).toEqual([
        { day: "2026-11-20", calls: 1, failed: 0, p50Ms: 1, p95Ms: 1 },
        { day: "2026-11-21", calls: 6, failed: 1, p50Ms: 10, p95Ms: 30 },
      ]);
      expect(overview.slowest).toEqual([
        { toolName: "slow", calls: 3, p95Ms: 30 },
        { toolName: "fast", calls: 4, p95Ms: 3 },
      ]);
      expect(overview.failing).toEqual([{ toolName: "fast", calls: 4, failed: 1 }]);
    });

    it("the overview covers at most the newest 50,000 calls and says when it left some out", async () => {
      await record({});
      await database().execute(`
    INSERT INTO "Execution" (id, status, "toolName", source, "actorId", "actorName", "queuedAt", "instanceId", arguments)
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)
    SELECT 'exec_' || i, 'succeeded', 'many', 'agent', 'a', 'A', ${NOW}, 'i', '{}' FROM n`);
      const overview = await store.overview(1);
      expect(overview.totals.calls).toBe(50_000);
      expect(overview.sampled).toBe(true);
      await database().execute(`DELETE FROM "Execution" WHERE id = 'exec_1'`);
      const whole = await store.overview(1);
      expect(whole.totals.calls).toBe(50_000);
      expect(whole.sampled).toBe(false);
    });

    it("the figures of the catalog cover the window's calls by tool, and the last use of every tool", async () => {
      expect(await store.toolFigures(7)).toEqual([]);
      await record({ toolName: "old", queuedAt: NOW - 9 * DAY }, { status: "failed" });
      await record({ toolName: "used", queuedAt: NOW - 8 * DAY }, { status: "failed" });
      for (const status of ["succeeded", "failed", "cancelled", "timed_out"] as const) {
        await record({ toolName: "used", queuedAt: NOW - DAY }, { status });
      }
      expect(await store.toolFigures(7)).toEqual([
        { toolName: "old", calls: 0, failed: 0, lastUsedAt: NOW - 9 * DAY },
        { toolName: "used", calls: 4, failed: 2, lastUsedAt: NOW - DAY },
      ]);
    });

    it("a tool's figures cover its calls only", async () => {
      for (const executionTimeMs of [4, 1, 3, 2]) await record({ toolName: "a" }, { executionTimeMs });
      await record({ toolName: "a" }, { status: "timed_out", executionTimeMs: 100 });
      await record({ toolName: "b" }, { status: "failed" });
      await store.begin(aStart({ toolName: "a" }));
      expect(await store.toolStats("a")).toEqual({ calls: 6, failed: 1, p50Ms: 3, p95Ms: 100 });
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
