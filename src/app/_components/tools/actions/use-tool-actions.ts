"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { useToast } from "@/app/_ui/toast";
import type { ToolActions } from "./tool-row-menu";

/** What can be done to a tool from the list. A refusal stays on screen until it is dismissed or something succeeds. */
export function useToolActions(): { actions: ToolActions; problem: string | null; dismiss: () => void } {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const toast = useToast();
  const [problem, setProblem] = useState<string | null>(null);
  const listKey = trpc.tools.list.queryKey();
  const refresh = () => queryClient.invalidateQueries({ queryKey: trpc.tools.pathKey() });

  const restore = useMutation(
    trpc.tools.restore.mutationOptions({
      onSuccess: (tool) => {
        setProblem(null);
        toast({ title: `${tool.name} restored`, tone: "ok" });
      },
      onError: (error) => setProblem(`Couldn't restore the tool: ${error.message}`),
      onSettled: refresh,
    }),
  );
  const remove = useMutation(
    trpc.tools.delete.mutationOptions({
      onSuccess: ({ id }, { name }) => {
        setProblem(null);
        toast({ title: `${name} deleted`, action: { label: "Undo", onClick: () => restore.mutate({ id }) } });
      },
      onError: (error, { name }) => setProblem(`Couldn't delete ${name}: ${error.message}`),
      onSettled: refresh,
    }),
  );
  const setEnabled = useMutation(
    trpc.tools.setEnabled.mutationOptions({
      onMutate: async ({ name, enabled }) => {
        setProblem(null);
        await queryClient.cancelQueries({ queryKey: listKey });
        const before = queryClient.getQueryData(listKey);
        queryClient.setQueryData(
          listKey,
          (list) =>
            list && { ...list, items: list.items.map((tool) => (tool.name === name ? { ...tool, enabled } : tool)) },
        );
        return { before };
      },
      onError: (error, { name, enabled }, context) => {
        queryClient.setQueryData(listKey, context?.before);
        setProblem(`Couldn't ${enabled ? "enable" : "disable"} ${name}: ${error.message}`);
      },
      onSettled: refresh,
    }),
  );

  return {
    actions: {
      setEnabled: (tool, enabled) => setEnabled.mutate({ name: tool.name, enabled }),
      remove: (tool) => remove.mutate({ name: tool.name, revision: tool.lastEdit?.revision }),
    },
    problem,
    dismiss: () => setProblem(null),
  };
}
