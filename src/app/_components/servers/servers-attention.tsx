"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useTRPC } from "@/app/_trpc/client";
import type { ServerSummary } from "@/lib/contract/server";
import { formatCount } from "@/lib/format";
import { ConnectionBadge } from "./connection-badge";
import { needsAttention } from "./needs-attention";
import { NextTry } from "./next-try";
import { serverPath } from "./server-words";
import { useLiveServers } from "./use-live-servers";

const SHOWN = 5;

/** For the overview: the servers whose tools cannot be called, and why. Renders nothing while all is well. */
export function ServersAttention() {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.servers.list.queryOptions());
  useLiveServers();
  const waiting = (data?.items ?? []).filter(needsAttention);
  if (waiting.length === 0) return null;
  const rest = waiting.length - SHOWN;
  return (
    <section aria-label="Servers that need attention" className="min-w-0 rounded-lg border border-line bg-panel">
      <div className="flex items-center justify-between gap-2 border-line border-b px-3.5 py-2">
        <h2 className="font-medium">Servers that need attention</h2>
        <Link href="/servers?attention=true" className="rounded-xs text-mute text-xs hover:text-text">
          {rest > 0 ? `All ${formatCount(waiting.length)}` : "Open in Servers"}
        </Link>
      </div>
      <ul className="divide-y divide-line">
        {waiting.slice(0, SHOWN).map((server) => (
          <li key={server.name}>
            <WaitingServer server={server} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function WaitingServer({ server }: { server: ServerSummary }) {
  const { status, reason, nextAttemptAt } = server.state;
  return (
    <Link
      href={serverPath(server.name)}
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
