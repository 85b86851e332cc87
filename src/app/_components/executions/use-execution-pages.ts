import { useQueryClient, useSuspenseInfiniteQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { useTRPC } from "@/app/_trpc/client";
import type { ExecutionFilter, ExecutionSummary } from "@/lib/contract";
import { PAGE_ROWS } from "./filter-params";

/** The logbook under a filter, newest first, as far as it was asked for. */
export function useExecutionPages(filter: ExecutionFilter) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const options = trpc.executions.list.infiniteQueryOptions(
    { filter, limit: PAGE_ROWS },
    // What is in the page may be older than the moment from which events are heard.
    { getNextPageParam: (page) => page.nextCursor, refetchOnMount: "always" },
  );
  const query = useSuspenseInfiniteQuery(options);
  const { queryKey } = options;

  const rows = useMemo(() => {
    // A row may stand at the end of one page and the beginning of the next when they were read at different times.
    const byId = new Map(query.data.pages.flatMap((page) => page.items).map((item) => [item.id, item]));
    return [...byId.values()];
  }, [query.data]);

  const replaceRow = useCallback(
    (id: string, change: (row: ExecutionSummary) => ExecutionSummary) => {
      queryClient.setQueryData(queryKey, (data) =>
        data
          ? {
              ...data,
              pages: data.pages.map((page) => ({
                ...page,
                items: page.items.map((item) => (item.id === id ? change(item) : item)),
              })),
            }
          : data,
      );
    },
    [queryClient, queryKey],
  );

  /** Reads one row again, the others stay where they are. */
  const refreshRow = useCallback(
    async (id: string): Promise<void> => {
      const fresh = await queryClient.fetchQuery({ ...trpc.executions.get.queryOptions({ id }), staleTime: 0 });
      replaceRow(id, (row) => ({
        ...row,
        status: fresh.status,
        errorKind: fresh.errorKind,
        errorPreview: fresh.errorPreview,
        executionTimeMs: fresh.executionTimeMs,
        finishedAt: fresh.finishedAt,
        resultBytes: fresh.resultBytes,
        pinned: fresh.pinned,
      }));
    },
    [queryClient, replaceRow, trpc],
  );

  /** Back to the newest page alone, read anew. */
  const { refetch } = query;
  const showNewest = useCallback(async (): Promise<void> => {
    queryClient.setQueryData(queryKey, (data) =>
      data ? { pages: data.pages.slice(0, 1), pageParams: data.pageParams.slice(0, 1) } : data,
    );
    await refetch();
  }, [queryClient, queryKey, refetch]);

  return {
    rows,
    pageCount: query.data.pages.length,
    hasOlder: query.hasNextPage,
    loadingOlder: query.isFetchingNextPage,
    loadOlder: query.fetchNextPage,
    /** Why older rows, or newer ones, could not be read. */
    error: query.error,
    refetch,
    replaceRow,
    refreshRow,
    showNewest,
  };
}

export type ExecutionPages = ReturnType<typeof useExecutionPages>;
