import { useCallback, useMemo } from "react";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import type { LiveEvent } from "@/lib/contract/live-event";

interface PageQuery<Row> {
  data: { pages: readonly { items: readonly Row[] }[] };
  error: { message: string } | null;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => Promise<unknown>;
  refetch: () => Promise<unknown>;
}

export interface Pages<Row> {
  rows: Row[];
  hasMore: boolean;
  loadingMore: boolean;
  loadMore: () => void;
  /** Why the newest rows, or more of them, could not be read. */
  error: { message: string } | null;
  refetch: () => Promise<unknown>;
}

interface PagesOptions<Row> {
  /** Rows of one key are one row: pages that were read at different times may overlap. A stable function. */
  toKey: (row: Row) => string | number;
  /** Whether the rows must be read again after an event. */
  isStale?: (event: LiveEvent) => boolean;
  /** Milliseconds between two reads. */
  intervalMs?: number;
}

const never = (): boolean => false;

/** The rows of a list that is read page by page, kept current by live events. */
export function usePages<Row>(query: PageQuery<Row>, options: PagesOptions<Row>): Pages<Row> {
  const { toKey, isStale = never, intervalMs } = options;
  const { pages } = query.data;
  const { refetch, fetchNextPage } = query;
  const rows = useMemo(() => {
    const byKey = new Map(pages.flatMap((page) => page.items).map((row) => [toKey(row), row]));
    return [...byKey.values()];
  }, [pages, toKey]);
  useLiveRefresh(refetch, isStale, { intervalMs });
  return {
    rows,
    hasMore: query.hasNextPage,
    loadingMore: query.isFetchingNextPage,
    loadMore: useCallback(() => void fetchNextPage(), [fetchNextPage]),
    error: query.error,
    refetch,
  };
}
