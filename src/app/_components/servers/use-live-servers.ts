"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef } from "react";
import { awaitingThrottle } from "@/app/_components/executions/awaiting-throttle";
import { useLiveEvents } from "@/app/_components/live/live-provider";
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
    if (event.type === "servers") throttle.current?.fire();
  });
}
