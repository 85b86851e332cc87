import { AMONG, type Steps, selectRows } from "../../../platform/db/sql";
import { UNCOUNTED_SQL } from "../../executions/db/counted-sources";
import { FACT_COLUMNS } from "./call-facts";
import type { StatisticRow } from "./call-tally";
import type { StoredDimension } from "./dimensions";
import type { RawFacts, StatisticsRequest } from "./statistics-data";

/** The columns of `CallFacts`. */
export const listFacts = (alias: string): string => FACT_COLUMNS.map((column) => `${alias}."${column}"`).join(", ");

const ROW = {
  columns: `s."start", s."value", s."detail", s."class", s."errorKind", s."calls", s."durations", s."waits"`,
  read: "s.*",
  ending: "",
};
const COUNTS = {
  columns: `s."start", s."value", s."detail", s."class", s."errorKind", s."calls"`,
  read: `min(s."start") AS "start", s."value", s."detail", s."class", s."errorKind", sum(s."calls") AS "calls", '' AS "durations", '' AS "waits"`,
  ending: `GROUP BY s."value", s."detail", s."class", s."errorKind"`,
};
export const OPEN = `e."status" IN ('running', 'waiting')`;

export const WATERMARK = '(SELECT coalesce(max("seq"), 9007199254740991) FROM "StatisticWatermark")';
/** Noted calls that have ended. SQLite keeps the order of a CROSS JOIN, and would read every call first. */
export const NOTED = `FROM "UncountedExecution" u CROSS JOIN "Execution" e
  WHERE e."seq" = u."seq" AND u."seq" < ${WATERMARK} AND NOT ${OPEN}`;

/** Ended calls that are not in the statistics yet, and calls that have not ended. */
export const READ_UNCOUNTED = `SELECT ${listFacts("e")} ${NOTED} AND +e."source" NOT IN ${UNCOUNTED_SQL}
  UNION ALL SELECT ${listFacts("e")} FROM "Execution" e WHERE e."seq" >= ${WATERMARK} AND NOT ${OPEN} AND +e."source" NOT IN ${UNCOUNTED_SQL}
  UNION ALL SELECT ${listFacts("e")} FROM "Execution" e WHERE ${OPEN} AND e."status" <> 'succeeded' AND e."source" NOT IN ${UNCOUNTED_SQL}`;

export const READ_DELETIONS = 'SELECT "facts" FROM "UncountedDeletion"';
export const READ_REBUILD = 'SELECT "below" FROM "StatisticRebuild"';

type Kind = "sqlite" | "postgres";

/** Returns SQL that selects the rows of one group in the order of time: by the index of groups, or by the primary key for all calls. */
export function fromGroup(kind: Kind, dimension: StoredDimension) {
  if (dimension === "all") return { table: '"Statistic" s', isGroup: 's."value" = ?' };
  // Without ANALYZE, SQLite would choose the primary key and scan the rows of all groups.
  const table = kind === "sqlite" ? '"Statistic" s INDEXED BY "Statistic_groups"' : '"Statistic" s';
  return { table, isGroup: `s."dimension" <> 'all' AND s."value" = ?` };
}

const ALL_GROUPS = { table: '"Statistic" s', isGroup: "true" };

/** The rows of a plan, of one group or of all groups of the dimension. */
export function readRows(
  { dimension, value, kinds, plan, countsOnly }: StatisticsRequest,
  kind: Kind,
): Steps<StatisticRow[]> {
  const { columns, read, ending } = countsOnly === true ? COUNTS : ROW;
  const { table, isGroup } = value === undefined ? ALL_GROUPS : fromGroup(kind, dimension);
  const where = `s."span" = r."span" AND s."dimension" = ? AND s."start" >= r."from" AND s."start" < r."to" AND ${isGroup} AND s."kind" ${AMONG}`;
  // Forces nested loops over the ranges, regardless of the planner's estimate.
  const sql =
    kind === "sqlite"
      ? `SELECT ${read === "s.*" ? columns : read}
         FROM (SELECT value ->> 'span' AS "span", value ->> 'from' AS "from", value ->> 'to' AS "to" FROM json_each(?)) r
         CROSS JOIN ${table} WHERE ${where} ${ending}`
      : `SELECT ${read} FROM json_to_recordset(?::json) AS r("span" int, "from" bigint, "to" bigint)
         CROSS JOIN LATERAL (SELECT ${columns} FROM ${table} WHERE ${where} OFFSET 0) s ${ending}`;
  return selectRows(sql, toJson(plan.ranges), dimension, ...(value === undefined ? [] : [value]), kinds);
}

/** Read for numbers of calls alone. */
const COUNTED_COLUMNS = [
  ...(["toolName", "implementationType", "source", "serverName", "client", "actorId"] as const),
  ...(["toolset", "status", "errorKind"] as const),
].map((column) => `e."${column}"`);
/** Calls that are counted alike are one row: creating an object for each call takes five times as long. */
const ALIKE = {
  columns: [
    ...COUNTED_COLUMNS,
    'min(e."queuedAt") AS "queuedAt"',
    ...(["seq", "definitionHash", "storedBytes", "executionTimeMs", "validateMs", "runMs"] as const).map(
      (column) => `NULL AS "${column}"`,
    ),
    'NULL AS "recordMs", NULL AS "finishedAt", count(*) AS "calls"',
  ].join(", "),
  ending: `GROUP BY ${COUNTED_COLUMNS.join(", ")}`,
};

/** The ended calls of some times. */
export function* readRaw({ plan, countsOnly }: StatisticsRequest, kind: Kind): Steps<RawFacts[]> {
  if (plan.raw.length === 0) return [];
  const { columns, ending } = countsOnly === true ? ALIKE : { columns: `${listFacts("e")}, 1 AS "calls"`, ending: "" };
  const where = `e."queuedAt" >= r."from" AND e."queuedAt" < r."to" AND NOT ${OPEN} AND +e."source" NOT IN ${UNCOUNTED_SQL}`;
  const sql =
    kind === "sqlite"
      ? `SELECT ${columns} FROM (SELECT value ->> 'from' AS "from", value ->> 'to' AS "to" FROM json_each(?)) r
         CROSS JOIN "Execution" e WHERE ${where} ${ending}`
      : `SELECT e.* FROM json_to_recordset(?::json) AS r("from" bigint, "to" bigint)
         CROSS JOIN LATERAL (SELECT ${columns} FROM "Execution" e WHERE ${where} ${ending} OFFSET 0) e`;
  return yield* selectRows(sql, toJson(plan.raw));
}

interface Time {
  from: number;
  to: number;
}

const toJson = (times: readonly Time[]): string =>
  JSON.stringify(times.map((each) => ({ ...each, to: Math.min(each.to, Number.MAX_SAFE_INTEGER) })));
