"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { useLiveEvents } from "@/app/_components/live/live-provider";
import { useThrottled } from "@/app/_components/live/use-throttled";
import { useTRPC } from "@/app/_trpc/client";

const REFETCH_MS = 300;

export function useRefreshTranscripts(): () => Promise<void> {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  return useCallback(async () => {
    await Promise.all([
      queryClient.invalidateQueries({ queryKey: trpc.transcripts.list.queryKey() }),
      queryClient.invalidateQueries({ queryKey: trpc.transcripts.get.queryKey() }),
    ]);
  }, [queryClient, trpc]);
}

/** Keeps the list, or one transcript, current while the component is mounted. */
export function useLiveTranscripts(id: string | null): void {
  const refresh = useRefreshTranscripts();
  const readAgain = useThrottled(refresh, REFETCH_MS, true);

  useLiveEvents((event) => {
    if (event.type === "transcript" && (id === null || event.transcriptId === id)) readAgain();
  });
}
