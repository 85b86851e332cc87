import type { RawDatabase } from "../../../platform/db/sqlite/connection";
import type { StoredFilter } from "../execution-store";
import { eachWindow, prepareArms } from "./execution-queries";
import { searchSeqs } from "./execution-search";
import { prepareFindNamed, toWindow } from "./execution-window";

/** Matching calls that are counted at most: more would hold up other requests. */
export const MAX_SCANNED = 40_000;
/** The time that reading them takes at most, without the pauses between slices. */
const SCAN_BUDGET_MS = 100;
const ROWS_AT_ONCE = 1_000;

/**
 * Reads columns of all matching calls, newest first by the slice.
 * @returns whether all were read
 */
export type ScanCalls = <Row>(
  filter: StoredFilter,
  columns: string,
  visit: (rows: readonly Row[]) => void,
) => Promise<boolean>;

export function createCallScan(raw: RawDatabase): ScanCalls {
  const findNamed = prepareFindNamed(raw);

  return async function scanCalls<Row>(filter: StoredFilter, columns: string, visit: (rows: readonly Row[]) => void) {
    let spentMs = 0;
    let scanned = 0;
    const read = (rows: () => readonly Row[]): boolean => {
      const begun = performance.now();
      const found = rows();
      visit(found);
      scanned += found.length;
      spentMs += performance.now() - begun;
      return scanned < MAX_SCANNED && spentMs < SCAN_BUDGET_MS;
    };
    const text = filter.q?.trim() ?? "";
    const named = findNamed(text, filter);
    const window = await toWindow(raw, filter, Number.MAX_SAFE_INTEGER);
    if (named === null || (named === undefined && window === null)) return true;
    if (window !== null && named === undefined && text === "") {
      const arms = prepareArms<Row>(raw, window.query, columns, "");
      let isWhole = true;
      await eachWindow(raw, window, (bounds) => {
        isWhole = read(() => arms(bounds)) || bounds.above <= window.above;
        return isWhole;
      });
      return isWhole;
    }
    const until = performance.now() + SCAN_BUDGET_MS;
    const seqs = named === undefined && window !== null ? await searchSeqs(raw, window, text, MAX_SCANNED, until) : [];
    if (named !== undefined) seqs.push(named);
    const select = raw
      .prepare<[string], Row>(`SELECT ${columns} FROM "Execution" WHERE seq IN (SELECT value FROM json_each(?))`)
      .safeIntegers(false);
    const isComplete = seqs.length < MAX_SCANNED && (named !== undefined || performance.now() < until);
    for (let from = 0; from < seqs.length; from += ROWS_AT_ONCE) {
      if (
        !read(() => select.all(JSON.stringify(seqs.slice(from, from + ROWS_AT_ONCE)))) &&
        from + ROWS_AT_ONCE < seqs.length
      )
        return false;
      await new Promise((resolve) => setImmediate(resolve));
    }
    return isComplete;
  };
}
