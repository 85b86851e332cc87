"use client";

import { useQueryClient } from "@tanstack/react-query";
import { toServerPath } from "@/app/_components/servers/summary/server-words";
import { useRefreshServers } from "@/app/_components/servers/summary/use-live-servers";
import { type EditedThing, type Save, useSave } from "@/app/_kit/use-save";
import { useTRPC, useTRPCClient } from "@/app/_trpc/client";
import type { ServerSettingsInput } from "@/lib/contract/server";

/** Adds a server, or changes the one that is edited, then opens its page. @param enabled of a new server */
export function useSaveServer(
  editing: EditedThing | null,
  enabled: boolean,
  onSaved: () => void,
): Save<ServerSettingsInput> {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const refresh = useRefreshServers();
  return useSave({
    send: (settings: ServerSettingsInput) =>
      editing === null
        ? client.servers.create.mutate(enabled ? { settings } : { settings, enabled })
        : client.servers.update.mutate({ ...editing, settings }),
    onSaved: (server) => {
      onSaved();
      queryClient.setQueryData(trpc.servers.get.queryKey({ name: server.name }), server);
      void refresh();
    },
    onConflict: () => void refresh(),
    toast: ({ name }) => (editing === null ? `${name} added` : `${name} saved`),
    openPath: ({ name }) => toServerPath(name),
  });
}
