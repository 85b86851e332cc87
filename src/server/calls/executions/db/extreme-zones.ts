import type { ExecutionOrder } from "../../../../lib/contract/execution";
import { EXECUTION_KINDS } from "../../../../lib/contract/execution-kind";
import { AMONG, type Steps, selectRows } from "../../../platform/db/sql";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../statistics/db/count-facts";
import type { StoredDimension } from "../../statistics/db/dimensions";
import { fromGroup } from "../../statistics/db/statistics-sql";
import type { StoredFilter } from "../execution-store";
import type { OrderedRow } from "./execution-order";
import type { Condition } from "./unindexed-conditions";

/** Above these limits, a plain read of all matching calls is faster. */
const MOST_CALLS = 30_000;
const MOST_ZONES = 2_000;
/** Above this number of calls, the search narrows a group's hours to minutes by the largest figure of all calls in each minute. */
const MANY_CALLS = 1_000;
export const ALL_ROWS = "true";
export const ALL = { dimension: "all", value: "" } as const;
/** Days or hours whose parts are read before those of the others. */
const FIRST_ZONES = 8;
/** The number of zones that may have lost their largest call to a deletion while the page is still complete. */
const SPARE = 4;

export interface ExtremesRequest {
  kind: "sqlite" | "postgres";
  filter: StoredFilter;
  order: ExecutionOrder;
  /** SQL of the figure that the calls are ordered by. */
  column: string;
  /** A call of the page meets them: those of the filter, and that it comes after the last page. */
  conditions: readonly Condition[];
  after: OrderedRow | null;
  limit: number;
}

/** The rows of statistics that have the filter's calls. */
export interface Group {
  dimension: StoredDimension;
  value: string;
  /** SQL of the rows that have all of the filter's calls, and of those whose largest figures are likely of them. */
  rows: string;
  likely: string;
  /** The column of an index that finds the group's calls; null where no index does. */
  column: string | null;
}

export interface FoundZones {
  zones: readonly Zone[];
  /** Unless calls were deleted, enough of them stand at this place or before it. All that was left out stands after it. */
  least: Place;
}

/** The minutes or hours of a time that can have one of the rows; null where they have too many calls. */
export function* findZones(request: ExtremesRequest, group: Group, time: Times): Steps<FoundZones | null> {
  let least = NOTHING;
  function* read(of: Group, span: number, times: Times): Steps<Zone[]> {
    return yield* readZones(request, of, { span, times, least });
  }
  const days = yield* read(group, DAY_MS, time);
  if (days.length === 0 || days.length > MOST_ZONES) return null;
  least = findLeast(days, request);
  let zones = keepZones(days, least);
  let length = DAY_MS;
  // Minutes of groups are not kept for long, and an index finds their calls.
  for (const span of group.dimension === "all" ? [HOUR_MS, MINUTE_MS] : [HOUR_MS]) {
    const parts: Zone[] = [];
    // The parts of the first zones raise the least place, and most of the other zones are then below it.
    for (const some of [zones.slice(0, FIRST_ZONES), zones.slice(FIRST_ZONES)]) {
      const starts = keepZones(some, least).map(({ start }) => start);
      if (starts.length > 0) parts.push(...(yield* read(group, span, { starts, length })));
      if (parts.length > MOST_ZONES) return null;
      least = findLeast(parts, request, least);
    }
    zones = keepZones(parts, least);
    length = span;
  }
  const isIndexed = group.column !== null && group.rows === ALL_ROWS;
  let calls = isIndexed ? zones.reduce((sum, zone) => sum + zone.calls, 0) : countNumbers(zones);
  if (group.dimension !== "all" && calls > MANY_CALLS && least !== NOTHING) {
    const starts = zones.map(({ start }) => start);
    const minutes = yield* read({ ...group, ...ALL, likely: "false" }, MINUTE_MS, { starts, length });
    if (minutes.length <= MOST_ZONES) {
      zones = minutes;
      calls = Math.min(calls, countNumbers(minutes));
    }
  }
  return calls > MOST_CALLS ? null : { zones, least };
}

/** The possible number of calls between the first and the last ones of some zones. */
const countNumbers = (zones: readonly Zone[]): number =>
  zones.reduce((sum, { firstSeq, lastSeq }) => sum + lastSeq - firstSeq + 1, 0);

/** A place in the order: by the figure, and by number where figures are equal. */
export interface Place {
  figure: number;
  seq: number;
}

const NOTHING: Place = { figure: Number.NEGATIVE_INFINITY, seq: 0 };

export const toPlace = ({ value, seq }: OrderedRow): Place => ({ figure: value ?? Number.NEGATIVE_INFINITY, seq });

