import { useQuery } from "@tanstack/react-query";
import { trpc } from "@/app/_trpc/client";

/**
 * Whether a running call or run waits for an answer to its server. Reads what the inbox button in the top bar keeps current.
 * @param enabled whether it runs: only then can it wait
 */
export function useWaitsForInput(
  { executionId, runId }: { executionId?: string; runId?: string },
  enabled: boolean,
): boolean {
  const { data } = useQuery({
    ...trpc.interactions.list.queryOptions(),
    enabled,
    select: (pending) =>
      pending.some((each) =>
        executionId === undefined ? each.runId === runId && runId !== undefined : each.executionId === executionId,
      ),
  });
  return enabled && data === true;
}
