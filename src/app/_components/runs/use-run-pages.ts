"use client";

import { useSuspenseInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef } from "react";
import { awaitingThrottle } from "@/app/_components/executions/awaiting-throttle";
import { useLiveEvents } from "@/app/_components/live/live-provider";
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
  const throttle = useRef<ReturnType<typeof awaitingThrottle> | null>(null);
  // Outside system: the timer between two reads.
  useEffect(() => {
    const current = awaitingThrottle(() => refetch(), REFETCH_MS);
    throttle.current = current;
    return () => current.cancel();
  }, [refetch]);
  useLiveEvents((event) => {
    if (event.type === "run") throttle.current?.fire();
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
