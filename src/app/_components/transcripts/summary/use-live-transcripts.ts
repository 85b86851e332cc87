"use client";

import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { useTRPC } from "@/app/_trpc/client";
import { useInvalidate } from "@/app/_trpc/use-invalidate";

export function useRefreshTranscripts(): () => Promise<void> {
  const { transcripts } = useTRPC();
  return useInvalidate(transcripts.list.queryKey(), transcripts.get.queryKey());
}

/** Keeps the list, or one transcript, current while the component is mounted. */
export function useLiveTranscripts(id: string | null): void {
  useLiveRefresh(
    useRefreshTranscripts(),
    (event) => event.type === "transcript" && (id === null || event.transcriptId === id),
    { onMount: true },
  );
}
