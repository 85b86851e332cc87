import type { ToolFigures } from "../../../../lib/contract/execution";
import { isContentName } from "../../../../lib/contract/execution-kind";
import { MAX_LISTED_TOOLS } from "../../../../lib/contract/tool-filter";
import type { Database } from "../../../platform/db/database";
import type { PageFigures } from "../../statistics/db/page-figures";
import type { ExecutionStats } from "../execution-store";
import { selectDistinct } from "./distinct-values";
import { createToolStatistics } from "./tool-statistics";

const MAX_FACETS = 500;
const MAX_TOOLS = 10_000;

const selectLastUses = (tools: string): string =>
  `SELECT tool.value AS "toolName", (SELECT "queuedAt" FROM "Execution" WHERE "toolName" = tool.value
    ORDER BY seq DESC LIMIT 1) AS "lastUsedAt" FROM (${tools}) AS tool`;
const LAST_USES = selectLastUses(selectDistinct("toolName"));
const LISTED = Array.from({ length: MAX_LISTED_TOOLS }, () => "(?)").join(", ");
const LAST_USES_OF_LISTED = selectLastUses(`SELECT column1 AS value FROM (VALUES ${LISTED}) AS listed`);
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

    async toolFigures(days, tools) {
      const uses = await (tools === undefined ? db.rows<LastUse>(LAST_USES, MAX_TOOLS) : readLastUses(db, tools));
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

type LastUse = Pick<ToolFigures, "toolName" | "lastUsedAt">;

/** When these tools were called last, without those that never were. Rows without a name fill the one prepared text. */
async function readLastUses(db: Database, tools: readonly string[]): Promise<LastUse[]> {
  if (tools.length === 0) return [];
  const names = Array.from({ length: MAX_LISTED_TOOLS }, (_, at) => tools[at] ?? "");
  const uses = await db.rows<{ toolName: string; lastUsedAt: number | null }>(LAST_USES_OF_LISTED, ...names);
  return uses.flatMap(({ toolName, lastUsedAt }) => (lastUsedAt === null ? [] : { toolName, lastUsedAt }));
}

/** The names of tools, and those that callers used for them. */
function mergeToolNames(own: readonly string[], calledAs: readonly string[]): string[] {
  return [...new Set([...own.filter((name) => !isContentName(name)), ...calledAs])].sort();
}
