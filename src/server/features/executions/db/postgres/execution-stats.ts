import { isContentName } from "../../../../../lib/contract/execution-kind";
import type { Clock } from "../../../../engine/ports";
import type { ExecutionStats } from "../../execution-store";
import {
  addCall,
  type CallTally,
  createTally,
  DAY_MS,
  FAILED_SQL,
  type FigureRow,
  toFigures,
  toWaitFigures,
  WAIT_SQL,
} from "../call-figures";
import { UNCOUNTED_SQL } from "../counted-sources";
import { selectDistinct } from "../distinct-values";
import { IN_UNSUCCESSFUL } from "../execution-queries";
import { MAX_DEFINITION_CALLS, MAX_FACETS, MAX_TOOL_SAMPLE, MAX_TOOLS, mergeToolNames } from "../execution-stats";
import { createOverviewTally, OVERVIEW_SAMPLE_LIMIT, OVERVIEW_SLICE, type SampleRow } from "../overview-tally";
import { type CallRow, createToolStatistics, selectNewestCalls, VERSION_OF_CALL } from "../tool-statistics";
import { DURATION, NEWEST } from "./execution-queries";
import type { PostgresReads } from "./reads";

const COUNTED = `source NOT IN ${UNCOUNTED_SQL}`;
const FINISHED = `(status = 'succeeded' OR ${FAILED_SQL})`;
const ALL_BUT_SUCCEEDED = `SELECT count(*) FROM "Execution" WHERE ${IN_UNSUCCESSFUL}`;

export function createPostgresExecutionStats(reads: PostgresReads, clock: Clock): ExecutionStats {
  const readDistinct = async (column: Parameters<typeof selectDistinct>[0]): Promise<string[]> =>
    (await reads.rows<{ value: string }>(selectDistinct(column), [MAX_FACETS])).map(({ value }) => value);

  return {
    ...createToolFigures(reads, clock),
    overview: createOverview(reads, clock),

    toolStatistics: createToolStatistics({
      readNewest(name, readableBy) {
        const { sql, values } = selectNewestCalls(DURATION, readableBy);
        return reads.rows<CallRow>(sql, [...values, name]);
      },
      readVersion: async (id) => (await reads.rows<{ number: number; toolName: string }>(VERSION_OF_CALL, [id]))[0],
    }),

    async definitionUse(tools) {
      const counts = new Map<string, number>();
      let left = MAX_DEFINITION_CALLS;
      let complete = true;
      for (const tool of tools) {
        const rows = await reads.rows<{ definitionHash: string | null; calls: number }>(
          `SELECT "definitionHash", count(*) AS calls FROM (
             SELECT "definitionHash" FROM "Execution" WHERE "toolName" = ? AND ${COUNTED} ORDER BY seq DESC LIMIT ${left + 1}
           ) AS newest GROUP BY "definitionHash"`,
          [tool],
        );
        for (const { definitionHash, calls } of rows) {
          if (definitionHash !== null) counts.set(definitionHash, (counts.get(definitionHash) ?? 0) + calls);
          left -= calls;
        }
        if (left < 0) {
          complete = false;
          break;
        }
      }
      return { counts: Object.fromEntries(counts), complete };
    },

    async counts() {
      const [all, uncounted, replays, running] = await Promise.all([
        readNumber(reads, 'SELECT count(*) FROM "Execution"'),
        readNumber(reads, `SELECT count(*) FROM "Execution" WHERE source IN ${UNCOUNTED_SQL}`),
        readNumber(reads, `SELECT count(*) FROM "Execution" WHERE source = 'replay'`),
        readRunning(reads),
      ]);
      return { executions: all - uncounted, replays, running };
    },

    async facets() {
      const [own, calledAs] = [await readDistinct("toolName"), await readDistinct("calledAs")];
      const actors = await reads.rows<{ id: string; name: string }>(
        `SELECT actor.value AS id, (SELECT "actorName" FROM "Execution" WHERE "actorId" = actor.value
           ORDER BY seq DESC LIMIT 1) AS name FROM (${selectDistinct("actorId")}) AS actor`,
        [MAX_FACETS],
      );
      return { tools: mergeToolNames(own, calledAs), actors };
    },
  };
}

async function readNumber(
  reads: PostgresReads,
  sql: string,
  values: readonly (string | number)[] = [],
): Promise<number> {
  const [row] = await reads.rows<{ count: number }>(sql, values);
  return row?.count ?? 0;
}

const readRunning = (reads: PostgresReads): Promise<number> =>
  readNumber(reads, `SELECT count(*) FROM "Execution" WHERE status = 'running' AND ${IN_UNSUCCESSFUL} AND ${COUNTED}`);

