import { useQuery } from "@tanstack/react-query";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { trpc } from "@/app/_trpc/client";

/** The number of open approvals; undefined until it is known. */
export function useApprovalCount(): number | undefined {
  const { data, refetch } = useQuery(trpc.approvals.count.queryOptions());
  useLiveRefresh(refetch, "approvals");
  return data?.open;
}
