"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useLiveEvents } from "@/app/_components/live/live-provider";
import { useTRPC } from "@/app/_trpc/client";

/** How many calls wait for a person; undefined until it is known. Told by live events. */
export function useApprovalCount(): number | undefined {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const options = trpc.approvals.count.queryOptions();
  const { data } = useQuery(options);
  useLiveEvents((event) => {
    if (event.type === "approvals") void queryClient.invalidateQueries({ queryKey: options.queryKey });
  });
  return data?.open;
}
