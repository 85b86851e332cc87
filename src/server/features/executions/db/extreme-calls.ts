import type { ExecutionOrder } from "../../../../lib/contract/execution";
import { EXECUTION_KINDS } from "../../../../lib/contract/execution-kind";
import { toGroup } from "../../../../lib/contract/statistics";
import { AMONG, type Steps, selectRow, selectRows } from "../../../platform/db/sql";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../statistics/db/count-facts";
import type { StoredDimension } from "../../statistics/db/dimensions";
import { NOTED, READ_REBUILD, WATERMARK } from "../../statistics/db/statistics-sql";
import type { StoredFilter } from "../execution-store";
import type { OrderedRow } from "./execution-order";
import type { Condition } from "./unindexed-conditions";

/** Numbers of calls that are read, and minutes or hours: more are read faster one after another. */
const MOST_CALLS = 30_000;
const MOST_ZONES = 2_000;
/** Calls of other tools under the filter's name, which are read in any case. */
const MOST_RENAMED = 2_000;

export interface ExtremesRequest {
  kind: "sqlite" | "postgres";
  filter: StoredFilter;
  order: ExecutionOrder;
  /** The figure's SQL. */
  column: string;
  /** Of the filter, and of the rows after the last page. */
  conditions: readonly Condition[];
  after: OrderedRow | null;
  limit: number;
}

/** The rows of statistics that have the filter's calls. */
interface Group {
  dimension: StoredDimension;
  value: string;
  /** SQL of the rows that have all of the filter's calls, and of those whose largest figures are likely of them. */
  rows: string;
  likely: string;
  /** Where an index finds the calls. */
  column: string | null;
}

const INDEXED: Readonly<Record<string, string>> = {
  ...{ tool: '"toolName"', source: '"source"', actor: '"actorId"', toolset: '"toolset"' },
};

/** Rows that have mostly calls with a status: they are grouped by class. */
const LIKELY: Readonly<Record<string, string>> = {
  failed: `s."class" = 'failed' AND s."errorKind" NOT IN ('timeout', 'interrupted')`,
  timed_out: `s."errorKind" = 'timeout'`,
  ...{ invalid: `s."class" = 'invalid'`, rejected: `s."class" = 'rejected'`, cancelled: `s."class" = 'cancelled'` },
};

function toRows(statuses: readonly string[] = []): Pick<Group, "rows" | "likely"> | null {
  if (statuses.length === 0) return { rows: "true", likely: "true" };
  if (statuses.every((status) => status === "succeeded")) return { rows: `s."class" = 'succeeded'`, likely: "true" };
  if (!statuses.every((status) => Object.hasOwn(LIKELY, status))) return null;
  return { rows: `s."class" <> 'succeeded'`, likely: statuses.map((status) => `(${LIKELY[status]})`).join(" OR ") };
}

