"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { serverPath } from "@/app/_components/servers/server-words";
import { useRefreshServers } from "@/app/_components/servers/use-live-servers";
import { useTRPC } from "@/app/_trpc/client";
import { useToast } from "@/app/_ui/toast";
import type { ServerDetail, ServerSettingsInput } from "@/lib/contract/server";

export interface SaveServer {
  save: (settings: ServerSettingsInput) => void;
  pending: boolean;
  /** The server's refusal and the settings that it is about, until the next attempt. */
  refusal: { message: string; settings: ServerSettingsInput } | null;
}

/** Adds a server, or changes the one that is edited; afterwards its page opens, where it is seen connecting. */
export function useSaveServer(editing: string | null): SaveServer {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const router = useRouter();
  const toast = useToast();
  const refresh = useRefreshServers();

  const after = {
    onSuccess: (server: ServerDetail) => {
      queryClient.setQueryData(trpc.servers.get.queryKey({ name: server.name }), server);
      void refresh();
      toast({ title: editing === null ? `${server.name} added` : `${server.name} saved`, tone: "ok" });
      router.push(serverPath(server.name));
    },
  };
  const create = useMutation(trpc.servers.create.mutationOptions(after));
  const update = useMutation(trpc.servers.update.mutationOptions(after));
  const { error, isPending, isSuccess, variables } = editing === null ? create : update;

  return {
    save: (settings) => (editing === null ? create.mutate({ settings }) : update.mutate({ name: editing, settings })),
    // Until the page has changed, a second press must not save again.
    pending: isPending || isSuccess,
    refusal:
      error === null || variables === undefined ? null : { message: error.message, settings: variables.settings },
  };
}
