import { useQuery } from "@tanstack/react-query";
import { trpc } from "@/app/_trpc/client";
import type { WaitingChanges } from "@/lib/contract/change-review";

/** The changes of servers that wait or are in use, by name; empty until they are read. */
export function useWaitingChanges(isNeeded: boolean): ReadonlyMap<string, WaitingChanges> {
  const { data } = useQuery({ ...trpc.changes.waiting.queryOptions(), enabled: isNeeded });
  return new Map(data?.map((each) => [each.server, each]));
}