export const isBefore = (one: Place, other: Place): boolean =>
  one.figure > other.figure || (one.figure === other.figure && one.seq > other.seq);

/** A day, an hour or a minute. */
export interface Zone {
  start: number;
  calls: number;
  largest: number;
  /** The largest of those that are likely of the filter, of a zone that lies within its time and after the last page. */
  likely: number | null;
  firstSeq: number;
  lastSeq: number;
}

const byPlace = (one: Place, other: Place): number => (isBefore(one, other) ? -1 : 1);

const toLast = ({ largest, lastSeq }: Zone): Place => ({ figure: largest, seq: lastSeq });

/** Those that can have a call at this place or before it, the first ones first. */
function keepZones(zones: readonly Zone[], least: Place): Zone[] {
  return zones
    .filter((zone) => !isBefore(least, toLast(zone)))
    .sort((one, other) => byPlace(toLast(one), toLast(other)));
}

/** The last place that enough zones reach: each has a call with its largest figure, and with its first number or a later one. */
function findLeast(zones: readonly Zone[], { limit }: ExtremesRequest, known = NOTHING): Place {
  const places = zones.flatMap(({ likely, firstSeq }) => (likely === null ? [] : { figure: likely, seq: firstSeq }));
  const found = places.sort(byPlace)[limit + SPARE - 1] ?? NOTHING;
  return isBefore(found, known) ? found : known;
}

const COLUMNS = { duration: "longestMs", size: "largestBytes" } as const;

interface Level {
  /** The length in milliseconds. */
  span: number;
  times: Times;
  /** Calls after this position are not searched. */
  least: Place;
}

/**
 * The zones that can have one of the next rows. A zone whose largest call is on an earlier page is kept, since its other calls may
 * be on this one. Each statement leaves out what is below its own least place; `findLeast` puts those of several together.
 */
function* readZones(
  { kind, filter, order, after, limit }: ExtremesRequest,
  { dimension, value, rows, likely }: Group,
  { span, times, least }: Level,
): Steps<Zone[]> {
  const { since = 0, until = Number.MAX_SAFE_INTEGER } = filter;
  const kinds = filter.kind?.length ? filter.kind : EXECUTION_KINDS;
  const figure = `s."${COLUMNS[order.by]}"`;
  const { table, isGroup } = fromGroup(kind, dimension);
  const where = `s."span" = ${span / MINUTE_MS} AND s."dimension" = '${dimension}' AND ${isGroup} AND s."start" >= r.value AND s."start" < r.value + ?`;
  // Makes one search for each time, regardless of the planner's estimate.
  const given =
    kind === "sqlite"
      ? `json_each(?) r CROSS JOIN ${table} WHERE ${where}`
      : `unnest(?::bigint[]) AS r(value) CROSS JOIN LATERAL (
          SELECT s."start", s."calls", s."class", s."errorKind", s."kind", s."firstSeq", s."lastSeq", ${figure}
          FROM ${table} WHERE ${where} OFFSET 0) s WHERE true`;
  const isAhead = after === null ? "" : `AND ("likely", "lastSeq") < (?, ?)`;
  return yield* selectRows<Zone>(
    `WITH grouped AS (
       SELECT s."start", sum(s."calls") AS "calls", max(${figure}) AS "largest", max(CASE WHEN ${likely} THEN ${figure} END) AS "likely",
         min(s."firstSeq") AS "firstSeq", max(s."lastSeq") AS "lastSeq"
       FROM ${given} AND ${figure} >= ? AND ${rows} AND s."kind" ${AMONG} AND s."start" > ? AND s."start" <= ?
       GROUP BY s."start"),
     zones AS (
       SELECT "start", "calls", "largest", "firstSeq", "lastSeq",
         CASE WHEN "start" >= ? AND "start" <= ? ${isAhead} THEN "likely" END AS "likely"
       FROM grouped),
     least AS (
       SELECT "likely", "firstSeq" FROM zones WHERE "likely" IS NOT NULL
       ORDER BY "likely" DESC, "firstSeq" DESC LIMIT 1 OFFSET ${Math.trunc(limit) + SPARE - 1})
     SELECT * FROM zones
     WHERE NOT EXISTS (SELECT 1 FROM least) OR ("largest", "lastSeq") >= (SELECT "likely", "firstSeq" FROM least)
     LIMIT ${MOST_ZONES + 1}`,
    times.starts,
    value,
    times.length,
    Math.max(least.figure, Number.MIN_SAFE_INTEGER),
    kinds,
    since - span,
    until,
    since,
    until - span + 1,
    ...(after === null ? [] : [after.value, after.seq]),
  );
}

/** Spans of equal length. */
export interface Times {
  starts: readonly number[];
  length: number;
}
