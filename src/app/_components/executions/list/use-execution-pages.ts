import { useQueryClient, useSuspenseInfiniteQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useEffectEvent, useState } from "react";
import { usePages } from "@/app/_kit/use-pages";
import { useLiveEvents } from "@/app/_live/live-provider";
import { BY_CURSOR } from "@/app/_trpc/by-cursor";
import { trpc } from "@/app/_trpc/client";
import type { ExecutionSummary } from "@/lib/contract/execution";
import type { ListInput } from "./execution-filters";
import { concernsList, matchesFilter } from "./live-match";

const toKey = ({ id }: ExecutionSummary): string => id;

export interface NewCalls {
  count: number;
  /** Whether the filter could not be checked for some calls, since their events lack its fields. */
  uncertain: boolean;
}

/**
 * Executions under a filter. While only the newest page is shown, newest first, and the list is not paused, calls
 * appear as they come. Otherwise no row moves: rows in sight are updated in place and new calls are counted.
 */
export function useExecutionPages(input: ListInput, paused: boolean) {
  const { filter, order } = input;
  const queryClient = useQueryClient();
  const options = trpc.executions.list.infiniteQueryOptions(input, BY_CURSOR);
  const { queryKey } = options;
  const query = useSuspenseInfiniteQuery(options);
  const following = !paused && order === undefined && query.data.pages.length === 1;
  const cancelRead = useEffectEvent(() => void queryClient.cancelQueries({ queryKey }));
  // Cancels a read that is running: it would bring calls that came after the pause.
  useEffect(() => {
    if (paused) cancelRead();
  }, [paused]);
  const followed = following ? query : { ...query, refetch: () => Promise.resolve() };
  const pages = usePages(followed, {
    toKey,
    isStale: (event) => following && concernsList(filter, event),
    intervalMs: 400,
  });
  const { rows } = pages;
  const { refetch } = query;
  const [newIds, setNewIds] = useState<ReadonlyMap<string, boolean>>(new Map());

  const replaceRow = useCallback(
    (id: string, change: (row: ExecutionSummary) => ExecutionSummary) => {
      queryClient.setQueryData(
        queryKey,
        (data) =>
          data && {
            ...data,
            pages: data.pages.map((page) => ({
              ...page,
              items: page.items.map((item) => (item.id === id ? change(item) : item)),
            })),
          },
      );
    },
    [queryClient, queryKey],
  );

  async function refreshRow(id: string): Promise<void> {
    const fresh = await queryClient.fetchQuery({ ...trpc.executions.get.queryOptions({ id }), staleTime: 0 });
    const { status, errorKind, errorPreview, durationMs, finishedAt, resultBytes, storedBytes, cost, pinned } = fresh;
    const changed = { status, errorKind, errorPreview, durationMs, finishedAt, resultBytes, storedBytes, cost, pinned };
    replaceRow(id, (row) => ({ ...row, ...changed }));
  }

  useLiveEvents((event) => {
    if (event.type !== "execution" || following) return;
    const { execution } = event;
    if (rows.some((row) => row.id === execution.id)) {
      // The next read of the list brings what this one failed to.
      refreshRow(execution.id).catch(() => undefined);
      return;
    }
    const match = matchesFilter(filter, execution);
    if (match !== false) setNewIds((before) => new Map(before).set(execution.id, match === null));
  });

  /** Returns to the newest page and reads it again. */
  async function showNewest(): Promise<void> {
    setNewIds(new Map());
    queryClient.setQueryData(
      queryKey,
      (data) => data && { pages: data.pages.slice(0, 1), pageParams: data.pageParams.slice(0, 1) },
    );
    await refetch();
  }

  const unseen = [...newIds].filter(([id]) => !rows.some((row) => row.id === id));
  const newCalls: NewCalls = { count: unseen.length, uncertain: unseen.some(([, uncertain]) => uncertain) };
  return { ...pages, newestOnly: query.data.pages[0]?.newestOnly, refetch, replaceRow, newCalls, showNewest };
}