function createToolFigures(
  reads: PostgresReads,
  clock: Clock,
): Pick<ExecutionStats, "toolFigures" | "serverFigures" | "toolStats"> {
  /** Reads the rows of the tool, or those that did not succeed and those that are in no figure, whichever are fewer. */
  async function countCalls(name: string): Promise<CallTally["classes"]> {
    const [counts] = await reads.rows<{ calls: number; others: number }>(
      `SELECT (SELECT count(*) FROM "Execution" WHERE "toolName" = ?) AS calls,
         (${ALL_BUT_SUCCEEDED}) + (SELECT count(*) FROM "Execution" WHERE source IN ${UNCOUNTED_SQL}) AS others`,
      [name],
    );
    const { calls, others } = counts ?? { calls: 0, others: 0 };
    const isFew = calls <= others;
    const rows = await reads.rows<FigureRow & { calls: number }>(
      `SELECT status, "errorKind", count(*) AS calls, NULL AS "durationMs", NULL AS "waitMs" FROM "Execution"
       WHERE "toolName" = ? AND ${isFew ? "true" : IN_UNSUCCESSFUL} AND ${COUNTED} GROUP BY status, "errorKind"`,
      [name],
    );
    const tally = createTally();
    for (const row of rows) addCall(tally, row, row.calls);
    const { classes } = tally;
    if (isFew) return classes;
    const uncounted = await readNumber(
      reads,
      `SELECT count(*) FROM "Execution" WHERE source IN ${UNCOUNTED_SQL} AND "toolName" = ?`,
      [name],
    );
    const succeeded = calls - uncounted - classes.calls;
    return { ...classes, calls: classes.calls + succeeded, finished: classes.finished + succeeded };
  }

  return {
    async toolFigures(days) {
      const lastUses = await reads.rows<{ toolName: string; lastUsedAt: number }>(
        `SELECT tool.value AS "toolName", (SELECT "queuedAt" FROM "Execution" WHERE "toolName" = tool.value
           ORDER BY seq DESC LIMIT 1) AS "lastUsedAt" FROM (${selectDistinct("toolName")}) AS tool`,
        [MAX_TOOLS],
      );
      const figures = new Map(
        lastUses
          .filter(({ toolName }) => !isContentName(toolName))
          .map((row) => [row.toolName, { ...row, calls: 0, finished: 0, failed: 0 }]),
      );
      const counted = await reads.rows<{ toolName: string; calls: number; finished: number; failed: number }>(
        `SELECT "toolName", count(*) AS calls, count(*) FILTER (WHERE ${FINISHED}) AS finished,
           count(*) FILTER (WHERE ${FAILED_SQL}) AS failed FROM "Execution"
         WHERE "queuedAt" >= ? AND ${COUNTED} GROUP BY "toolName"`,
        [clock.now() - days * DAY_MS],
      );
      for (const row of counted) {
        const figure = figures.get(row.toolName);
        if (figure !== undefined) Object.assign(figure, row);
      }
      return [...figures.values()];
    },

    serverFigures: (days) =>
      reads.rows(
        `SELECT "serverName", count(*) AS calls, count(*) FILTER (WHERE ${FINISHED}) AS finished,
           count(*) FILTER (WHERE ${FAILED_SQL}) AS failed,
           percentile_disc(0.95) WITHIN GROUP (ORDER BY ${DURATION}) FILTER (WHERE ${FINISHED}) AS "p95Ms"
         FROM "Execution" WHERE "queuedAt" >= ? AND "serverName" IS NOT NULL AND ${COUNTED}
           AND coalesce("implementationType", '') NOT IN ('resource', 'prompt') GROUP BY "serverName"`,
        [clock.now() - days * DAY_MS],
      ),

    async toolStats(name) {
      const newest = createTally();
      const rows = await reads.rows<FigureRow>(
        `SELECT status, "errorKind", ${DURATION} AS "durationMs", ${WAIT_SQL} AS "waitMs" FROM "Execution"
         WHERE "toolName" = ? AND "executionTimeMs" IS NOT NULL AND ${COUNTED} ORDER BY seq DESC LIMIT ${MAX_TOOL_SAMPLE}`,
        [name],
      );
      for (const row of rows) addCall(newest, row);
      return { ...toFigures(newest), ...(await countCalls(name)), waits: toWaitFigures(newest.waits) };
    },
  };
}

function createOverview(reads: PostgresReads, clock: Clock): ExecutionStats["overview"] {
  return async (days, zone) => {
    const tally = createOverviewTally(clock.now(), days, zone);
    let [at, below] = [NEWEST, NEWEST];
    let left = OVERVIEW_SAMPLE_LIMIT;
    let sampled = false;
    while (true) {
      const size = Math.min(OVERVIEW_SLICE, left + 1);
      // By time and not by number, so that calls before the window are never read.
      const rows = await reads.rows<SampleRow>(
        `SELECT seq, "queuedAt", "toolName", status, "errorKind", ${DURATION} AS "durationMs", ${WAIT_SQL} AS "waitMs"
       FROM "Execution" WHERE ("queuedAt", seq) < (?::bigint, ?::bigint) AND "queuedAt" >= ? AND ${COUNTED}
       ORDER BY "queuedAt" DESC, seq DESC LIMIT ${size}`,
        [at, below, tally.since],
      );
      sampled = rows.length > left;
      const counted = sampled ? rows.slice(0, left) : rows;
      for (const row of counted) tally.add(row);
      left -= counted.length;
      const last = rows.at(-1);
      if (sampled || last === undefined || rows.length < size) break;
      [at, below] = [last.queuedAt, last.seq];
    }
    return tally.result({ running: await readRunning(reads), sampleLimit: OVERVIEW_SAMPLE_LIMIT, sampled });
  };
}