/** Null where the statistics do not have the filter's calls by themselves; a text is searched for elsewhere. */
function findGroup({ since: _since, until: _until, kind: _kind, q: _q, status, ...rest }: StoredFilter): Group | null {
  const [found, rows] = [toGroup(rest), toRows(status)];
  if (found === null || rows === null) return null;
  const { dimension, value } = found.of ?? { dimension: "all", value: "" };
  return { dimension, value, ...rows, column: INDEXED[dimension] ?? null };
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
  if ((yield* selectRow(READ_REBUILD.sql)) !== undefined) return null;
  const days = yield* selectRow<{ first: number | null; last: number }>(
    'SELECT min("start") AS "first", max("start") AS "last" FROM "Statistic" WHERE "span" = 1440 AND "dimension" = ?',
    group.dimension,
  );
  const { since = 0, until = Number.MAX_SAFE_INTEGER } = filter;
  const begin = Math.max(Math.floor(since / DAY_MS) * DAY_MS, days?.first ?? Number.MAX_SAFE_INTEGER);
  let ranges: TimeRange[] = [{ from: begin, to: Math.min(until + 1, (days?.last ?? 0) + DAY_MS) }];
  let passed = NOTHING;
  let zones: Zone[] = [];
  // Minutes of groups are not kept for long, and an index finds their calls.
  for (const span of group.dimension === "all" ? [DAY_MS, HOUR_MS, MINUTE_MS] : [DAY_MS, HOUR_MS]) {
    const found = pickZones(yield* readZones(request, group, span, ranges), request, span);
    zones = found.kept;
    if (zones.length > MOST_ZONES) return null;
    if (isBefore(found.greatestOfOthers, passed)) passed = found.greatestOfOthers;
    ranges = zones.map(({ start }) => ({ from: start, to: start + span }));
  }
  const numbers = (zone: Zone) => (group.column === null ? zone.lastSeq - zone.firstSeq + 1 : zone.calls);
  if (zones.reduce((sum, zone) => sum + numbers(zone), 0) > MOST_CALLS) return null;
  const renamed = group.dimension === "tool" ? yield* findRenamed(group.value) : [];
  if (renamed.length > MOST_RENAMED) return null;
  const rows = yield* readRows(request, group, zones, renamed);
  const last = rows[limit - 1];
  // Deleted calls may have been the largest of their minutes; then one that was left out may come before the last one here.
  return last === undefined || !isBefore(toPlace(last), passed) ? null : rows;
}

/** Calls of other tools that were made by a tool's name. */
function* findRenamed(name: string): Steps<number[]> {
  const rows = yield* selectRows<{ seq: number }>(
    `SELECT "seq" FROM "Execution" WHERE "calledAs" = ? AND "calledAs" IS NOT NULL LIMIT ${MOST_RENAMED + 1}`,
    name,
  );
  return rows.map(({ seq }) => seq);
}

/** A place in the order: by the figure, and by number where figures are equal. */
interface Place {
  figure: number;
  seq: number;
}

const NOTHING: Place = { figure: Number.NEGATIVE_INFINITY, seq: 0 };

const toPlace = ({ value, seq }: OrderedRow): Place => ({ figure: value ?? Number.NEGATIVE_INFINITY, seq });

const isBefore = (one: Place, other: Place): boolean =>
  one.figure > other.figure || (one.figure === other.figure && one.seq > other.seq);

interface Zone {
  start: number;
  calls: number;
  /** Null where no call has the figure. */
  largest: number | null;
  /** The largest of calls that are likely of the filter. */
  likely: number | null;
  firstSeq: number;
  lastSeq: number;
}

const COLUMNS = { duration: "longestMs", size: "largestBytes" } as const;

function* readZones(
  { kind, filter, order }: ExtremesRequest,
  { dimension, value, rows, likely }: Group,
  span: number,
  ranges: readonly TimeRange[],
): Steps<Zone[]> {
  // One search of the key for each range, whatever the planner expects of them. Other groups lie between the rows of one.
  const ofRange =
    dimension === "all"
      ? `x."start" >= r."from" AND x."start" < r."to" AND x."value" = ?`
      : `x."start" = r."from" AND x."value" = ?`;
  const where = `x."span" = ${span / MINUTE_MS} AND x."dimension" = '${dimension}' AND ${ofRange}`;
  const given =
    kind === "sqlite"
      ? `(SELECT value ->> 'from' AS "from", value ->> 'to' AS "to" FROM json_each(?)) r CROSS JOIN "Statistic" s WHERE ${where.replaceAll("x.", "s.")} AND`
      : `json_to_recordset(?::json) AS r("from" bigint, "to" bigint)
          CROSS JOIN LATERAL (SELECT * FROM "Statistic" x WHERE ${where} OFFSET 0) s WHERE`;
  const kinds = filter.kind?.length ? filter.kind : EXECUTION_KINDS;
  const figure = `s."${COLUMNS[order.by]}"`;
  return yield* selectRows<Zone>(
    `SELECT s."start", sum(s."calls") AS "calls", max(${figure}) AS "largest", max(CASE WHEN ${likely} THEN ${figure} END) AS "likely",
       min(s."firstSeq") AS "firstSeq", max(s."lastSeq") AS "lastSeq" FROM ${given} ${rows} AND s."kind" ${AMONG}
     GROUP BY s."start"`,
    JSON.stringify(dimension === "all" ? ranges : ranges.flatMap((range) => listStarts(range, span))),
    value,
    kinds,
  );
}

