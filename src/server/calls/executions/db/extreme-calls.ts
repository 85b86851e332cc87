import { toClasses } from "../../../../lib/contract/call-class";
import { toGroup } from "../../../../lib/contract/statistics";
import { AMONG, type Steps, selectRow, selectRows } from "../../../platform/db/sql";
import { DAY_MS } from "../../statistics/db/count-facts";
import { NOTED, READ_REBUILD, WATERMARK } from "../../statistics/db/statistics-sql";
import type { StoredFilter } from "../execution-store";
import type { OrderedRow } from "./execution-order";
import {
  ALL,
  ALL_ROWS,
  type ExtremesRequest,
  type FoundZones,
  findZones,
  type Group,
  isBefore,
  toPlace,
} from "./extreme-zones";

/** Calls of other tools under the filter's name, which are read in any case. */
const MOST_RENAMED = 2_000;

const INDEXED: Readonly<Record<string, string>> = {
  tool: '"toolName"',
  source: '"source"',
  actor: '"actorId"',
  toolset: '"toolset"',
};

/** SQL of the rows that have calls with one of the statuses; null for calls that have not ended, which no row has. */
function toRows(statuses: readonly string[] = []): string | null {
  if (statuses.length === 0) return ALL_ROWS;
  const classes = toClasses(statuses);
  if (statuses.includes("input") || classes.has("running") || classes.has("waiting")) return null;
  return `s."class" IN (${[...classes].map((each) => `'${each}'`).join(", ")})`;
}

/** Null where the statistics do not have the filter's calls by themselves; a text is searched for elsewhere. */
function findGroup({ since: _since, until: _until, kind: _kind, q: _q, status, ...rest }: StoredFilter): Group | null {
  const found = toGroup(rest);
  const rows = toRows(status);
  if (found === null || rows === null) return null;
  const { dimension, value } = found.of ?? ALL;
  return { dimension, value, rows, likely: rows, column: INDEXED[dimension] ?? null };
}

/**
 * The slowest or largest calls of a time or a group, from the minutes or hours whose largest figures say that they have some; null where
 * all calls have to be read. No index has that order, since each recorded call would pay for it. Every statement has to see the same
 * state of the database.
 */
export function* selectExtremes(request: ExtremesRequest): Steps<OrderedRow[] | null> {
  const { filter, order, after, limit } = request;
  const group = findGroup(filter);
  if (!order.descending || group === null || after?.value === null) return null;
  const days = yield* selectRow<{ first: number | null; last: number }>(
    `SELECT min("start") AS "first", max("start") AS "last" FROM "Statistic"
     WHERE "span" = 1440 AND "dimension" = ? AND NOT EXISTS (${READ_REBUILD})`,
    group.dimension,
  );
  if (days === undefined || days.first === null) return null;
  const { since = 0, until = Number.MAX_SAFE_INTEGER } = filter;
  const begin = Math.max(Math.floor(since / DAY_MS) * DAY_MS, days.first);
  const time = { starts: [begin], length: Math.max(0, Math.min(until + 1, days.last + DAY_MS) - begin) };
  const found = yield* findZones(request, group, time);
  if (found === null) return null;
  const renamed = group.dimension === "tool" ? yield* findRenamed(group.value) : [];
  if (renamed.length > MOST_RENAMED) return null;
  const rows = yield* readRows(request, group, { ...found, renamed });
  const last = rows[limit - 1];
  // Deletions may have left fewer calls at the least place or before it than the page has rows.
  return last === undefined || isBefore(found.least, toPlace(last)) ? null : rows;
}

/** Calls of other tools that were made by a tool's name. */
function* findRenamed(name: string): Steps<number[]> {
  const rows = yield* selectRows<{ seq: number }>(
    `SELECT "seq" FROM "Execution" WHERE "calledAs" = ? AND "calledAs" IS NOT NULL LIMIT ${MOST_RENAMED + 1}`,
    name,
  );
  return rows.map(({ seq }) => seq);
}

/** The figures without their rounding, which costs PostgreSQL as much as reading the call. */
const UNROUNDED = { duration: `"executionTimeMs" - coalesce("validateMs", 0)`, size: '"storedBytes"' } as const;
const ROUNDING = { duration: 0.001, size: 0 } as const;

interface Found extends FoundZones {
  renamed: readonly number[];
}

/** The next calls of some minutes or hours, and of those that are in no histogram yet. */
function* readRows(
  { kind, order, column, conditions, limit }: ExtremesRequest,
  group: Group,
  { zones, renamed, least }: Found,
): Steps<OrderedRow[]> {
  const ofZone = `x."seq" >= r."firstSeq" AND x."seq" <= r."lastSeq" ${group.column === null ? "" : `AND x.${group.column} = ?`}`;
  const where = [`(${UNROUNDED[order.by]}) >= ?`, ...conditions.map(({ sql }) => sql), `${column} IS NOT NULL`].join(
    " AND ",
  );
  const select = `SELECT "seq", ${column} AS "value"`;
  const ofZones =
    kind === "sqlite"
      ? `${select} FROM (SELECT value ->> 'firstSeq' AS "firstSeq", value ->> 'lastSeq' AS "lastSeq" FROM json_each(?)) r
           CROSS JOIN "Execution" x WHERE ${ofZone} AND ${where}`
      : `SELECT e.* FROM json_to_recordset(?::json) AS r("firstSeq" bigint, "lastSeq" bigint)
           CROSS JOIN LATERAL (${select} FROM "Execution" x WHERE ${ofZone} AND ${where} OFFSET 0) e`;
  const uncounted = `SELECT e."seq" FROM "Execution" e WHERE e."seq" >= ${WATERMARK} UNION SELECT e."seq" ${NOTED}`;
  const others = `${uncounted} UNION SELECT x."seq" FROM "Execution" x WHERE x."seq" ${AMONG}`;
  const isOther = kind === "sqlite" ? `IN (${others})` : `= ANY (ARRAY(${others}))`;
  const values = [
    Math.max(least.figure, Number.MIN_SAFE_INTEGER) - ROUNDING[order.by],
    ...conditions.flatMap((condition) => condition.values),
  ];
  return yield* selectRows<OrderedRow>(
    `SELECT * FROM (${ofZones} UNION ${select} FROM "Execution" WHERE "seq" ${isOther} AND ${where}) AS found
     ORDER BY "value" DESC, "seq" DESC LIMIT ${Math.trunc(limit)}`,
    JSON.stringify(zones.map(({ firstSeq, lastSeq }) => ({ firstSeq, lastSeq }))),
    ...(group.column === null ? [] : [group.value]),
    ...values,
    renamed,
    ...values,
  );
}
