"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTRPC } from "@/app/_trpc/client";
import { useToast } from "@/app/_ui/toast";
import type { ToolActions } from "./tool-row-menu";

export interface ToolActionOptions {
  /** Shows why an action did not succeed; null once another one begins or has succeeded. */
  report: (problem: string | null) => void;
  onRemoved?: () => void;
  onRestored?: (name: string) => void;
}

/** The actions on a tool, for the list and for its page. */
export function useToolActions({ report, onRemoved, onRestored }: ToolActionOptions): ToolActions {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const toast = useToast();
  const listKey = trpc.tools.list.queryKey();
  const refresh = () => queryClient.invalidateQueries({ queryKey: trpc.tools.pathKey() });

  const restore = useMutation(
    trpc.tools.restore.mutationOptions({
      onSuccess: (tool) => {
        report(null);
        toast({ title: `${tool.name} restored`, tone: "ok" });
        onRestored?.(tool.name);
      },
      onError: (error) => report(`Couldn't restore the tool: ${error.message}`),
      onSettled: refresh,
    }),
  );
  const remove = useMutation(
    trpc.tools.delete.mutationOptions({
      onSuccess: ({ id }, { name }) => {
        report(null);
        onRemoved?.();
        toast({ title: `${name} deleted`, action: { label: "Undo", onClick: () => restore.mutate({ id }) } });
      },
      onError: (error, { name }) => report(`Couldn't delete ${name}: ${error.message}`),
      onSettled: refresh,
    }),
  );
  const setEnabled = useMutation(
    trpc.tools.setEnabled.mutationOptions({
      onMutate: async ({ name, enabled }) => {
        report(null);
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
        report(`Couldn't ${enabled ? "enable" : "disable"} ${name}: ${error.message}`);
      },
      onSettled: refresh,
    }),
  );

  return {
    setEnabled: (tool, enabled) => setEnabled.mutate({ name: tool.name, enabled }),
    remove: (tool) => remove.mutate({ name: tool.name, revision: tool.lastEdit?.revision }),
  };
}