function listStarts({ from, to }: TimeRange, span: number): TimeRange[] {
  const starts: TimeRange[] = [];
  for (let start = from; start < to; start += span) starts.push({ from: start, to: start + span });
  return starts;
}

interface TimeRange {
  from: number;
  to: number;
}

/**
 * The zones that can have one of the next rows: each of the first `limit` has one that does not come after its largest figure and
 * its first number. Zones that come before the rows of this page are kept for what is left of them.
 */
function pickZones(zones: readonly Zone[], { filter, after, limit }: ExtremesRequest, span: number) {
  const { since = 0, until = Number.MAX_SAFE_INTEGER } = filter;
  const ofTime = zones.filter(({ start }) => start + span > since && start <= until);
  const places = ofTime
    .filter(({ start, likely, lastSeq }) => {
      if (likely === null || start < since || start + span - 1 > until) return false;
      return after === null || isBefore(toPlace(after), { figure: likely, seq: lastSeq });
    })
    .map(({ likely, firstSeq }): Place => ({ figure: likely ?? 0, seq: firstSeq }))
    .sort((one, other) => (isBefore(one, other) ? -1 : 1));
  const least = places[limit - 1] ?? NOTHING;
  let greatestOfOthers = NOTHING;
  const kept = ofTime.filter(({ largest, lastSeq }) => {
    if (largest === null) return false;
    const place = { figure: largest, seq: lastSeq };
    if (!isBefore(least, place)) return true;
    if (isBefore(place, greatestOfOthers)) greatestOfOthers = place;
    return false;
  });
  return { kept, greatestOfOthers };
}

/** The next calls of some minutes or hours, and of those that are in no histogram yet. */
function* readRows(
  request: ExtremesRequest,
  group: Group,
  zones: readonly Zone[],
  renamed: readonly number[],
): Steps<OrderedRow[]> {
  const { kind, column, conditions, limit } = request;
  const ofZone = `x."seq" >= r."firstSeq" AND x."seq" <= r."lastSeq" ${group.column === null ? "" : `AND x.${group.column} = ?`}`;
  const ofZones =
    kind === "sqlite"
      ? `SELECT x."seq" FROM (SELECT value ->> 'firstSeq' AS "firstSeq", value ->> 'lastSeq' AS "lastSeq" FROM json_each(?)) r
           CROSS JOIN "Execution" x WHERE ${ofZone}`
      : `SELECT e."seq" FROM json_to_recordset(?::json) AS r("firstSeq" bigint, "lastSeq" bigint)
           CROSS JOIN LATERAL (SELECT "seq" FROM "Execution" x WHERE ${ofZone} OFFSET 0) e`;
  const uncounted = `SELECT e."seq" FROM "Execution" e WHERE e."seq" >= ${WATERMARK} UNION SELECT e."seq" ${NOTED}`;
  const seqs = `${ofZones} UNION ${uncounted} UNION SELECT x."seq" FROM "Execution" x WHERE x."seq" ${AMONG}`;
  const isAmong = kind === "sqlite" ? `IN (${seqs})` : `= ANY (ARRAY(${seqs}))`;
  const where = conditions.map(({ sql }) => sql).join(" AND ") || "true";
  return yield* selectRows<OrderedRow>(
    `SELECT seq, ${column} AS value FROM "Execution" WHERE seq ${isAmong} AND ${where}
       AND ${column} IS NOT NULL ORDER BY ${column} DESC, seq DESC LIMIT ${Math.trunc(limit)}`,
    JSON.stringify(zones),
    ...(group.column === null ? [] : [group.value]),
    renamed,
    ...conditions.flatMap(({ values }) => values),
  );
}
