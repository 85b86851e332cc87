import { MESSAGE_CHARS } from "../../../../lib/contract/execution";
import { DURATION_BUCKETS, getBucketEnds, NO_CLIENT, SIZE_BUCKETS } from "../../../../lib/contract/execution-facets";
import type { ExecutionKind } from "../../../../lib/contract/execution-kind";
import { toUnits } from "../../../engine/rules/limits/limit-slot";
import type { StoredFilter } from "../execution-store";
import type { SqlValue } from "./execution-statements";

export interface Condition {
  sql: string;
  values: readonly SqlValue[];
}

/** Conditions on columns without an index: their rows are searched in slices. */
export function toUnindexed({
  server,
  client,
  errorKind,
  message,
  taggedTools,
  duration,
  size,
  minCost,
}: StoredFilter): Condition[] {
  const found: Condition[] = [];
  if (server !== undefined) found.push({ sql: '"serverName" = ?', values: [server] });
  if (client === NO_CLIENT) found.push({ sql: "coalesce(client, '') = ''", values: [] });
  else if (client !== undefined) {
    const sql = "(client = ? OR substr(client, 1, length(?) + 1) = ? || '/')";
    found.push({ sql, values: [client, client, client] });
  }
  if (errorKind?.length) found.push(isAmong('"errorKind"', errorKind));
  if (message !== undefined) {
    // Must equal the expression that groups the messages of a tool's failures.
    found.push({ sql: `("errorKind" IS NOT NULL AND substr(error, 1, ${MESSAGE_CHARS}) = ?)`, values: [message] });
  }
  if (minCost !== undefined)
    found.push({ sql: '("cost" >= ? AND "cost" IS NOT NULL)', values: [toUnits("money", minCost)] });
  if (taggedTools !== undefined) found.push(isAmong('+"toolName"', taggedTools));
  if (duration?.length) found.push(anyOf(duration.map(toDuration)));
  if (size?.length)
    found.push(anyOf(size.map((name) => toBucket('"storedBytes"', getBucketEnds(SIZE_BUCKETS, name), name))));
  return found;
}

const isAmong = (column: string, values: readonly string[]): Condition => ({
  sql: `${column} IN (SELECT value FROM json_each(?))`,
  values: [JSON.stringify(values)],
});

const anyOf = (each: readonly Condition[]): Condition => ({
  sql: `(${each.map(({ sql }) => sql).join(" OR ")})`,
  values: each.flatMap(({ values }) => values),
});

/** The duration without rounding; `DURATION_SQL` works only on SQLite. */
const UNROUNDED = `("executionTimeMs" - coalesce("validateMs", 0))`;
/** A duration is rounded to three digits: half of the last one belongs to the next bucket. */
const ROUNDING = 0.0005;

/** The name of the bucket of a call's duration, as the filter has it. */
export const DURATION_BUCKET = toBucketName(
  `CASE WHEN "runMs" IS NOT NULL THEN ${UNROUNDED} + ${ROUNDING} END`,
  DURATION_BUCKETS,
);

/** An expression for the name of the bucket that a figure is in. */
export function toBucketName(column: string, buckets: Readonly<Record<string, number>>): string {
  const cases = Object.entries(buckets).reverse();
  return `CASE WHEN ${column} IS NULL THEN 'none' ${cases
    .map(([name, from]) => (from === 0 ? `ELSE '${name}'` : `WHEN ${column} >= ${from} THEN '${name}'`))
    .join(" ")} END`;
}

function toDuration(name: string): Condition {
  if (name === "none") return { sql: '("runMs" IS NULL OR "executionTimeMs" IS NULL)', values: [] };
  const [from, below] = getBucketEnds(DURATION_BUCKETS, name);
  const { sql, values } = toBucket(
    UNROUNDED,
    [from === 0 ? Number.NEGATIVE_INFINITY : from - ROUNDING, below - ROUNDING],
    name,
  );
  return { sql: `("runMs" IS NOT NULL AND ${sql})`, values };
}

function toBucket(column: string, [from, below]: readonly [number, number], name: string): Condition {
  if (name === "none") return { sql: `${column} IS NULL`, values: [] };
  const ends = [
    ...(from === Number.NEGATIVE_INFINITY ? [] : [{ sql: `${column} >= ?`, values: [from] }]),
    ...(below === Number.POSITIVE_INFINITY ? [] : [{ sql: `${column} < ?`, values: [below] }]),
  ];
  const all = ends.length === 0 ? [{ sql: `${column} IS NOT NULL`, values: [] }] : ends;
  return { sql: `(${all.map(({ sql }) => sql).join(" AND ")})`, values: all.flatMap(({ values }) => values) };
}

export function toKinds(kinds: readonly ExecutionKind[]): Condition {
  const contents = kinds.filter((kind) => kind !== "tool");
  const among = `coalesce("implementationType", '')`;
  const each = contents.map(() => `${among} = ?`);
  if (kinds.includes("tool")) each.push(`${among} NOT IN ('resource', 'prompt')`);
  return { sql: `(${each.join(" OR ")})`, values: contents };
}
