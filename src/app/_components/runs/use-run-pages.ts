"use client";

import { useSuspenseInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useLiveEvents } from "@/app/_components/live/live-provider";
import { useThrottled } from "@/app/_components/live/use-throttled";
import { useTRPC } from "@/app/_trpc/client";
import type { RunFilter } from "@/lib/contract/run";
import { RUN_PAGE_ROWS } from "./run-filter-params";

const REFETCH_MS = 500;

/** Runs under a filter, newest first, as far as they were asked for; read again as runs begin, go on and end. */
export function useRunPages(filter: RunFilter) {
  const trpc = useTRPC();
  const query = useSuspenseInfiniteQuery(
    trpc.runs.list.infiniteQueryOptions(
      { filter, limit: RUN_PAGE_ROWS },
      // What is in the page may be older than the moment from which events are heard.
      { getNextPageParam: (page) => page.nextCursor, refetchOnMount: "always" },
    ),
  );
  const rows = useMemo(() => {
    // A row may stand at the end of one page and the beginning of the next when they were read at different times.
    const byId = new Map(query.data.pages.flatMap((page) => page.items).map((item) => [item.id, item]));
    return [...byId.values()];
  }, [query.data]);

  const { refetch } = query;
  const readAgain = useThrottled(refetch, REFETCH_MS);
  useLiveEvents((event) => {
    if (event.type === "run") readAgain();
  });

  return {
    rows,
    error: query.error,
    refetch,
    hasOlder: query.hasNextPage,
    loadingOlder: query.isFetchingNextPage,
    loadOlder: query.fetchNextPage,
  };
}
