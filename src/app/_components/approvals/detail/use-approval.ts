"use client";

import { useQuery } from "@tanstack/react-query";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { useTRPC } from "@/app/_trpc/client";

/** In case live events do not arrive. */
const POLL_MS = 5_000;

/** One approval, kept current while it is open. */
export function useApproval(executionId: string) {
  const trpc = useTRPC();
  const query = useQuery({
    ...trpc.approvals.get.queryOptions({ executionId }),
    refetchInterval: ({ state }) => (state.data?.status === "open" ? POLL_MS : false),
  });
  useLiveRefresh(query.refetch, (event) =>
    event.type === "approvals"
      ? query.data === undefined || query.data.status === "open"
      : event.type === "execution" && event.execution.id === executionId,
  );
  return query;
}
