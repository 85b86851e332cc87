"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef } from "react";
import { awaitingThrottle } from "@/app/_components/executions/awaiting-throttle";
import { useLiveEvents } from "@/app/_components/live/live-provider";
import { useTRPC } from "@/app/_trpc/client";

const REFETCH_MS = 300;

/** Reads providers, choices and checks again; what asks a vendor (`models.available`) is left alone. */
export function useRefreshModels(): () => Promise<void> {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  return useCallback(async () => {
    await Promise.all(
      [
        trpc.models.providers.queryKey(),
        trpc.models.choices.queryKey(),
        trpc.modelChecks.list.infiniteQueryKey(),
        trpc.modelChecks.get.queryKey(),
      ].map((queryKey) => queryClient.invalidateQueries({ queryKey })),
    );
  }, [queryClient, trpc]);
}

/** Keeps what is read of models current while the component is mounted. */
export function useLiveModels(): void {
  const refresh = useRefreshModels();
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
    if (event.type === "models") throttle.current?.fire();
  });
}
