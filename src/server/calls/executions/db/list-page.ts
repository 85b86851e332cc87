import type { ExecutionOrder, ExecutionPage, ExecutionSummary } from "../../../../lib/contract/execution";
import type { ExecutionStore, StoredFilter } from "../execution-store";
import type { OrderedRow } from "./execution-order";

const MAX_PAGE = 200;
const DEFAULT_PAGE = 50;
/** The limit of the matches of a text that are put in another order. */
const MAX_ORDERED = 10_000;

type Awaitable<T> = T | Promise<T>;

/** The reads of one kind of database. `Row` holds at least the number of an execution. */
export interface PageReads<Window, Row extends { seq: number }> {
  /** Higher than the number of every execution. */
  newest: number;
  /** Finds the execution whose id is the text; null where the filter excludes it, undefined where the text is no id. */
  findNamed(text: string, filter: StoredFilter): Awaitable<number | null | undefined>;
  /** Returns null for a period without executions. */
  toWindow(filter: StoredFilter, below: number): Promise<Window | null>;
  readNewest(window: Window, text: string, filter: StoredFilter, limit: number): Promise<Row[]>;
  searchSeqs(window: Window, text: string, limit: number): Promise<number[]>;
  readOrdered(window: Window, order: ExecutionOrder, after: OrderedRow | null, limit: number): Promise<OrderedRow[]>;
  /** Reads the extremes from statistics; null where they do not help. */
  readExtremes(
    filter: StoredFilter,
    order: ExecutionOrder,
    after: OrderedRow | null,
    limit: number,
  ): Promise<OrderedRow[] | null>;
  orderSeqs(seqs: number[], order: ExecutionOrder, after: OrderedRow | null, limit: number): Awaitable<OrderedRow[]>;
  toSummaries(rows: readonly Row[]): Awaitable<ExecutionSummary[]>;
  readSummaries(seqs: number[]): Awaitable<ExecutionSummary[]>;
  addMatches(items: ExecutionSummary[], text: string): Promise<ExecutionSummary[]>;
}

/** Lists pages by `seq`, newest first, or by a figure: complete and without repetition while new executions arrive. */
export function createPagedList<Window, Row extends { seq: number }>(
  reads: PageReads<Window, Row>,
): ExecutionStore["list"] {
  return async (filter, page = {}) => {
    const size = Math.max(1, Math.min(Math.trunc(page.limit ?? DEFAULT_PAGE), MAX_PAGE));
    const after = typeof page.cursor === "number" ? { seq: page.cursor, value: null } : (page.cursor ?? null);
    const below = after === null || page.order ? reads.newest : after.seq;
    const text = filter.q?.trim() ?? "";
    const named = await reads.findNamed(text, filter);
    if (named !== undefined) {
      const isShown = named !== null && named < below && (!page.order || after === null);
      return { items: isShown ? await reads.readSummaries([named]) : [], nextCursor: null };
    }
    const extremes = page.order && text === "" ? await reads.readExtremes(filter, page.order, after, size + 1) : null;
    if (extremes !== null) return await toOrderedPage(reads, { rows: extremes, text, size });
    const window = await reads.toWindow(filter, below);
    if (window === null) return { items: [], nextCursor: null };
    if (page.order) return await readOrderedPage(reads, { window, text, order: page.order, after, size });
    const rows = await reads.readNewest(window, text, filter, size + 1);
    const shown = rows.slice(0, size);
    const items = await reads.addMatches(await reads.toSummaries(shown), text);
    return { items, nextCursor: rows.length > size ? (shown.at(-1)?.seq ?? null) : null };
  };
}

interface OrderedRequest<Window> {
  window: Window;
  text: string;
  order: ExecutionOrder;
  after: OrderedRow | null;
  size: number;
}

async function readOrderedPage<Window, Row extends { seq: number }>(
  reads: PageReads<Window, Row>,
  { window, text, order, after, size }: OrderedRequest<Window>,
): Promise<ExecutionPage> {
  const matches = text === "" ? null : await reads.searchSeqs(window, text, MAX_ORDERED + 1);
  const rows =
    matches === null
      ? await reads.readOrdered(window, order, after, size + 1)
      : await reads.orderSeqs(matches.slice(0, MAX_ORDERED), order, after, size + 1);
  return {
    ...(await toOrderedPage(reads, { rows, text, size })),
    ...(matches !== null && matches.length > MAX_ORDERED ? { newestOnly: MAX_ORDERED } : {}),
  };
}

/** @param found.rows one more than a page, where there is a next one */
async function toOrderedPage<Window, Row extends { seq: number }>(
  reads: PageReads<Window, Row>,
  { rows, text, size }: { rows: readonly OrderedRow[]; text: string; size: number },
): Promise<ExecutionPage> {
  const shown = rows.slice(0, size);
  const items = await reads.readSummaries(shown.map(({ seq }) => seq));
  const bySeq = new Map(items.map((item) => [item.seq, item]));
  const sorted = shown.flatMap(({ seq }) => bySeq.get(seq) ?? []);
  return {
    items: await reads.addMatches(sorted, text),
    nextCursor: rows.length > size ? (shown.at(-1) ?? null) : null,
  };
}
