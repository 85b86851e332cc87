import { useState } from "react";
import { guess, useAction } from "@/app/_kit/use-action";
import { trpc } from "@/app/_trpc/client";
import type { ServerSummary } from "@/lib/contract/server";
import type { ServerPage } from "@/lib/contract/server-list";
import { SERVER_QUERIES } from "./use-live-servers";
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

interface ServerActionsOptions {
  onDeleted?: () => void;
  onRestored?: (name: string) => void;
  /** The list that shows the servers, where there is one. */
  list?: ReturnType<typeof trpc.servers.page.infiniteQueryKey>;
}

interface ServerActionsResult {
  actions: ServerActions;
  /** A refusal stays on screen until it is dismissed or another action begins. */
  problem: string | null;
  dismiss: () => void;
}

/** Shows the state after switching at once, since it is known in advance. */
const switched = (server: ServerSummary, enabled: boolean): ServerSummary => ({
  ...server,
  enabled,
  state: { ...server.state, status: enabled ? "connecting" : "disabled", reason: null, nextAttemptAt: null },
});

function switchServer<Known extends { pages: ServerPage[] }>(known: Known, name: string, enabled: boolean): Known {
  const change = (server: ServerSummary) => (server.name === name ? switched(server, enabled) : server);
  return { ...known, pages: known.pages.map((page) => ({ ...page, items: page.items.map(change) })) };
}

/** The actions on a server, for the list and for its own page. */
export function useServerActions({ onDeleted, onRestored, list }: ServerActionsOptions = {}): ServerActionsResult {
  const { servers } = trpc;
  const [problem, setProblem] = useState<string | null>(null);
  const common = { stale: SERVER_QUERIES, report: setProblem };
  const signIn = useSignIn(setProblem);
  const setEnabled = useAction(servers.setEnabled, {
    ...common,
    failed: ({ name, enabled }) => `Couldn't ${enabled ? "enable" : "disable"} ${name}`,
    guesses: ({ name, enabled }) => [
      ...(list === undefined ? [] : [guess(list, (known) => switchServer(known, name, enabled))]),
      guess(servers.get.queryKey({ name }), (detail) => ({ ...detail, ...switched(detail, enabled) })),
    ],
  });
  const restore = useAction(servers.restore, {
    ...common,
    failed: "Couldn't restore the server",
    done: ({ name }) => `${name} restored`,
    onDone: ({ name }) => onRestored?.(name),
  });
  const remove = useAction(servers.delete, {
    ...common,
    failed: ({ name }) => `Couldn't delete ${name}`,
    done: ({ id }, { name }) => ({
      title: `${name} deleted`,
      tone: "neutral",
      action: { label: "Undo", onClick: () => restore.mutate({ id }) },
    }),
    onDone: onDeleted,
  });
  const reconnect = useAction(servers.reconnect, {
    ...common,
    failed: ({ name }) => `Couldn't reconnect ${name}`,
    done: ({ name, state }) =>
      state.status === "connected" ? `${name} is connected` : { title: `${name} is not connected`, tone: "warn" },
  });
  const signOut = useAction(servers.signOut, {
    ...common,
    failed: ({ name }) => `Couldn't sign out of ${name}`,
    done: ({ name }) => `Signed out of ${name}`,
  });
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
