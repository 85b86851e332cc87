"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { pollMs } from "@/app/_components/executions/use-execution";
import { useTRPC } from "@/app/_trpc/client";
import type { ExecutionDetail } from "@/lib/contract";
import { newExecutionId } from "@/lib/execution-id";

/** A quick tool answers within this and shows its result at once; a slower one is shown running and followed. */
const QUICK_MS = 300;

export interface RunRequest {
  tool: string;
  argumentsText: string;
  skipValidation?: boolean;
  parentId?: string;
}

/** Runs a tool and follows the execution to its end, through live events and, should they fail, by asking. */
export function useRun(onExecution: (execution: ExecutionDetail) => void) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [followedId, setFollowedId] = useState<string | null>(null);
  const run = useMutation(
    trpc.executions.run.mutationOptions({
      onSuccess: (execution) => {
        queryClient.setQueryData(trpc.executions.get.queryKey({ id: execution.id }), execution);
        setFollowedId(execution.id);
        onExecution(execution);
      },
    }),
  );
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
    /** As it stands now; null before the first run. */
    execution: followedId === null ? null : (followed.data ?? null),
    running,
    error: run.error?.message ?? null,
    start: (request: RunRequest) => run.mutate({ ...request, executionId: newExecutionId(), waitMs: QUICK_MS }),
    cancel: () => {
      const id = run.isPending ? run.variables?.executionId : followedId;
      if (id) cancel.mutate({ id });
    },
  };
}
