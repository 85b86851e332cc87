import { useCallback, useState } from "react";
import { useLiveEvents } from "@/app/_components/live/live-provider";
import { useThrottled } from "@/app/_components/live/use-throttled";
import type { ExecutionFilter } from "@/lib/contract";
import { matchesFilter } from "./live-match";
import type { ExecutionPages } from "./use-execution-pages";

const REFETCH_MS = 400;

export interface NewCalls {
  count: number;
  /** Some may not match the filter: it cannot be told before they are read. */
  uncertain: boolean;
}

const NO_NEW_CALLS: NewCalls = { count: 0, uncertain: false };

/**
 * Keeps the list current. While only its newest page is shown and it is not paused it is read again as calls come and
 * end; else nothing moves under the reader: rows in sight are brought up to date and new calls are counted.
 */
export function useLiveTail(filter: ExecutionFilter, pages: ExecutionPages, paused: boolean) {
  const [newIds, setNewIds] = useState<ReadonlyMap<string, boolean>>(new Map());
  const { refetch, refreshRow, showNewest, rows, pageCount } = pages;

  const readAgain = useThrottled(refetch, REFETCH_MS);

  useLiveEvents((event) => {
    if (event.type !== "execution") return;
    const { execution } = event;
    if (!paused && pageCount === 1) {
      readAgain();
      return;
    }
    if (rows.some((row) => row.id === execution.id)) {
      // A row that cannot be read stays as it was; the next read of the list mends it.
      refreshRow(execution.id).catch(() => undefined);
      return;
    }
    const match = matchesFilter(filter, execution);
    if (match !== false) setNewIds((before) => new Map(before).set(execution.id, match === null));
  });

  const show = useCallback(async (): Promise<void> => {
    setNewIds(new Map());
    await showNewest();
  }, [showNewest]);

  const unseen = [...newIds].filter(([id]) => !rows.some((row) => row.id === id));
  const waiting: NewCalls =
    unseen.length === 0 ? NO_NEW_CALLS : { count: unseen.length, uncertain: unseen.some(([, unsure]) => unsure) };
  return { waiting, show };
}
