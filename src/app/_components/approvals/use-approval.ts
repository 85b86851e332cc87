"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useLiveEvents } from "@/app/_components/live/live-provider";
import { useTRPC } from "@/app/_trpc/client";

/** Should the live events not come. */
const POLL_MS = 5_000;

/** One approval, kept current while it is open. */
export function useApproval(executionId: string) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const options = trpc.approvals.get.queryOptions({ executionId });
  const query = useQuery({
    ...options,
    refetchInterval: ({ state }) => (state.data?.status === "open" ? POLL_MS : false),
  });
  useLiveEvents((event) => {
    const concerned =
      event.type === "approvals"
        ? query.data === undefined || query.data.status === "open"
        : event.type === "execution" && event.execution.id === executionId;
    if (concerned) void queryClient.invalidateQueries({ queryKey: options.queryKey });
  });
  return query;
}
