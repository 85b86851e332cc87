import { CALL_CLASSES, FAILED_CLASSES } from "../../../../../lib/contract/call-class";
import {
  DURATION_BUCKETS,
  type ExecutionTimeline,
  SIZE_BUCKETS,
  type TimelinePoint,
  toFacetCounts,
} from "../../../../../lib/contract/execution-facets";
import type { Clock } from "../../../../engine/ports";
import type { CountEffort, ExecutionAnalysis, StoredFacet, StoredFilter } from "../../execution-store";
import { CLASS_SQL } from "../class-conditions";
import { getCountLimits } from "../count-limits";
import { NO_CALLS, toSteps } from "../execution-analysis";
import { type Condition, toBucketName } from "../unindexed-conditions";
import { DURATION, NEWEST, toCondition } from "./execution-queries";
import type { createExecutionSearch } from "./execution-search";
import type { createListReads } from "./list-reads";
import type { PostgresReads } from "./reads";

/** The newest rows that are read where there was not enough time for all, and the time that they get. */
const NEWEST_ROWS = { quick: 4_000, thorough: 50_000 };
const NEWEST_BUDGET_MS = 300;

const listTexts = (values: readonly string[]): string => values.map((value) => `'${value}'`).join(", ");

const FACETS: Readonly<Record<StoredFacet, string>> = {
  tool: '"toolName"',
  ownTool: '"toolName"',
  server: '"serverName"',
  toolset: "toolset",
  actor: '"actorId"',
  client: "split_part(client, '/', 1)",
  source: "source",
  errorKind: '"errorKind"',
  status: CLASS_SQL,
  kind: `CASE WHEN "implementationType" IN ('resource', 'prompt') THEN "implementationType" ELSE 'tool' END`,
  duration: toBucketName("duration", DURATION_BUCKETS),
  size: toBucketName('"storedBytes"', SIZE_BUCKETS),
};

/** The figures of a step, each with the classes that it counts. */
const STEP_FIGURES: readonly (readonly [name: string, classes: readonly string[]])[] = [
  ...CALL_CLASSES.filter((each) => each !== "running" && each !== "waiting").map((each) => [each, [each]] as const),
  ["failed", FAILED_CLASSES],
  ["open", ["running", "waiting"]],
];

interface AnalysisPorts {
  reads: PostgresReads;
  clock: Clock;
  lists: Pick<ReturnType<typeof createListReads>, "toWindow" | "findNamed">;
  search: Pick<ReturnType<typeof createExecutionSearch>, "searchSeqs">;
}

/** The newest matching calls as a table; null for none. */
interface Calls extends Condition {
  isWhole: boolean;
}

/** The matching calls as a table of a statement, and the columns that are read from it. */
function createCallReads({ reads, lists, search }: Omit<AnalysisPorts, "clock">) {
  /** @param columns of the calls */
  async function selectCalls(filter: StoredFilter, columns: string, effort?: CountEffort): Promise<Calls | null> {
    const { scanned, serverMs } = getCountLimits(effort);
    const text = filter.q?.trim() ?? "";
    const named = await lists.findNamed(text, filter);
    const window = await lists.toWindow(filter, NEWEST);
    if (named === null || (named === undefined && window === null)) return null;
    if (window !== null && named === undefined && text === "") {
      const { sql, values } = toCondition(window);
      const select = `SELECT ${columns} FROM "Execution" WHERE ${sql} ORDER BY seq DESC LIMIT ${scanned + 1}`;
      return { sql: select, values, isWhole: true };
    }
    const until = performance.now() + serverMs / 2;
    const seqs =
      named === undefined && window !== null ? await search.searchSeqs(window, text, scanned, until) : [named ?? 0];
    const isWhole = named !== undefined || (seqs.length < scanned && performance.now() < until);
    return {
      sql: `SELECT ${columns} FROM "Execution" WHERE seq IN (${seqs.length > 0 ? seqs.join(", ") : "0"})`,
      values: [],
      isWhole,
    };
  }

  /** Reads from the calls; in too short a time, from those among the newest rows. */
  async function readCalls<Row>(
    calls: Calls,
    statement: (table: string) => string,
    effort?: CountEffort,
    before: Condition["values"] = [],
  ) {
    const read = (table: string, ms: number) =>
      reads.rowsWithin<Row>(ms, statement(`WITH calls AS MATERIALIZED (${table})`), [...calls.values, ...before]);
    const rows = await read(calls.sql, getCountLimits(effort).serverMs / 2);
    if (rows !== null) return { rows, isWhole: calls.isWhole };
    const most = NEWEST_ROWS[effort?.isThorough ? "thorough" : "quick"];
    const newest = `FROM (SELECT * FROM "Execution" ORDER BY seq DESC LIMIT ${most}) AS "Execution"`;
    const part = await read(calls.sql.replace('FROM "Execution"', newest), NEWEST_BUDGET_MS);
    return { rows: part ?? [], isWhole: false };
  }

  return { selectCalls, readCalls };
}

