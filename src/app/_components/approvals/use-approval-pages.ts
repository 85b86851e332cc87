"use client";

import { useQueryClient, useSuspenseInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useLiveEvents } from "@/app/_components/live/live-provider";
import { useTRPC } from "@/app/_trpc/client";
import { APPROVAL_ROWS, type ApprovalTab } from "./approval-params";

/** The inbox, as far as it was asked for: open ones oldest first, decided ones newest first. */
export function useApprovalPages(status: ApprovalTab) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const options = trpc.approvals.list.infiniteQueryOptions(
    { status, limit: APPROVAL_ROWS },
    // What came with the page may be older than the moment from which events are heard.
    { getNextPageParam: (page) => page.nextCursor, refetchOnMount: "always" },
  );
  const query = useSuspenseInfiniteQuery(options);
  useLiveEvents((event) => {
    if (event.type === "approvals") void queryClient.invalidateQueries({ queryKey: options.queryKey });
  });
  const items = useMemo(() => {
    // Pages that were read at different times may overlap.
    const byId = new Map(query.data.pages.flatMap((page) => page.items).map((item) => [item.executionId, item]));
    return [...byId.values()];
  }, [query.data]);
  return {
    items,
    hasMore: query.hasNextPage,
    loadingMore: query.isFetchingNextPage,
    loadMore: () => void query.fetchNextPage(),
    /** Why the newest state, or more, could not be read; null while all is well. */
    error: query.error,
  };
}
