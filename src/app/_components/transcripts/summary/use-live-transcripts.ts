"use client";

import type { QueryKey } from "@tanstack/react-query";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { useTRPC } from "@/app/_trpc/client";
import { useInvalidate } from "@/app/_trpc/use-invalidate";

export function useTranscriptKeys(): readonly QueryKey[] {
  const { transcripts } = useTRPC();
  return [transcripts.list.queryKey(), transcripts.get.queryKey()];
}

export function useRefreshTranscripts(): () => Promise<void> {
  return useInvalidate(...useTranscriptKeys());
}

/** Keeps the list, or one transcript, current while the component is mounted. */
export function useLiveTranscripts(id: string | null): void {
  useLiveRefresh(
    useRefreshTranscripts(),
    (event) => event.type === "transcript" && (id === null || event.transcriptId === id),
    { onMount: true },
  );
}