export function createPostgresExecutionAnalysis({ clock, ...ports }: AnalysisPorts): ExecutionAnalysis {
  const { selectCalls, readCalls } = createCallReads(ports);
  return {
    async facetCounts(filter, facets, effort) {
      const columns = `"toolName", "calledAs", "serverName", toolset, "actorId", client, source, "errorKind", status,
        "implementationType", "storedBytes", ${DURATION} AS duration`;
      const calls = await selectCalls(filter, columns, effort);
      if (calls === null) return new Map(facets.map((facet) => [facet, { values: [], more: false }]));
      const groups = facets.map(
        (facet) => `SELECT '${facet}' AS facet, ${FACETS[facet]} AS value, count(*) AS calls FROM calls GROUP BY 2`,
      );
      if (facets.includes("tool")) {
        groups.push(`SELECT 'tool', "calledAs", count(*) FROM calls WHERE "calledAs" <> "toolName" GROUP BY 2`);
      }
      groups.push("SELECT '', '', count(*) FROM calls");
      const { rows, isWhole } = await readCalls<{ facet: string; value: string | null; calls: number }>(
        calls,
        (table) => `${table} ${groups.join(" UNION ALL ")}`,
        effort,
      );
      const total = rows.find(({ facet }) => facet === "")?.calls ?? 0;
      return new Map(
        facets.map((facet) => {
          const counts = new Map<string, number>();
          for (const row of rows) {
            if (row.facet !== facet || row.value === null) continue;
            counts.set(row.value, (counts.get(row.value) ?? 0) + row.calls);
          }
          return [facet, toFacetCounts(facet, counts, isWhole && total <= getCountLimits(effort).scanned)];
        }),
      );
    },

    async timeline(filter, zone, effort): Promise<ExecutionTimeline> {
      const columns = `"queuedAt", status, "errorKind", source, ${DURATION} AS duration`;
      const calls = await selectCalls(filter, columns, effort);
      const none = { points: [], end: 0, more: false };
      if (calls === null) return none;
      const found = await readCalls<{ calls: number; first: number | null; last: number | null }>(
        calls,
        (table) => `${table} SELECT count(*) AS calls, min("queuedAt") AS first, max("queuedAt") AS last FROM calls`,
        effort,
      );
      const { calls: total = 0, first = null, last = null } = found.rows[0] ?? {};
      const isWhole = found.isWhole && total <= getCountLimits(effort).scanned;
      if (first === null || last === null) return { ...none, more: !isWhole };
      const { starts, end } = toSteps(filter, isWhole, { first, last }, zone, clock.now());
      const sums = STEP_FIGURES.map(
        ([name, classes]) => `count(*) FILTER (WHERE class IN (${listTexts(classes)})) AS "${name}"`,
      );
      const steps = await readCalls<StepRow>(
        calls,
        (
          table,
        ) => `${table} SELECT width_bucket("queuedAt", ?::bigint[]) AS step, count(*) AS calls, ${sums.join(", ")},
            percentile_disc(ARRAY[0.5, 0.95, 0.99]) WITHIN GROUP (ORDER BY duration)
              FILTER (WHERE class IN (${listTexts(["succeeded", ...FAILED_CLASSES])})) AS times
          FROM (SELECT *, ${CLASS_SQL} AS class FROM calls) AS classified WHERE "queuedAt" < ?::bigint GROUP BY 1`,
        effort,
        [`{${starts.join(",")}}`, end],
      );
      const byStep = new Map(steps.rows.map(({ step, ...row }) => [step - 1, row]));
      const points = starts.map((at, step): TimelinePoint => {
        const { times, ...counts } = byStep.get(step) ?? { ...NO_CALLS, times: null };
        return { at, ...counts, p50Ms: times?.[0] ?? null, p95Ms: times?.[1] ?? null, p99Ms: times?.[2] ?? null };
      });
      return { points, end, more: !isWhole || !steps.isWhole };
    },
  };
}

interface StepRow extends Omit<TimelinePoint, "at" | "p50Ms" | "p95Ms" | "p99Ms"> {
  step: number;
  times: (number | null)[] | null;
}
