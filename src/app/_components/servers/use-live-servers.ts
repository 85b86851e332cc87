"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { useLiveEvents } from "@/app/_components/live/live-provider";
import { useThrottled } from "@/app/_components/live/use-throttled";
import { useTRPC } from "@/app/_trpc/client";

const REFETCH_MS = 300;

/** Reads the list and the open server again; what asks the server itself (resources, prompts) is left alone. */
export function useRefreshServers(): () => Promise<void> {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  return useCallback(async () => {
    await Promise.all([
      queryClient.invalidateQueries({ queryKey: trpc.servers.list.queryKey() }),
      queryClient.invalidateQueries({ queryKey: trpc.servers.get.queryKey() }),
    ]);
  }, [queryClient, trpc]);
}

/** Keeps what is read of servers current while the component is mounted. */
export function useLiveServers(): void {
  const refresh = useRefreshServers();
  const readAgain = useThrottled(refresh, REFETCH_MS, true);

  useLiveEvents((event) => {
    if (event.type === "servers") readAgain();
  });
}
