import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useLiveEvents } from "@/app/_live/live-provider";
import { trpc } from "@/app/_trpc/client";
import type { PendingInteraction } from "@/lib/contract/interaction";

const NONE: readonly PendingInteraction[] = [];

/**
 * The pending requests of servers, oldest first, updated by live events.
 * @param pollMs also polls, in case the events do not arrive: for pages about a call that may wait
 */
export function usePendingInteractions(pollMs?: number): readonly PendingInteraction[] {
  const queryClient = useQueryClient();
  const { data } = useQuery({
    ...trpc.interactions.list.queryOptions(),
    ...(pollMs === undefined ? {} : { refetchInterval: pollMs }),
  });
  useLiveEvents((event) => {
    if (event.type !== "interactions") return;
    void queryClient.invalidateQueries({ queryKey: trpc.interactions.list.queryKey() });
  });
  return data ?? NONE;
}
