import { isContentName } from "../../../../lib/contract/execution-kind";
import type { DefinitionUse } from "../../../../lib/contract/tool-version";
import type { Clock } from "../../../engine/ports";
import type { SqliteDatabase } from "../../../platform/db/database";
import type { RawDatabase } from "../../../platform/db/sqlite/connection";
import type { ExecutionStats } from "../execution-store";
import {
  addCall,
  type CallTally,
  createTally,
  DAY_MS,
  FAILED_SQL,
  type FigureRow,
  prepareServerFigures,
  toFigures,
  toWaitFigures,
  WAIT_SQL,
} from "./call-figures";
import { COUNTED, UNCOUNTED_SQL } from "./counted-sources";
import { distinctValues } from "./distinct-values";
import { eachWindow, IN_UNSUCCESSFUL, seqBounds } from "./execution-queries";
import { DURATION_SQL } from "./execution-statements";
import { createOverviewTally, OVERVIEW_SAMPLE_LIMIT, OVERVIEW_SLICE, type SampleRow } from "./overview-tally";
import { prepareToolStatistics } from "./tool-statistics";

export const MAX_TOOL_SAMPLE = 1_000;
export const MAX_FACETS = 500;
export const MAX_TOOLS = 10_000;

type Raw = SqliteDatabase["raw"];

function prepareCounts(raw: Raw) {
  const count = (sql: string) => raw.prepare<string[], number>(sql).pluck().safeIntegers(false);
  const all = count('SELECT count(*) FROM "Execution"');
  const replays = count(`SELECT count(*) FROM "Execution" WHERE source = 'replay'`);
  const others = count(`SELECT count(*) FROM "Execution" WHERE source IN ${UNCOUNTED_SQL}`);
  const running = count(
    `SELECT count(*) FROM "Execution" WHERE status = 'running' AND ${IN_UNSUCCESSFUL} AND ${COUNTED}`,
  );
  // Counted apart: with a condition on the source, every row of the tool would be read.
  const callsOfTool = count('SELECT count(*) FROM "Execution" WHERE "toolName" = ?');
  const othersOfTool = count(`SELECT count(*) FROM "Execution" WHERE source IN ${UNCOUNTED_SQL} AND +"toolName" = ?`);
  const unsuccessful = count(`SELECT count(*) FROM "Execution" WHERE ${IN_UNSUCCESSFUL}`);
  const groups = (index: string, condition: string) =>
    raw
      .prepare<[string], FigureRow & { calls: number }>(
        `SELECT status, "errorKind", count(*) AS calls, NULL AS "durationMs", NULL AS "waitMs"
         FROM "Execution" INDEXED BY "${index}" WHERE "toolName" = ? AND ${condition} AND ${COUNTED}
         GROUP BY status, "errorKind"`,
      )
      .safeIntegers(false);
  const groupsOfTool = groups("Execution_toolName_idx", "true");
  const unsuccessfulOfTool = groups("Execution_unsuccessful", IN_UNSUCCESSFUL);
  return {
    all,
    replays,
    others,
    running,
    callsOfTool,
    othersOfTool,
    unsuccessful,
    groupsOfTool,
    unsuccessfulOfTool,
  };
}

