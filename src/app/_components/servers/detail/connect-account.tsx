"use client";

import { useQuery } from "@tanstack/react-query";
import { toServerPath } from "@/app/_components/servers/summary/server-words";
import { useLiveServers } from "@/app/_components/servers/summary/use-live-servers";
import { QueryState } from "@/app/_kit/query-state";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { trpc } from "@/app/_trpc/client";
import { Alert } from "@/app/_ui/alert";
import { Link } from "@/app/_ui/link";
import type { SignInLink } from "@/lib/contract/credential";
import { OwnConnectionPanel } from "./own-connection";

/** Polls in case live events do not arrive. */
const POLL_MS = 5_000;

/** The page of a call that waits: names the call, and connects the viewer's own account to its server. */
export function ConnectAccount({ id }: { id: string }) {
  const link = useQuery({
    ...trpc.credentials.signInLink.queryOptions({ id }),
    retry: false,
    refetchInterval: ({ state }) => (state.data?.isConnected === false ? POLL_MS : false),
  });
  useLiveRefresh(link.refetch, ({ type }) => type === "servers");
  return (
    <div className="flex w-full max-w-3xl flex-col gap-3 p-4">
      {link.error === null ? (
        <QueryState query={link} what="the link" bars={["h-5 w-2/3", "h-24"]}>
          {(data) => <Connecting id={id} link={data} />}
        </QueryState>
      ) : (
        <Alert tone="bad" title="This link cannot be used">
          <p>{link.error.message}.</p>
        </Alert>
      )}
    </div>
  );
}

function Connecting({ id, link: { server: name, toolName, isConnected } }: { id: string; link: SignInLink }) {
  const server = useQuery(trpc.servers.get.queryOptions({ name }));
  useLiveServers();
  return (
    <>
      <p className="text-sm [overflow-wrap:anywhere]">
        Your MCP client called <span className="font-mono text-xs">{toolName}</span>, which uses your own account at{" "}
        <Link href={toServerPath(name)} className="font-mono text-xs underline">
          {name}
        </Link>
        .
      </p>
      <div role="status">
        {isConnected && (
          <Alert tone="accent" title="Your account is connected">
            The call continues. Return to your MCP client.
          </Alert>
        )}
      </div>
      <QueryState query={server} what="the server" bars={["h-24"]}>
        {(detail) => <OwnConnectionPanel server={detail} returnTo={`/oauth/connect/${id}`} />}
      </QueryState>
    </>
  );
}
