import { COUNTED } from "../counted-sources";
import type { ExecutionQuery } from "../execution-queries";
import type { SqlValue } from "../execution-statements";
import type { Condition } from "../unindexed-conditions";
import type { PostgresReads } from "./reads";

export const DURATION =
  'CASE WHEN "runMs" IS NOT NULL THEN round(("executionTimeMs" - coalesce("validateMs", 0))::numeric, 3)::float8 END';

/** The columns of a list, none of which is long. */
export const SUMMARY_COLUMNS = `seq, id, status, pinned, "toolName", "implementationType", source, "actorId", "actorName", client,
  "queuedAt", "finishedAt", "executionTimeMs", ${DURATION} AS "durationMs", "resultBytes", "storedBytes", "errorKind",
  "parentId", "runId", coalesce("argumentsPreview", arguments) AS "argumentsPreview", substr(error, 1, 200) AS "errorPreview",
  "calledAs", cost, (SELECT title FROM "Run" WHERE "Run".id = "runId") AS "runTitle"`;

/** Greater than any number of a row. */
export const NEWEST = Number.MAX_SAFE_INTEGER;

/** Rows of a query between two bounds of `seq`, both exclusive. */
export interface Window {
  query: ExecutionQuery;
  below: number;
  above: number;
}

/**
 * The plan of a prepared statement does not know its values, and estimates that two bounds select a two-hundredth of
 * the rows. With several conditions, this makes it walk the index of the rarest one instead of sorting all matches;
 * with a single one it would walk the whole table instead of that index, so bounds that exclude nothing are not written
 * there.
 */
function within({ below, above, query: { common, arms } }: Window): Condition[] {
  const conditions = [...common, ...arms.slice(0, 1)].filter(({ sql }) => sql !== COUNTED && sql !== "true");
  const single = conditions.length <= 1;
  return [
    ...(single && below >= NEWEST ? [] : [{ sql: "seq < ?::bigint", values: [below] }]),
    ...(single && above <= 0 ? [] : [{ sql: "seq > ?::bigint", values: [above] }]),
  ];
}

/** Joins all conditions of a window. */
export function toCondition(window: Window, ...more: Condition[]): Condition {
  const { common, arms } = window.query;
  const anyArm = { sql: `(${arms.map(({ sql }) => sql).join(" OR ")})`, values: arms.flatMap(({ values }) => values) };
  return joinAll([...common, anyArm, ...within(window), ...more]);
}

function joinAll(conditions: readonly Condition[]): Condition {
  return {
    sql: conditions.map(({ sql }) => sql).join(" AND "),
    values: conditions.flatMap(({ values }) => values),
  };
}

/** Selects the newest `limit` rows. Each arm is read in the order of its index, and the first of all of them are taken. */
export function selectNewest(window: Window, limit: number, columns = "seq"): Condition {
  const lists = window.query.arms.map((arm) => {
    const { sql, values } = joinAll([arm, ...window.query.common, ...within(window)]);
    return { sql: `SELECT ${columns} FROM "Execution" WHERE ${sql} ORDER BY seq DESC LIMIT ${limit}`, values };
  });
  const [first] = lists;
  if (lists.length === 1 && first !== undefined) return first;
  return {
    sql: `SELECT * FROM (${lists.map(({ sql }) => `(${sql})`).join(" UNION ALL ")}) AS found ORDER BY seq DESC LIMIT ${limit}`,
    values: lists.flatMap(({ values }) => values),
  };
}

export async function readSeqs(reads: PostgresReads, { sql, values }: Condition): Promise<number[]> {
  return (await reads.rows<{ seq: number }>(sql, values as SqlValue[])).map(({ seq }) => seq);
}
