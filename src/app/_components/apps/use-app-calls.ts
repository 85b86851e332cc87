import { useCallback, useRef, useState } from "react";
import { client } from "@/app/_trpc/client";
import { isPlainObject } from "@/lib/contract/json";
import { newExecutionId } from "@/lib/execution-id";
import { toToolResult } from "./app-result";

const POLL_MS = 1_000;

/**
 * The calls of one App, each recorded as an execution. One that requires approval stands in `waiting` until a user has
 * decided.
 */
export function useAppCalls(executionId: string) {
  const running = useRef(new Set<string>());
  const [waiting, setWaiting] = useState<readonly string[]>([]);

  const call = useCallback(
    async (tool: string, args: Record<string, unknown>): Promise<Record<string, unknown>> => {
      const id = newExecutionId();
      running.current.add(id);
      try {
        const argumentsText = JSON.stringify(args);
        let execution = await client.apps.callTool.mutate({ executionId, tool, argumentsText, callExecutionId: id });
        while (execution.status === "running" || execution.status === "waiting") {
          if (!running.current.has(id)) throw new Error("The App has ended");
          const asks = execution.status === "waiting";
          setWaiting((before) =>
            before.includes(id) === asks ? before : asks ? [...before, id] : without(before, id),
          );
          await new Promise((resolve) => setTimeout(resolve, POLL_MS));
          execution = await client.executions.get.query({ id });
        }
        return toToolResult(execution);
      } finally {
        running.current.delete(id);
        setWaiting((before) => (before.includes(id) ? without(before, id) : before));
      }
    },
    [executionId],
  );

  const cancel = useCallback((id: string): void => {
    // A call that has just ended cannot be cancelled, and need not be.
    client.executions.cancel.mutate({ id }).catch(() => undefined);
  }, []);

  const cancelAll = useCallback((): void => {
    for (const id of running.current) cancel(id);
    running.current.clear();
    setWaiting([]);
  }, [cancel]);

  const request = useCallback(
    async (method: "tools/list" | "resources/list" | "resources/templates/list" | "resources/read", uri?: string) => {
      const answer: unknown = await client.apps.request.mutate({
        executionId,
        method,
        ...(uri !== undefined && { uri }),
      });
      return isPlainObject(answer) ? answer : {};
    },
    [executionId],
  );

  return { call, request, cancel, cancelAll, waiting };
}

const without = (ids: readonly string[], id: string): string[] => ids.filter((each) => each !== id);
