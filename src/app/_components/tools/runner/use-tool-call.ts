import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { pollMs } from "@/app/_components/executions/summary/use-execution";
import { readKept, writeKept } from "@/app/_kit/kept-draft";
import { trpc } from "@/app/_trpc/client";
import type { ExecutionDetail } from "@/lib/contract/execution";
import { newExecutionId } from "@/lib/execution-id";

/** A quick tool answers within this and shows its result at once; a slower one is shown running and followed. */
const QUICK_MS = 300;

const lastExecution = (toolName: string): string => `execution.${toolName}`;

interface ToolCallRequest {
  /** The tool's name. */
  name: string;
  argumentsText: string;
  skipValidation?: boolean;
  parentId?: string;
}

/**
 * Runs a tool and follows the execution to its end, through live events and, should they fail, by asking.
 * @param keptFor the tool whose last execution in this tab is shown again on the next visit
 */
export function useToolCall(onExecution: (execution: ExecutionDetail) => void, keptFor: string | null = null) {
  const queryClient = useQueryClient();
  const [followedId, setFollowedId] = useState<string | null>(null);
  const run = useMutation(
    trpc.executions.run.mutationOptions({
      onSuccess: (execution) => {
        queryClient.setQueryData(trpc.executions.get.queryKey({ id: execution.id }), execution);
        setFollowedId(execution.id);
        if (keptFor !== null) writeKept(lastExecution(keptFor), { base: "", text: execution.id, withheld: false });
        onExecution(execution);
      },
    }),
  );
  // Outside system: the tab's storage, which the server does not see.
  useEffect(() => {
    if (keptFor !== null) setFollowedId((id) => id ?? readKept(lastExecution(keptFor))?.text ?? null);
  }, [keptFor]);
  const followed = useQuery(
    trpc.executions.get.queryOptions(
      { id: followedId ?? "exec_none0000" },
      {
        enabled: followedId !== null,
        refetchInterval: (query) => pollMs(query.state.data?.status),
      },
    ),
  );
  const cancel = useMutation(trpc.executions.cancel.mutationOptions());
  const status = followed.data?.status;
  const running = run.isPending || status === "running" || status === "waiting";
  return {
    /** The current state of the call; null before the first run. */
    execution: followedId === null ? null : (followed.data ?? null),
    running,
    error: run.error?.message ?? (cancel.error === null ? null : `Couldn't cancel: ${cancel.error.message}`),
    canceling: cancel.isPending || (running && cancel.data?.cancelled === true),
    start: (request: ToolCallRequest) => {
      cancel.reset();
      run.mutate({ ...request, executionId: newExecutionId(), waitMs: QUICK_MS });
    },
    cancel: () => {
      const id = run.isPending ? run.variables?.executionId : followedId;
      if (id) cancel.mutate({ id });
    },
  };
}
