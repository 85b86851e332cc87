"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { useLiveEvents } from "@/app/_components/live/live-provider";
import { useThrottled } from "@/app/_components/live/use-throttled";
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
  const readAgain = useThrottled(refresh, REFETCH_MS, true);

  useLiveEvents((event) => {
    if (event.type === "models") readAgain();
  });
}
