import type { RawDatabase } from "../../../platform/db/sqlite/connection";
import { prepareColumn } from "../../../platform/db/sqlite/prepare-column";
import { DAY_MS, HOUR_MS } from "../../statistics/db/count-facts";
import { READ_REBUILD, WATERMARK } from "../../statistics/db/statistics-sql";
import type { StoredFilter } from "../execution-store";
import { COUNTED } from "./counted-sources";
import { buildQuery, prepareRowTest, type SeqWindow, seqBounds } from "./execution-queries";

const NEWEST = Number.MAX_SAFE_INTEGER;

/** The rows of a filter; null for a time in which there are none. */
export async function toWindow(raw: RawDatabase, filter: StoredFilter, below: number): Promise<SeqWindow | null> {
  const query = buildQuery(filter);
  const { since, until } = filter;
  if (since === undefined && until === undefined) return { query, below, above: 0 };
  const isLong = since !== undefined && until === undefined && since < Date.now() - DAY_MS;
  const first = isLong && query.common.some(({ sql }) => sql === COUNTED) ? findFirst(raw, since) : null;
  if (first !== null) return { query, below, above: first - 1 };
  const bounds = await seqBounds(raw, since ?? 0, until ?? NEWEST);
  if (bounds === null) return null;
  return { query, below: Math.min(below, bounds.last + 1), above: bounds.first - 1 };
}

/**
 * No call since then has a lower number, by the statistics, which take a hundredth of the time that the index of a month takes;
 * null while they are rebuilt.
 */
function findFirst(raw: RawDatabase, since: number): number | null {
  const days = '"span" = 1440 AND "start" > ?';
  const hours = '"span" = 60 AND "start" > ? AND "start" <= ?';
  const ofAll = (rows: string) =>
    `(SELECT coalesce(min("firstSeq"), ${NEWEST}) FROM "Statistic" WHERE "dimension" = 'all' AND ${rows})`;
  return prepareColumn<[number, number, number], number | null>(
    raw,
    `SELECT CASE WHEN NOT EXISTS (${READ_REBUILD}) THEN
         min(${ofAll(days)}, ${ofAll(hours)}, ${WATERMARK}, (SELECT coalesce(min("seq"), ${NEWEST}) FROM "UncountedExecution")) END`,
  ).get(since, since - HOUR_MS, since + DAY_MS) as number | null;
}

/**
 * Finds the execution whose id is the search text, regardless of the rest of the filter, except for a reader who may
 * see no other calls. A deletion takes it only where the whole filter matches: null where it does not.
 */
export function prepareFindNamed(raw: RawDatabase): (text: string, filter: StoredFilter) => number | null | undefined {
  const findById = prepareColumn<[string, string | null], number>(
    raw,
    'SELECT seq FROM "Execution" WHERE id = ? AND "tokenId" IS coalesce(?, "tokenId")',
  );
  return (text, filter) => {
    const seq = text.startsWith("exec_") ? findById.get(text, filter.token ?? null) : undefined;
    if (seq === undefined || filter.ended !== true) return seq;
    return prepareRowTest(raw, buildQuery(filter), { sql: "1", values: [] })([seq])[0] ?? null;
  };
}