function prepareReads(raw: Raw) {
  const newestOfTool = raw
    .prepare<[string], FigureRow>(
      `SELECT status, "errorKind", ${DURATION_SQL} AS "durationMs", ${WAIT_SQL} AS "waitMs" FROM "Execution"
       WHERE "toolName" = ? AND "executionTimeMs" IS NOT NULL AND ${COUNTED} ORDER BY seq DESC LIMIT ${MAX_TOOL_SAMPLE}`,
    )
    .safeIntegers(false);
  const nameOfActor = raw
    .prepare<[string], string>('SELECT "actorName" FROM "Execution" WHERE "actorId" = ? ORDER BY seq DESC LIMIT 1')
    .pluck();
  const sample = raw
    .prepare<[number, number, number, number], SampleRow>(
      `SELECT seq, "queuedAt", "toolName", status, "errorKind", ${DURATION_SQL} AS "durationMs", ${WAIT_SQL} AS "waitMs"
       FROM "Execution" WHERE seq < ? AND seq >= ? AND +"queuedAt" >= ? AND ${COUNTED} ORDER BY seq DESC LIMIT ?`,
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
    .prepare<[number, number, number], { toolName: string; calls: number; finished: number; failed: number }>(
      `SELECT "toolName", count(*) AS calls, sum(status = 'succeeded' OR ${FAILED_SQL}) AS finished,
         sum(${FAILED_SQL}) AS failed FROM "Execution"
       WHERE seq < ? AND seq > ? AND +"queuedAt" >= ? AND ${COUNTED} GROUP BY +"toolName"`,
    )
    .safeIntegers(false);
  return { newestOfTool, nameOfActor, sample, lastUses, callsByTool };
}

export function createExecutionStats({ raw }: SqliteDatabase, clock: Clock): ExecutionStats {
  const { all, replays, others, running, callsOfTool, othersOfTool, unsuccessful, groupsOfTool, unsuccessfulOfTool } =
    prepareCounts(raw);
  const { newestOfTool, nameOfActor, sample, lastUses, callsByTool } = prepareReads(raw);

  /** Reads the rows of the tool, or those that did not succeed and those that are in no figure, whichever are fewer. */
  function countCalls(name: string): CallTally["classes"] {
    const { classes, ...tally } = createTally();
    const calls = callsOfTool.get(name) ?? 0;
    const few = calls <= (unsuccessful.get() ?? 0) + (others.get() ?? 0);
    const rows = (few ? groupsOfTool : unsuccessfulOfTool).all(name);
    for (const row of rows) addCall({ classes, ...tally }, row, row.calls);
    if (few) return classes;
    const succeeded = calls - (othersOfTool.get(name) ?? 0) - classes.calls;
    return { ...classes, calls: classes.calls + succeeded, finished: classes.finished + succeeded };
  }

  return {
    async toolFigures(days) {
      const figures = new Map(
        lastUses
          .all()
          .filter(({ toolName }) => !isContentName(toolName))
          .map((row) => [row.toolName, { ...row, calls: 0, finished: 0, failed: 0 }]),
      );
      const since = clock.now() - days * DAY_MS;
      const bounds = await seqBounds(raw, since, Number.MAX_SAFE_INTEGER);
      if (bounds === null) return [...figures.values()];
      await eachWindow(raw, { below: bounds.last + 1, above: bounds.first - 1 }, ({ below, above }) => {
        for (const { toolName, calls, finished, failed } of callsByTool.all(below, above, since)) {
          const figure = figures.get(toolName);
          if (figure === undefined) continue;
          figure.calls += calls;
          figure.finished += finished;
          figure.failed += failed;
        }
        return true;
      });
      return [...figures.values()];
    },

    serverFigures: prepareServerFigures(raw, clock),

    async toolStats(name) {
      const counted = countCalls(name);
      const newest = createTally();
      for (const row of newestOfTool.all(name)) addCall(newest, row);
      return { ...toFigures(newest), ...counted, waits: toWaitFigures(newest.waits) };
    },

    toolStatistics: prepareToolStatistics(raw),

    async overview(days, zone) {
      const tally = createOverviewTally(clock.now(), days, zone);
      const bounds = await seqBounds(raw, tally.since, Number.MAX_SAFE_INTEGER);
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

    definitionUse: prepareDefinitionUse(raw),

    async counts() {
      return {
        executions: (all.get() ?? 0) - (others.get() ?? 0),
        replays: replays.get() ?? 0,
        running: running.get() ?? 0,
      };
    },

    async facets() {
      return {
        tools: mergeToolNames(distinctValues(raw, "toolName", MAX_FACETS), distinctValues(raw, "calledAs", MAX_FACETS)),
        actors: distinctValues(raw, "actorId", MAX_FACETS).map((id) => ({ id, name: nameOfActor.get(id) ?? id })),
      };
    },
  };
}

/** The names of tools, and those that callers used for them. */
export function mergeToolNames(own: readonly string[], calledAs: readonly string[]): string[] {
  return [...new Set([...own.filter((name) => !isContentName(name)), ...calledAs])].sort();
}

export const MAX_DEFINITION_CALLS = 10_000;
const BUDGET_MS = 300;
const SLICE = 1_000;

/** Counts the newest calls of some tools by definition. The index of tools is enough: one row is read per counted call. */
function prepareDefinitionUse(raw: RawDatabase): (tools: readonly string[]) => Promise<DefinitionUse> {
  const select = raw
    .prepare<[string, number, number], { seq: number; definitionHash: string | null }>(
      `SELECT seq, "definitionHash" FROM "Execution" WHERE "toolName" = ? AND seq < ? AND ${COUNTED}
       ORDER BY seq DESC LIMIT ?`,
    )
    .safeIntegers(false);
  return async (tools) => {
    const counts = new Map<string, number>();
    const until = performance.now() + BUDGET_MS;
    let left = MAX_DEFINITION_CALLS;
    let complete = true;
    for (const tool of tools) {
      for (let below = Number.MAX_SAFE_INTEGER; ; ) {
        const size = Math.min(SLICE, left);
        const rows = size > 0 && performance.now() < until ? select.all(tool, below, size) : null;
        if (rows === null) complete = false;
        for (const { definitionHash } of rows ?? []) {
          if (definitionHash !== null) counts.set(definitionHash, (counts.get(definitionHash) ?? 0) + 1);
        }
        left -= rows?.length ?? 0;
        const last = rows?.at(-1);
        if (last === undefined || (rows?.length ?? 0) < size) break;
        below = last.seq;
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    return { counts: Object.fromEntries(counts), complete };
  };
}
