import type { Clock } from "../../../engine/ports";
import type { ExecutionStats } from "../../../features/executions/execution-store";
import type { Database } from "../../database";
import { distinctValues, eachWindow, IN_UNSUCCESSFUL, seqBounds } from "./execution-queries";
import { createOverviewTally, type SampleRow } from "./overview-tally";
import { percentile } from "./percentile";

const MAX_TOOL_SAMPLE = 1_000;
const OVERVIEW_SAMPLE_LIMIT = 50_000;
const OVERVIEW_SLICE = 2_000;
const MAX_OVERVIEW_DAYS = 90;
const MAX_FACETS = 500;
const MAX_TOOLS = 10_000;
const DAY_MS = 86_400_000;
/** Cancelled calls do not count as failures. */
const FAILED = "status IN ('failed', 'timed_out', 'interrupted')";

export function createExecutionStats({ raw }: Database, clock: Clock): ExecutionStats {
  const count = (sql: string) => raw.prepare<string[], number>(sql).pluck().safeIntegers(false);
  const all = count('SELECT count(*) FROM "Execution"');
  const replays = count(`SELECT count(*) FROM "Execution" WHERE source = 'replay'`);
  const running = count(`SELECT count(*) FROM "Execution" WHERE status = 'running' AND ${IN_UNSUCCESSFUL}`);
  const callsOfTool = count('SELECT count(*) FROM "Execution" WHERE "toolName" = ?');
  const failedOfTool = count(
    `SELECT count(*) FROM "Execution" WHERE "toolName" = ? AND ${FAILED} AND ${IN_UNSUCCESSFUL}`,
  );
  const timesOfTool = count(
    `SELECT "executionTimeMs" FROM "Execution" WHERE "toolName" = ? AND "executionTimeMs" IS NOT NULL
     ORDER BY seq DESC LIMIT ${MAX_TOOL_SAMPLE}`,
  );
  const nameOfActor = raw
    .prepare<[string], string>('SELECT "actorName" FROM "Execution" WHERE "actorId" = ? ORDER BY seq DESC LIMIT 1')
    .pluck();
  const sample = raw
    .prepare<[number, number, number, number], SampleRow>(
      `SELECT seq, "queuedAt", "toolName", status, "executionTimeMs" FROM "Execution"
       WHERE seq < ? AND seq >= ? AND +"queuedAt" >= ? ORDER BY seq DESC LIMIT ?`,
    )
    .safeIntegers(false);

  // One step of the index for each tool, whatever the number of its calls.
  const lastUses = raw
    .prepare<[], { toolName: string; lastUsedAt: number }>(
      `WITH RECURSIVE step("toolName") AS (
         SELECT min("toolName") FROM "Execution"
         UNION ALL
         SELECT (SELECT min(e."toolName") FROM "Execution" e WHERE e."toolName" > step."toolName") FROM step
         WHERE step."toolName" IS NOT NULL
       )
       SELECT "toolName", (SELECT e."queuedAt" FROM "Execution" e WHERE e."toolName" = step."toolName"
         ORDER BY e.seq DESC LIMIT 1) AS "lastUsedAt"
       FROM step WHERE "toolName" IS NOT NULL LIMIT ${MAX_TOOLS}`,
    )
    .safeIntegers(false);
  const callsByTool = raw
    .prepare<[number, number, number], { toolName: string; calls: number; failed: number }>(
      `SELECT "toolName", count(*) AS calls, sum(${FAILED}) AS failed FROM "Execution"
       WHERE seq < ? AND seq > ? AND +"queuedAt" >= ? GROUP BY +"toolName"`,
    )
    .safeIntegers(false);

  return {
    async toolFigures(days) {
      const figures = new Map(lastUses.all().map((row) => [row.toolName, { ...row, calls: 0, failed: 0 }]));
      const since = clock.now() - days * DAY_MS;
      const bounds = seqBounds(raw, since, Number.MAX_SAFE_INTEGER);
      if (bounds === null) return [...figures.values()];
      await eachWindow(raw, { below: bounds.last + 1, above: bounds.first - 1 }, ({ below, above }) => {
        for (const { toolName, calls, failed } of callsByTool.all(below, above, since)) {
          const figure = figures.get(toolName);
          if (figure === undefined) continue;
          figure.calls += calls;
          figure.failed += failed;
        }
        return true;
      });
      return [...figures.values()];
    },

    async toolStats(name) {
      const times = timesOfTool.all(name).sort((left, right) => left - right);
      return {
        calls: callsOfTool.get(name) ?? 0,
        failed: failedOfTool.get(name) ?? 0,
        p50Ms: percentile(times, 0.5),
        p95Ms: percentile(times, 0.95),
      };
    },

    async overview(days) {
      const tally = createOverviewTally(clock.now(), Math.max(1, Math.min(Math.trunc(days), MAX_OVERVIEW_DAYS)));
      const bounds = seqBounds(raw, tally.since, Number.MAX_SAFE_INTEGER);
      let below = bounds === null ? 0 : bounds.last + 1;
      let left = OVERVIEW_SAMPLE_LIMIT;
      let sampled = false;
      while (bounds !== null) {
        const rows = sample.all(below, bounds.first, tally.since, Math.min(OVERVIEW_SLICE, left + 1));
        sampled = rows.length > left;
        const counted = sampled ? rows.slice(0, left) : rows;
        for (const row of counted) tally.add(row);
        left -= counted.length;
        const last = rows.at(-1);
        if (sampled || last === undefined) break;
        below = last.seq;
        // Lets other work run between slices.
        await new Promise((resolve) => setImmediate(resolve));
      }
      return tally.result({ running: running.get() ?? 0, sampleLimit: OVERVIEW_SAMPLE_LIMIT, sampled });
    },

    async counts() {
      return { executions: all.get() ?? 0, replays: replays.get() ?? 0, running: running.get() ?? 0 };
    },

    async facets() {
      return {
        tools: distinctValues(raw, "toolName", MAX_FACETS),
        actors: distinctValues(raw, "actorId", MAX_FACETS).map((id) => ({ id, name: nameOfActor.get(id) ?? id })),
      };
    },
  };
}
