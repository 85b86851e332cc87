import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "@/app/_trpc/client";

const RUNNING_POLL_MS = 1_000;

/** One call, kept current: by live events, and by asking while it runs, should the events not come. */
export function useExecution(id: string) {
  const trpc = useTRPC();
  return useQuery(
    trpc.executions.get.queryOptions(
      { id },
      {
        refetchInterval: (query) => (query.state.data?.status === "running" ? RUNNING_POLL_MS : false),
      },
    ),
  );
}
