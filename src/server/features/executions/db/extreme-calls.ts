import type { ExecutionOrder } from "../../../../lib/contract/execution";
import { EXECUTION_KINDS } from "../../../../lib/contract/execution-kind";
import { AMONG, type Steps, selectRow, selectRows } from "../../../platform/db/sql";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../statistics/db/count-facts";
import { NOTED, READ_REBUILD, WATERMARK } from "../../statistics/db/statistics-sql";
import type { StoredFilter } from "../execution-store";
import type { OrderedRow } from "./execution-order";
import type { Condition } from "./unindexed-conditions";

/** Calls in the minutes that are read, and minutes or hours: more are read faster one after another. */
const MOST_CALLS = 30_000;
const MOST_ZONES = 2_000;

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

/** Filters whose calls are those of the statistics of all calls; a text is searched for elsewhere. */
const isOfTime = (filter: StoredFilter): boolean =>
  Object.entries(filter).every(
    ([name, value]) =>
      ["since", "until", "kind", "q"].includes(name) ||
      value === undefined ||
      (Array.isArray(value) && value.length === 0),
  );

/**
 * The slowest or largest calls of a time, from the minutes whose largest figures say that they have some; null where all calls have to be
 * read. No index has that order, since each recorded call would pay for it. Every statement has to see the same state of the database.
 */
export function* selectExtremes(request: ExtremesRequest): Steps<OrderedRow[] | null> {
  const { filter, order, after, limit } = request;
  if (!order.descending || !isOfTime(filter) || after?.value === null) return null;
  if ((yield* selectRow(READ_REBUILD.sql)) !== undefined) return null;
  const { since = 0, until = Number.MAX_SAFE_INTEGER } = filter;
  let ranges: TimeRange[] = [{ from: Math.floor(since / DAY_MS) * DAY_MS, to: until }];
  let passed = NOTHING;
  let calls = 0;
  for (const span of [DAY_MS, HOUR_MS, MINUTE_MS]) {
    const { kept, greatestOfOthers } = pickZones(yield* readZones(request, span, ranges), request, span);
    if (kept.length > MOST_ZONES) return null;
    if (isBefore(greatestOfOthers, passed)) passed = greatestOfOthers;
    ranges = kept.map(({ start }) => ({ from: start, to: start + span }));
    calls = kept.reduce((sum, zone) => sum + zone.calls, 0);
  }
  if (calls > MOST_CALLS) return null;
  const rows = yield* readRows(request, ranges);
  const last = rows[limit - 1];
  // Deleted calls may have been the largest of their minutes; then one that was left out may come before the last one here.
  return last === undefined || !isBefore(toPlace(last), passed) ? null : rows;
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
  firstSeq: number;
  lastSeq: number;
}

const COLUMNS = { duration: "longestMs", size: "largestBytes" } as const;

function* readZones(request: ExtremesRequest, span: number, ranges: readonly TimeRange[]): Steps<Zone[]> {
  const { kind, filter, order } = request;
  // One search of the key for each range, whatever the planner expects of them.
  const ofRange = `x."span" = ${span / MINUTE_MS} AND x."dimension" = 'all' AND x."start" >= r."from" AND x."start" < r."to"`;
  const given =
    kind === "sqlite"
      ? `(SELECT value ->> 'from' AS "from", value ->> 'to' AS "to" FROM json_each(?)) r CROSS JOIN "Statistic" s WHERE ${ofRange.replaceAll("x.", "s.")} AND`
      : `json_to_recordset(?::json) AS r("from" bigint, "to" bigint)
          CROSS JOIN LATERAL (SELECT * FROM "Statistic" x WHERE ${ofRange} OFFSET 0) s WHERE`;
  const kinds = filter.kind?.length ? filter.kind : EXECUTION_KINDS;
  return yield* selectRows<Zone>(
    `SELECT s."start", sum(s."calls") AS "calls", max(s."${COLUMNS[order.by]}") AS "largest",
       min(s."firstSeq") AS "firstSeq", max(s."lastSeq") AS "lastSeq" FROM ${given} s."kind" ${AMONG}
     GROUP BY s."start"`,
    JSON.stringify(ranges),
    kinds,
  );
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
    .filter(({ start, largest, lastSeq }) => {
      if (largest === null || start < since || start + span - 1 > until) return false;
      return after === null || isBefore(toPlace(after), { figure: largest, seq: lastSeq });
    })
    .map(({ largest, firstSeq }): Place => ({ figure: largest ?? 0, seq: firstSeq }))
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

/** The next calls of some minutes, and of those that are in no histogram yet. */
function* readRows(request: ExtremesRequest, minutes: readonly TimeRange[]): Steps<OrderedRow[]> {
  const { kind, column, conditions, limit } = request;
  const ofMinutes =
    kind === "sqlite"
      ? `SELECT e."seq" FROM json_each(?) r CROSS JOIN "Execution" e
           WHERE e."queuedAt" >= r.value ->> 'from' AND e."queuedAt" < r.value ->> 'to'`
      : `SELECT e."seq" FROM json_to_recordset(?::json) AS r("from" bigint, "to" bigint)
           CROSS JOIN LATERAL (SELECT "seq" FROM "Execution" x WHERE x."queuedAt" >= r."from" AND x."queuedAt" < r."to" OFFSET 0) e`;
  const uncounted = `SELECT e."seq" FROM "Execution" e WHERE e."seq" >= ${WATERMARK} UNION SELECT e."seq" ${NOTED}`;
  const seqs = `${ofMinutes} UNION ${uncounted}`;
  const isAmong = kind === "sqlite" ? `IN (${seqs})` : `= ANY (ARRAY(${seqs}))`;
  const where = conditions.map(({ sql }) => sql).join(" AND ") || "true";
  return yield* selectRows<OrderedRow>(
    `SELECT seq, ${column} AS value FROM "Execution" WHERE seq ${isAmong} AND ${where}
       AND ${column} IS NOT NULL ORDER BY ${column} DESC, seq DESC LIMIT ${Math.trunc(limit)}`,
    JSON.stringify(minutes),
    ...conditions.flatMap(({ values }) => values),
  );
}
