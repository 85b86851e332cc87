import { useQuery } from "@tanstack/react-query";
import { trpc } from "@/app/_trpc/client";
import type { ExecutionStatus } from "@/lib/contract/envelope";

const RUNNING_POLL_MS = 1_000;
/** A waiting call waits for a user, who needs longer than a tool. */
const WAITING_POLL_MS = 3_000;

/** One call, kept current: by live events, and by asking while it runs, should the events not come. */
export function useExecution(id: string) {
  return useQuery(
    trpc.executions.get.queryOptions(
      { id },
      {
        refetchInterval: (query) => pollMs(query.state.data?.status),
      },
    ),
  );
}

/** How long until a call is asked for again; false once it is over. */
export function pollMs(status: ExecutionStatus | undefined): number | false {
  if (status === "running") return RUNNING_POLL_MS;
  return status === "waiting" ? WAITING_POLL_MS : false;
}
