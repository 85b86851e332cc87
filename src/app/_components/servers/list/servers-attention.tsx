import { useQuery } from "@tanstack/react-query";
import { ConnectionBadge } from "@/app/_components/servers/summary/connection-badge";
import { NextTry } from "@/app/_components/servers/summary/next-try";
import { toServerPath } from "@/app/_components/servers/summary/server-words";
import { useLiveServers } from "@/app/_components/servers/summary/use-live-servers";
import { trpc } from "@/app/_trpc/client";
import { Card } from "@/app/_ui/card";
import { Link } from "@/app/_ui/link";
import type { ServerSummary } from "@/lib/contract/server";
import { formatCount } from "@/lib/format";

/** For the overview: the servers whose tools cannot be called, and why. Renders nothing while all is well. */
export function ServersAttention() {
  const { data } = useQuery(trpc.servers.overview.queryOptions());
  useLiveServers();
  if (data === undefined || data.attention.count === 0) return null;
  const { items, count } = data.attention;
  return (
    <Card
      title="Servers that need attention"
      action={
        <Link
          href="/servers?attention=true"
          className="rounded-xs text-mute text-xs hover:text-text max-sm:-my-2.75 max-sm:py-2.75"
        >
          {count > items.length ? `All ${formatCount(count)}` : "Open in Servers"}
        </Link>
      }
    >
      <ul className="divide-y divide-line">
        {items.map((server) => (
          <li key={server.name}>
            <WaitingServer server={server} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

function WaitingServer({ server }: { server: Pick<ServerSummary, "name" | "state"> }) {
  const { status, reason, nextAttemptAt } = server.state;
  return (
    <Link
      href={toServerPath(server.name)}
      className="-outline-offset-2 flex flex-wrap items-center gap-x-2.5 gap-y-0.5 px-3.5 py-1.5 hover:bg-rail"
    >
      <ConnectionBadge status={status} />
      <span className="min-w-0 shrink truncate font-mono text-xs">{server.name}</span>
      <span className="min-w-0 flex-1 truncate text-mute text-xs max-sm:basis-full" title={reason ?? undefined}>
        {reason ?? (status === "sign_in_needed" ? "Sign in to use its tools" : "")}
      </span>
      {status === "disconnected" && (
        <span className="shrink-0 text-mute text-xs">
          <NextTry at={nextAttemptAt} />
        </span>
      )}
    </Link>
  );
}
