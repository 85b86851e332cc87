"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { useToast } from "@/app/_ui/toast";
import type { ServerSummary } from "@/lib/contract/server";
import { useRefreshServers } from "./use-live-servers";
import { useSignIn } from "./use-sign-in";

export interface ServerActions {
  reconnect: (server: ServerSummary) => void;
  setEnabled: (server: ServerSummary, enabled: boolean) => void;
  signIn: (server: ServerSummary) => void;
  signOut: (server: ServerSummary) => void;
  remove: (server: ServerSummary) => void;
  /** The servers with a request in flight. */
  busy: { reconnecting: string | null; signingIn: string | null };
}

interface ServerActionsResult {
  actions: ServerActions;
  /** A refusal stays on screen until it is dismissed or something succeeds. */
  problem: string | null;
  dismiss: () => void;
}

const switched = (server: ServerSummary, enabled: boolean): ServerSummary => ({
  ...server,
  enabled,
  state: { ...server.state, status: enabled ? "connecting" : "disabled", reason: null, nextAttemptAt: null },
});

/** The actions on a server, for the list and for its own page. */
export function useServerActions({ onDeleted, onRestored }: ServerActionsOptions = {}): ServerActionsResult {
  const trpc = useTRPC();
  const toast = useToast();
  const [problem, setProblem] = useState<string | null>(null);
  const refresh = useRefreshServers();
  const signIn = useSignIn(setProblem);
  const setEnabled = useSetEnabled(setProblem);

  const restore = useMutation(
    trpc.servers.restore.mutationOptions({
      onSuccess: (server) => {
        setProblem(null);
        toast({ title: `${server.name} restored`, tone: "ok" });
        onRestored?.(server.name);
      },
      onError: (error) => setProblem(`Couldn't restore the server: ${error.message}`),
      onSettled: refresh,
    }),
  );
  const remove = useMutation(
    trpc.servers.delete.mutationOptions({
      onSuccess: ({ id }, { name }) => {
        setProblem(null);
        toast({ title: `${name} deleted`, action: { label: "Undo", onClick: () => restore.mutate({ id }) } });
        onDeleted?.();
      },
      onError: (error, { name }) => setProblem(`Couldn't delete ${name}: ${error.message}`),
      onSettled: refresh,
    }),
  );
  const reconnect = useMutation(
    trpc.servers.reconnect.mutationOptions({
      onMutate: () => setProblem(null),
      onSuccess: ({ name, state }) => {
        const connected = state.status === "connected";
        toast({
          title: connected ? `${name} is connected` : `${name} is not connected`,
          tone: connected ? "ok" : "warn",
        });
      },
      onError: (error, { name }) => setProblem(`Couldn't reconnect ${name}: ${error.message}`),
      onSettled: refresh,
    }),
  );
  const signOut = useMutation(
    trpc.servers.signOut.mutationOptions({
      onSuccess: ({ name }) => toast({ title: `Signed out of ${name}` }),
      onError: (error, { name }) => setProblem(`Couldn't sign out of ${name}: ${error.message}`),
      onSettled: refresh,
    }),
  );

  return {
    actions: {
      reconnect: ({ name }) => reconnect.mutate({ name }),
      setEnabled: ({ name }, enabled) => setEnabled.mutate({ name, enabled }),
      signIn: ({ name }) => signIn.start(name),
      signOut: ({ name }) => signOut.mutate({ name }),
      remove: ({ name, lastEdit }) => remove.mutate({ name, revision: lastEdit?.revision }),
      busy: {
        reconnecting: reconnect.isPending ? (reconnect.variables?.name ?? null) : null,
        signingIn: signIn.pendingName,
      },
    },
    problem,
    dismiss: () => setProblem(null),
  };
}

interface ServerActionsOptions {
  onDeleted?: () => void;
  onRestored?: (name: string) => void;
}

/** Shown at once: what switching does to the state is known. */
function useSetEnabled(setProblem: (problem: string | null) => void) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const refresh = useRefreshServers();
  const listKey = trpc.servers.list.queryKey();
  return useMutation(
    trpc.servers.setEnabled.mutationOptions({
      onMutate: async ({ name, enabled }) => {
        setProblem(null);
        const getKey = trpc.servers.get.queryKey({ name });
        await queryClient.cancelQueries({ queryKey: listKey });
        await queryClient.cancelQueries({ queryKey: getKey });
        const before = { list: queryClient.getQueryData(listKey), detail: queryClient.getQueryData(getKey) };
        queryClient.setQueryData(
          listKey,
          (list) =>
            list && {
              ...list,
              items: list.items.map((server) => (server.name === name ? switched(server, enabled) : server)),
            },
        );
        queryClient.setQueryData(getKey, (detail) => detail && { ...detail, ...switched(detail, enabled) });
        return before;
      },
      onError: (error, { name, enabled }, before) => {
        queryClient.setQueryData(listKey, before?.list);
        queryClient.setQueryData(trpc.servers.get.queryKey({ name }), before?.detail);
        setProblem(`Couldn't ${enabled ? "enable" : "disable"} ${name}: ${error.message}`);
      },
      onSettled: refresh,
    }),
  );
}
