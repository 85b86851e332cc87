import type { RawDatabase } from "../../../platform/db/sqlite/connection";
import type { StoredFilter } from "../execution-store";
import { buildQuery, prepareRowTest, type SeqWindow, seqBounds } from "./execution-queries";

/** The rows of a filter; null for a time in which there are none. */
export async function toWindow(raw: RawDatabase, filter: StoredFilter, below: number): Promise<SeqWindow | null> {
  const query = buildQuery(filter);
  if (filter.since === undefined && filter.until === undefined) return { query, below, above: 0 };
  const bounds = await seqBounds(raw, filter.since ?? 0, filter.until ?? Number.MAX_SAFE_INTEGER);
  if (bounds === null) return null;
  query.common.push({ sql: "seq >= ?", values: [bounds.first] });
  return { query, below: Math.min(below, bounds.last + 1), above: bounds.first - 1 };
}

/**
 * Finds the execution whose id is searched for, whatever else the filter says, except for a reader who may see no other
 * calls. A deletion takes it only where the whole filter matches: null where it does not.
 */
export function prepareFindNamed(raw: RawDatabase): (text: string, filter: StoredFilter) => number | null | undefined {
  const findById = raw
    .prepare<[string, string | null], number>(
      'SELECT seq FROM "Execution" WHERE id = ? AND "tokenId" IS coalesce(?, "tokenId")',
    )
    .pluck()
    .safeIntegers(false);
  return (text, filter) => {
    const seq = text.startsWith("exec_") ? findById.get(text, filter.token ?? null) : undefined;
    if (seq === undefined || filter.ended !== true) return seq;
    return prepareRowTest(raw, buildQuery(filter), { sql: "1", values: [] })([seq])[0] ?? null;
  };
}
