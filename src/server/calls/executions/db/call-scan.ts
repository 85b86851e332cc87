import type { RawDatabase } from "../../../platform/db/sqlite/connection";
import type { CountEffort, StoredFilter } from "../execution-store";
import { getCountLimits } from "./count-limits";
import { eachWindow, prepareArms, type RowShape } from "./execution-queries";
import { searchSeqs } from "./execution-search";
import { prepareFindNamed, toWindow } from "./execution-window";
import { WorkBudget } from "./work-budget";

const ROWS_AT_ONCE = 1_000;

interface Scan<Row> {
  columns: string;
  shape: Exclude<RowShape, "objects">;
  visit: (rows: readonly Row[]) => void;
}

/**
 * Reads columns of all matching calls, newest first by the slice.
 * @returns whether all were read
 */
export type ScanCalls = <Row>(
  filter: StoredFilter,
  scan: Scan<Row>,
  effort: CountEffort | undefined,
) => Promise<boolean>;

export function createCallScan(raw: RawDatabase): ScanCalls {
  const findNamed = prepareFindNamed(raw);

  return async function scanCalls<Row>(
    filter: StoredFilter,
    { columns, shape, visit }: Scan<Row>,
    effort: CountEffort | undefined,
  ) {
    const limits = getCountLimits(effort);
    const budget = new WorkBudget(limits.budgetMs);
    let scanned = 0;
    const read = (rows: () => readonly Row[]): boolean => {
      scanned += budget.spend(() => {
        const found = rows();
        visit(found);
        return found.length;
      });
      return scanned < limits.scanned && !budget.isSpent;
    };
    const text = filter.q?.trim() ?? "";
    const named = findNamed(text, filter);
    const window = await toWindow(raw, filter, Number.MAX_SAFE_INTEGER);
    if (named === null || (named === undefined && window === null)) return true;
    if (window !== null && named === undefined && text === "") {
      const arms = prepareArms<Row>(raw, window.query, columns, "", shape);
      let isWhole = true;
      await eachWindow(raw, window, (bounds) => {
        isWhole = read(() => arms(bounds)) || bounds.above <= window.above;
        return isWhole;
      });
      return isWhole;
    }
    // The search takes most of the time; reading the found calls gets as much again.
    const search = new WorkBudget(limits.budgetMs / 2);
    const seqs =
      named === undefined && window !== null ? await searchSeqs(raw, window, text, limits.scanned, search) : [];
    const isComplete = named !== undefined || (seqs.length < limits.scanned && !search.isSpent);
    if (named !== undefined) seqs.push(named);
    const select = raw
      .prepare<[string], Row>(`SELECT ${columns} FROM "Execution" WHERE seq IN (SELECT value FROM json_each(?))`)
      .safeIntegers(false)
      .raw(shape === "lists")
      .pluck(shape === "values");
    for (let from = 0; from < seqs.length; from += ROWS_AT_ONCE) {
      const isLast = from + ROWS_AT_ONCE >= seqs.length;
      if (!read(() => select.all(JSON.stringify(seqs.slice(from, from + ROWS_AT_ONCE)))) && !isLast) return false;
      await new Promise((resolve) => setImmediate(resolve));
    }
    return isComplete;
  };
}
