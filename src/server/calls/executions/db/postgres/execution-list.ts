import type { ExecutionCount, ExecutionOrder, ExecutionSummary } from "../../../../../lib/contract/execution";
import type { PostgresDatabase } from "../../../../platform/db/database";
import { BEGIN_SNAPSHOT, runPoolTransaction, runSteps } from "../../../../platform/db/postgres/postgres-sql";
import type { CountEffort, ExecutionStore, StoredFilter } from "../../execution-store";
import { getCountLimits } from "../count-limits";
import { isAfter, type OrderedRow, takeOrdered } from "../execution-order";
import { allConditions, buildQuery } from "../execution-queries";
import { type SummaryRow, toSummary } from "../execution-rows";
import { selectExtremes } from "../extreme-calls";
import { createPagedList } from "../list-page";
import { NEWEST, toCondition, type Window } from "./execution-queries";
import { createExecutionSearch } from "./execution-search";
import { createListReads, FIGURE_COLUMNS } from "./list-reads";
import type { PostgresReads } from "./reads";

/** The newest rows that a count takes that had not enough time for all, and the time that they get. */
const NEWEST_ROWS = 10_000;
const NEWEST_BUDGET_MS = 300;

/** Pages by `seq`, newest first, or by a figure: complete and without repetition while new calls arrive. */
export function createPostgresExecutionList(
  reads: PostgresReads,
  { damaged, pool }: Pick<PostgresDatabase, "damaged" | "pool">,
): Pick<ExecutionStore, "list" | "count"> {
  const { searchSeqs, addMatches } = createExecutionSearch(reads);
  const { readNewest, readRows, readOrdered, readFigures, findNamed, toWindow } = createListReads(reads);
  const toSummaries = (rows: readonly SummaryRow[]): ExecutionSummary[] =>
    rows.flatMap((row) => damaged.read("execution", row.id, () => toSummary(row)) ?? []);

  function readExtremes(filter: StoredFilter, order: ExecutionOrder, after: OrderedRow | null, limit: number) {
    const column = FIGURE_COLUMNS[order.by];
    const conditions = [...allConditions(buildQuery(filter)), ...isAfter(column, order, after)];
    const steps = selectExtremes({ kind: "postgres", filter, order, column, conditions, after, limit });
    return runPoolTransaction(pool, (client) => runSteps(client, steps), BEGIN_SNAPSHOT);
  }

  const list = createPagedList<Window, SummaryRow>({
    newest: NEWEST,
    findNamed,
    toWindow,
    searchSeqs,
    readOrdered,
    addMatches,
    toSummaries,
    readSummaries: async (seqs) => toSummaries(await readRows(seqs)),
    async readNewest(window, text, filter, limit) {
      if (text !== "") return await readRows(await searchSeqs(window, text, limit));
      const varies = filter.since !== undefined || filter.until !== undefined || filter.ids !== undefined;
      return await readNewest(window, limit, varies);
    },
    readExtremes,
    orderSeqs: async (seqs, order, after, limit) => takeOrdered(await readFigures(seqs, order), order, after, limit),
  });

  async function count(filter: StoredFilter, effort?: CountEffort): Promise<ExecutionCount> {
    const { serverMs, counted } = getCountLimits(effort);
    const text = filter.q?.trim() ?? "";
    const named = await findNamed(text, filter);
    if (named !== undefined) return { count: named === null ? 0 : 1, more: false };
    const window = await toWindow(filter, NEWEST);
    if (window === null) return { count: 0, more: false };
    if (text !== "") {
      const until = performance.now() + serverMs;
      const found = (await searchSeqs(window, text, counted + 1, until)).length;
      return toCount(found, performance.now() >= until, counted);
    }
    const { sql, values } = toCondition(window);
    const select = (from: string) =>
      `SELECT count(*) AS found FROM (SELECT 1 FROM ${from} WHERE ${sql} LIMIT ${counted + 1}) AS counted`;
    const whole = await reads.rowsWithin<{ found: number }>(serverMs, select('"Execution"'), values);
    if (whole !== null) return toCount(whole[0]?.found ?? 0, false, counted);
    const newest = `(SELECT * FROM "Execution" ORDER BY seq DESC LIMIT ${NEWEST_ROWS}) AS "Execution"`;
    const part = await reads.rowsWithin<{ found: number }>(NEWEST_BUDGET_MS, select(newest), values);
    return toCount(part?.[0]?.found ?? 0, true, counted);
  }

  return { list, count };
}

const toCount = (found: number, isPart: boolean, most: number): ExecutionCount => ({
  count: Math.min(found, most),
  more: isPart || found > most,
});
