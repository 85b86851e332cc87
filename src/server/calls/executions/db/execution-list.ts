import type { ExecutionCount, ExecutionSummary } from "../../../../lib/contract/execution";
import type { SqliteDatabase } from "../../../platform/db/database";
import type { RawDatabase } from "../../../platform/db/sqlite/connection";
import { createRunSteps } from "../../../platform/db/sqlite/sqlite-database";
import type { CountEffort, ExecutionStore, StoredFilter } from "../execution-store";
import { getCountLimits } from "./count-limits";
import { FIGURE_COLUMNS, isAfter, orderRows, selectOrdered } from "./execution-order";
import {
  allConditions,
  buildQuery,
  eachWindow,
  prepareArms,
  type SeqWindow,
  SUMMARY_COLUMNS,
  selectSeqs,
  selectSeqsInSlices,
} from "./execution-queries";
import { type SummaryRow, toSummary } from "./execution-rows";
import { prepareMatches, searchSeqs } from "./execution-search";
import { prepareFindNamed, toWindow } from "./execution-window";
import { selectExtremes } from "./extreme-calls";
import { createPagedList } from "./list-page";
import { WorkBudget } from "./work-budget";

/** Pages by `seq`, newest first, or by a figure: complete and without repetition while new calls arrive. */
export function createExecutionList({ raw, damaged }: SqliteDatabase): Pick<ExecutionStore, "list" | "count"> {
  // A page is one consistent read of at most MAX_PAGE rows by primary key.
  const selectSummaries = raw
    .prepare<[string], SummaryRow>(
      `SELECT ${SUMMARY_COLUMNS} FROM "Execution" WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY seq DESC`,
    )
    .safeIntegers(false);
  const findNamed = prepareFindNamed(raw);
  const runSteps = createRunSteps(raw);
  const addMatches = prepareMatches(raw);

  const list = createPagedList<SeqWindow, { seq: number }>({
    newest: Number.MAX_SAFE_INTEGER,
    findNamed,
    addMatches,
    readSummaries: summaries,
    toWindow: (filter, below) => toWindow(raw, filter, below),
    toSummaries: (rows) => summaries(rows.map(({ seq }) => seq)),
    readNewest: async (window, text, _filter, limit) =>
      (await findSeqs(raw, window, text, limit)).map((seq) => ({ seq })),
    searchSeqs: (window, text, limit) => searchSeqs(raw, window, text, limit),
    readOrdered: (window, order, after, limit) => selectOrdered(raw, window, order, after, limit),
    readExtremes: async (filter, order, after, limit) => {
      const column = FIGURE_COLUMNS[order.by];
      const conditions = [...allConditions(buildQuery(filter)), ...isAfter(column, order, after)];
      return runSteps(selectExtremes({ kind: "sqlite", filter, order, column, conditions, after, limit }));
    },
    orderSeqs: (seqs, order, after, limit) => orderRows(raw, seqs, order, after, limit),
  });

  async function count(filter: StoredFilter, effort?: CountEffort): Promise<ExecutionCount> {
    const text = filter.q?.trim() ?? "";
    const named = findNamed(text, filter);
    if (named !== undefined) return { count: named === null ? 0 : 1, more: false };
    const window = await toWindow(raw, filter, Number.MAX_SAFE_INTEGER);
    if (window === null) return { count: 0, more: false };
    const { budgetMs, counted } = getCountLimits(effort);
    const budget = new WorkBudget(budgetMs);
    let found = 0;
    let isWhole = true;
    if (text === "") {
      const arms = prepareArms<number>(raw, window.query, "count(*)", "", "values");
      await eachWindow(raw, window, (bounds) => {
        for (const rows of budget.spend(() => arms(bounds))) found += rows;
        isWhole = bounds.above <= window.above || !budget.isSpent;
        return found <= counted && isWhole;
      });
    } else {
      found = (await searchSeqs(raw, window, text, counted + 1, budget)).length;
      isWhole = !budget.isSpent;
    }
    return { count: Math.min(found, counted), more: found > counted || !isWhole };
  }

  return { list, count };

  function summaries(seqs: number[]): ExecutionSummary[] {
    const rows = selectSummaries.all(JSON.stringify(seqs));
    return rows.flatMap((row) => damaged.read("execution", row.id, () => toSummary(row)) ?? []);
  }
}

async function findSeqs(raw: RawDatabase, window: SeqWindow, text: string, limit: number): Promise<number[]> {
  if (text !== "") return await searchSeqs(raw, window, text, limit);
  if (window.query.isScan) return await selectSeqsInSlices(raw, window, limit);
  return selectSeqs(raw, window, limit);
}
