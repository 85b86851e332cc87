"use client";

import { useQueryClient } from "@tanstack/react-query";
import { type EditedThing, type Save, useSave } from "@/app/_kit/use-save";
import { useTRPC, useTRPCClient } from "@/app/_trpc/client";

/** Creates a tool, or changes the one that is edited; afterwards its page opens. */
export function useSaveDefinition(editing: EditedThing | null, onSaved: () => void): Save<string> {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  return useSave({
    send: (definitionText: string) =>
      editing === null
        ? client.tools.create.mutate({ definitionText })
        : client.tools.update.mutate({ ...editing, definitionText }),
    onSaved: (tool) => {
      onSaved();
      queryClient.setQueryData(trpc.tools.get.queryKey({ name: tool.name }), tool);
      void queryClient.invalidateQueries({ queryKey: trpc.tools.pathKey() });
    },
    onConflict: () => void queryClient.invalidateQueries({ queryKey: trpc.tools.pathKey() }),
    toast: ({ name }) => (editing === null ? `${name} created` : `${name} saved`),
    openPath: ({ name }) => `/tools/${encodeURIComponent(name)}`,
  });
}
