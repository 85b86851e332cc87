"use client";

import { useSuspenseInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { runningPollMs } from "./running-poll";

/** Checks so far, newest first. */
export function useCheckPages() {
  const trpc = useTRPC();
  const query = useSuspenseInfiniteQuery({
    ...trpc.modelChecks.list.infiniteQueryOptions({}, { getNextPageParam: (page) => page.nextCursor }),
    refetchInterval: ({ state }) =>
      runningPollMs(state.data?.pages.some(({ items }) => items.some(({ status }) => status === "running")) ?? false),
  });
  const checks = useMemo(() => {
    // Pages that were read at different times may overlap.
    const byId = new Map(query.data.pages.flatMap((page) => page.items).map((check) => [check.id, check]));
    return [...byId.values()];
  }, [query.data]);
  return {
    checks,
    error: query.error,
    hasMore: query.hasNextPage,
    loadingMore: query.isFetchingNextPage,
    loadMore: () => void query.fetchNextPage(),
  };
}
