import type { SqlValue } from "../../../platform/db/sql";
import { UNCOUNTED_SQL } from "../../executions/db/counted-sources";
import { FACT_COLUMNS } from "./call-facts";
import { MINUTE_MS } from "./count-facts";
import type { StatisticsRequest } from "./statistics-data";
import type { PlannedRange } from "./time-plan";

export interface Statement {
  sql: string;
  values: SqlValue[];
}

/** The columns of `CallFacts`. */
export const listFacts = (alias: string): string => FACT_COLUMNS.map((column) => `${alias}."${column}"`).join(", ");

const ROW = {
  columns: `s."start", s."value", s."detail", s."class", s."errorKind", s."calls", s."durations", s."waits"`,
  read: "s.*",
  ending: "",
};
const COUNTS = {
  columns: `s."value", s."detail", s."class", s."errorKind", s."calls"`,
  read: `0 AS "start", s."value", s."detail", s."class", s."errorKind", sum(s."calls") AS "calls", '' AS "durations", '' AS "waits"`,
  ending: `GROUP BY s."value", s."detail", s."class", s."errorKind"`,
};
type Selected = typeof ROW;
export const OPEN = `e."status" IN ('running', 'waiting')`;

export const WATERMARK = '(SELECT coalesce(max("seq"), 9007199254740991) FROM "StatisticWatermark")';
/** Noted calls that have ended. SQLite keeps the order of a CROSS JOIN, and would read every call first. */
export const NOTED = `FROM "UncountedExecution" u CROSS JOIN "Execution" e
  WHERE e."seq" = u."seq" AND u."seq" < ${WATERMARK} AND NOT ${OPEN}`;

/** Ended calls that are not in the statistics yet, and calls that have not ended. */
const UNCOUNTED = `SELECT ${listFacts("e")} ${NOTED} AND +e."source" NOT IN ${UNCOUNTED_SQL}
  UNION ALL SELECT ${listFacts("e")} FROM "Execution" e WHERE e."seq" >= ${WATERMARK} AND NOT ${OPEN} AND +e."source" NOT IN ${UNCOUNTED_SQL}
  UNION ALL SELECT ${listFacts("e")} FROM "Execution" e WHERE ${OPEN} AND e."status" <> 'succeeded' AND e."source" NOT IN ${UNCOUNTED_SQL}`;

export const READ_UNCOUNTED: Statement = { sql: UNCOUNTED, values: [] };
export const READ_DELETIONS: Statement = { sql: 'SELECT "facts" FROM "UncountedDeletion"', values: [] };
export const READ_REBUILD: Statement = { sql: 'SELECT "below" FROM "StatisticRebuild"', values: [] };

/** More starts than these are read as a range, with the rows of other groups in between. */
const MAX_STARTS = 5_000;

interface Ranges {
  kind: "sqlite" | "postgres";
  now: number;
  /** The start of the first day of the statistics. */
  first: number;
}

/** Reads rows of one group by their starts, since other groups lie in between; those of all groups by ranges. */
export function readRows(
  { dimension, value, kinds, plan, countsOnly }: StatisticsRequest,
  options: Ranges,
): Statement[] {
  const [starts, ranges] = value === undefined ? [[], plan.ranges] : splitRanges(plan.ranges, options);
  const kind = JSON.stringify(kinds);
  const ofKind =
    options.kind === "sqlite"
      ? `s."kind" IN (SELECT value FROM json_each(?))`
      : `s."kind" IN (SELECT json_array_elements_text(?::json))`;
  const group = value === undefined ? [] : [value];
  const ofGroup = value === undefined ? "" : `AND s."value" = ?`;
  const selected = countsOnly === true ? COUNTS : ROW;
  const statements: Statement[] = [];
  if (starts.length > 0) {
    const where = `s."dimension" = ? AND s."start" = r."from" ${ofGroup} AND ${ofKind}`;
    statements.push(join(options.kind, selected, starts, where, [dimension, ...group, kind]));
  }
  if (ranges.length > 0) {
    const where = `s."dimension" = ? AND s."start" >= r."from" AND s."start" < r."to" ${ofGroup} AND ${ofKind}`;
    statements.push(join(options.kind, selected, ranges, where, [dimension, ...group, kind]));
  }
  return statements;
}

/** Nested loops over the ranges, whatever the planner expects of them. */
function join(
  kind: Ranges["kind"],
  { columns, read, ending }: Selected,
  ranges: readonly PlannedRange[],
  where: string,
  values: SqlValue[],
): Statement {
  const list = ranges.map(({ span, from, to }) => ({ span, from, to: Math.min(to, Number.MAX_SAFE_INTEGER) }));
  const sql =
    kind === "sqlite"
      ? `SELECT ${read === "s.*" ? columns : read}
         FROM (SELECT value ->> 'span' AS span, value ->> 'from' AS "from", value ->> 'to' AS "to" FROM json_each(?)) r
         CROSS JOIN "Statistic" s WHERE s."span" = r.span AND ${where} ${ending}`
      : `SELECT ${read} FROM json_to_recordset(?::json) AS r(span int, "from" bigint, "to" bigint)
         CROSS JOIN LATERAL (SELECT ${columns} FROM "Statistic" s WHERE s."span" = r.span AND ${where} OFFSET 0) s ${ending}`;
  return { sql, values: [JSON.stringify(list), ...values] };
}

/** Splits ranges into their starts until now, and what may come behind, from clocks that ran ahead. */
function splitRanges(ranges: readonly PlannedRange[], { now, first }: Ranges): [PlannedRange[], PlannedRange[]] {
  const [starts, rest]: [PlannedRange[], PlannedRange[]] = [[], []];
  for (const { span, from, to } of ranges) {
    const size = span * MINUTE_MS;
    const begin = Math.max(from, Math.floor(first / size) * size);
    const end = Math.min(to, Math.floor(now / size) * size + size);
    if ((end - begin) / size > MAX_STARTS) {
      rest.push({ span, from, to });
      continue;
    }
    for (let start = begin; start < end; start += size) starts.push({ span, from: start, to: start + size });
    if (to > end) rest.push({ span, from: Math.max(begin, end), to });
  }
  return [starts, rest];
}

export const readFirstDay = (dimension: string): Statement => ({
  sql: 'SELECT min("start") AS "first" FROM "Statistic" WHERE "span" = 1440 AND "dimension" = ?',
  values: [dimension],
});

/** The ended calls of some times. */
export function readRaw(kind: Ranges["kind"], times: readonly { from: number; to: number }[]): Statement {
  const list = times.map(({ from, to }) => ({ from, to: Math.min(to, Number.MAX_SAFE_INTEGER) }));
  const where = `e."queuedAt" >= r."from" AND e."queuedAt" < r."to" AND NOT ${OPEN}`;
  const sql =
    kind === "sqlite"
      ? `SELECT ${listFacts("e")} FROM (SELECT value ->> 'from' AS "from", value ->> 'to' AS "to" FROM json_each(?)) r
         CROSS JOIN "Execution" e WHERE ${where} AND +e."source" NOT IN ${UNCOUNTED_SQL}`
      : `SELECT e.* FROM json_to_recordset(?::json) AS r("from" bigint, "to" bigint)
         CROSS JOIN LATERAL (SELECT ${listFacts("e")} FROM "Execution" e WHERE ${where} AND e."source" NOT IN ${UNCOUNTED_SQL} OFFSET 0) e`;
  return { sql, values: [JSON.stringify(list)] };
}
