import type { ExecutionCount, ExecutionOrder, ExecutionSummary } from "../../../../../lib/contract/execution";
import type { DamagedRows } from "../../../../platform/db/damaged-rows";
import type { ExecutionStore, PageRequest, StoredFilter } from "../../execution-store";
import { type OrderedRow, takeOrdered } from "../execution-order";
import { type SummaryRow, toSummary } from "../execution-rows";
import { NEWEST, toCondition, type Window } from "./execution-queries";
import { createExecutionSearch } from "./execution-search";
import { createListReads } from "./list-reads";
import type { PostgresReads } from "./reads";

const MAX_PAGE = 200;
const DEFAULT_PAGE = 50;
/** Where a count stops, and how many matches of a text are put in another order. */
const MAX_COUNT = 10_000;
const COUNT_BUDGET_MS = 300;
/** The newest rows that a count takes that had not enough time for all. */
const COUNTED_AT_LEAST = 50_000;

/** Pages by `seq`, newest first, or by a figure: complete and without repetition, whatever arrives in between. */
export function createPostgresExecutionList(
  reads: PostgresReads,
  damaged: DamagedRows,
): Pick<ExecutionStore, "list" | "count" | "newestByClient"> {
  const { searchSeqs, addMatches } = createExecutionSearch(reads);
  const { readNewest, readRows, readOrdered, readFigures, readClients, findNamed, toWindow } = createListReads(reads);
  const toSummaries = (rows: readonly SummaryRow[]): ExecutionSummary[] =>
    rows.flatMap((row) => damaged.read("execution", row.id, () => toSummary(row)) ?? []);

  async function list(filter: StoredFilter, page: PageRequest = {}) {
    const size = Math.max(1, Math.min(Math.trunc(page.limit ?? DEFAULT_PAGE), MAX_PAGE));
    const { cursor } = page;
    const after = typeof cursor === "number" ? { seq: cursor, value: null } : (cursor ?? null);
    const below = after === null || page.order ? NEWEST : after.seq;
    const text = filter.q?.trim() ?? "";
    const named = await findNamed(text, filter);
    if (named !== undefined) {
      const isShown = named !== null && named < below && (!page.order || after === null);
      return { items: isShown ? toSummaries(await readRows([named])) : [], nextCursor: null };
    }
    const window = await toWindow(filter, below);
    if (window === null) return { items: [], nextCursor: null };
    if (page.order) return await orderedPage(window, text, page.order, after, size);
    const varies = filter.since !== undefined || filter.until !== undefined || filter.ids !== undefined;
    const rows =
      text === ""
        ? await readNewest(window, size + 1, varies)
        : await readRows(await searchSeqs(window, text, size + 1));
    const shown = rows.slice(0, size);
    const items = await addMatches(toSummaries(shown), text);
    return { items, nextCursor: rows.length > size ? (shown.at(-1)?.seq ?? null) : null };
  }

  async function orderedPage(
    window: Window,
    text: string,
    order: ExecutionOrder,
    after: OrderedRow | null,
    size: number,
  ) {
    const matches = text === "" ? null : await searchSeqs(window, text, MAX_COUNT + 1);
    const rows =
      matches === null
        ? await readOrdered(window, order, after, size + 1)
        : takeOrdered(await readFigures(matches.slice(0, MAX_COUNT), order), order, after, size + 1);
    const shown = rows.slice(0, size);
    const items = toSummaries(await readRows(shown.map(({ seq }) => seq)));
    const bySeq = new Map(items.map((item) => [item.seq, item]));
    return {
      items: await addMatches(
        shown.flatMap(({ seq }) => bySeq.get(seq) ?? []),
        text,
      ),
      nextCursor: rows.length > size ? (shown.at(-1) ?? null) : null,
      ...(matches !== null && matches.length > MAX_COUNT ? { newestOnly: MAX_COUNT } : {}),
    };
  }

  async function count(filter: StoredFilter): Promise<ExecutionCount> {
    const text = filter.q?.trim() ?? "";
    const named = await findNamed(text, filter);
    if (named !== undefined) return { count: named === null ? 0 : 1, more: false };
    const window = await toWindow(filter, NEWEST);
    if (window === null) return { count: 0, more: false };
    if (text !== "") {
      const until = performance.now() + COUNT_BUDGET_MS;
      const found = (await searchSeqs(window, text, MAX_COUNT + 1, until)).length;
      return { count: Math.min(found, MAX_COUNT), more: found > MAX_COUNT || performance.now() >= until };
    }
    const { sql, values } = toCondition(window);
    const select = (from: string) =>
      `SELECT count(*) AS found FROM (SELECT 1 FROM ${from} WHERE ${sql} LIMIT ${MAX_COUNT + 1}) AS counted`;
    const whole = await reads.rowsWithin<{ found: number }>(COUNT_BUDGET_MS, select('"Execution"'), values);
    if (whole !== null) return toCount(whole[0]?.found ?? 0, false);
    const newest = `(SELECT * FROM "Execution" ORDER BY seq DESC LIMIT ${COUNTED_AT_LEAST}) AS "Execution"`;
    const part = await reads.rowsWithin<{ found: number }>(COUNT_BUDGET_MS, select(newest), values);
    return toCount(part?.[0]?.found ?? 0, true);
  }

  return { list, count, newestByClient: async (filter) => toSummaries(await readClients(filter)) };
}

const toCount = (found: number, isPart: boolean): ExecutionCount => ({
  count: Math.min(found, MAX_COUNT),
  more: isPart || found > MAX_COUNT,
});
