import { isContentName } from "../../../../lib/contract/execution-kind";
import type { Database } from "../../../platform/db/database";
import type { PageFigures } from "../../statistics/db/page-figures";
import type { ExecutionStats } from "../execution-store";
import { selectDistinct } from "./distinct-values";
import { createToolStatistics } from "./tool-statistics";

const MAX_FACETS = 500;
const MAX_TOOLS = 10_000;

const NEWEST_OF_TOOL = `SELECT tool.value AS "toolName", (SELECT "queuedAt" FROM "Execution" WHERE "toolName" = tool.value
    ORDER BY seq DESC LIMIT 1) AS "lastUsedAt" FROM (${selectDistinct("toolName")}) AS tool`;
const ACTORS = `SELECT actor.value AS id, (SELECT "actorName" FROM "Execution" WHERE "actorId" = actor.value
    ORDER BY seq DESC LIMIT 1) AS name FROM (${selectDistinct("actorId")}) AS actor`;

/** Figures of executions: from the rows of statistics, and what only the calls themselves say. */
export function createExecutionStats(db: Database, figures: PageFigures): ExecutionStats {
  const { overview, toolStats, serverFigures, counts, definitionUse } = figures;
  const readDistinct = async (column: Parameters<typeof selectDistinct>[0]): Promise<string[]> =>
    (await db.rows<{ value: string }>(selectDistinct(column), MAX_FACETS)).map(({ value }) => value);
  return {
    overview,
    toolStats,
    serverFigures,
    counts,
    definitionUse,
    ...createToolStatistics(db, figures),

    async toolFigures(days) {
      const uses = await db.rows<{ toolName: string; lastUsedAt: number }>(NEWEST_OF_TOOL, MAX_TOOLS);
      return await figures.toolFigures(
        days,
        uses.filter(({ toolName }) => !isContentName(toolName)),
      );
    },

    async facets() {
      const own = await readDistinct("toolName");
      const calledAs = await readDistinct("calledAs");
      return {
        tools: mergeToolNames(own, calledAs),
        actors: await db.rows<{ id: string; name: string }>(ACTORS, MAX_FACETS),
      };
    },
  };
}

/** The names of tools, and those that callers used for them. */
function mergeToolNames(own: readonly string[], calledAs: readonly string[]): string[] {
  return [...new Set([...own.filter((name) => !isContentName(name)), ...calledAs])].sort();
}
