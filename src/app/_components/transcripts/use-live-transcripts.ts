"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef } from "react";
import { awaitingThrottle } from "@/app/_components/executions/awaiting-throttle";
import { useLiveEvents } from "@/app/_components/live/live-provider";
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
  const throttle = useRef<ReturnType<typeof awaitingThrottle> | null>(null);

  // Outside system: the timer between two reads.
  useEffect(() => {
    const current = awaitingThrottle(refresh, REFETCH_MS);
    throttle.current = current;
    // What happened between the read that came with the page and this moment was heard by nobody here.
    current.fire();
    return () => current.cancel();
  }, [refresh]);

  useLiveEvents((event) => {
    if (event.type === "transcript" && (id === null || event.transcriptId === id)) throttle.current?.fire();
  });
}
