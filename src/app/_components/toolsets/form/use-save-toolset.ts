"use client";

import { useQueryClient } from "@tanstack/react-query";
import { type EditedThing, type Save, useSave } from "@/app/_kit/use-save";
import { useTRPC, useTRPCClient } from "@/app/_trpc/client";
import type { ToolsetInput } from "@/lib/contract/toolset";

export const toToolsetPath = (name: string): string => `/toolsets/${encodeURIComponent(name)}`;

/** Creates a toolset, or changes the one that is edited, then opens its page. */
export function useSaveToolset(editing: EditedThing | null, onSaved: () => void): Save<ToolsetInput> {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  return useSave({
    send: (input: ToolsetInput) =>
      editing === null
        ? client.toolsets.create.mutate(input)
        : client.toolsets.update.mutate({ ...editing, toolset: input }),
    onSaved: (toolset) => {
      onSaved();
      queryClient.setQueryData(trpc.toolsets.get.queryKey({ name: toolset.name }), toolset);
      void queryClient.invalidateQueries({ queryKey: trpc.toolsets.list.queryKey() });
    },
    onConflict: () => void queryClient.invalidateQueries({ queryKey: trpc.toolsets.pathKey() }),
    toast: ({ name }) => (editing === null ? `${name} created` : `${name} saved`),
    openPath: ({ name }) => toToolsetPath(name),
  });
}
