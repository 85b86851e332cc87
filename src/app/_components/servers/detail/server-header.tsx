"use client";

import { useQuery } from "@tanstack/react-query";
import { Pencil, Power, RefreshCw } from "lucide-react";
import type { ReactNode } from "react";
import { CallsLink } from "@/app/_components/servers/summary/calls-link";
import { ConnectionBadge } from "@/app/_components/servers/summary/connection-badge";
import { ServerRowMenu } from "@/app/_components/servers/summary/server-row-menu";
import { PERSONAL_HINT, toServerPath } from "@/app/_components/servers/summary/server-words";
import type { ServerActions } from "@/app/_components/servers/summary/use-server-actions";
import { FIGURE_DAYS } from "@/app/_components/tools/list/tool-order";
import { useTRPC } from "@/app/_trpc/client";
import { Badge } from "@/app/_ui/badge";
import { Button, ButtonLink } from "@/app/_ui/button";
import { PageHeader } from "@/app/_ui/page-header";
import type { ServerDetail } from "@/lib/contract/server";
import { permissionForServer, SERVER_KINDS } from "@/lib/contract/server-kind";
import { formatDuration, formatPlural, formatRate } from "@/lib/format";

export interface ServerHeaderProps {
  server: ServerDetail;
  actions: ServerActions;
  children: ReactNode;
}

/** Shows a server's name, the state of its connection, and its actions. */
export function ServerHeader({ server, actions, children }: ServerHeaderProps) {
  const busy = actions.busy.reconnecting === server.name;
  const kind = SERVER_KINDS[server.transport];
  return (
    <PageHeader
      title={server.name}
      mono
      badges={
        <>
          <ConnectionBadge status={busy ? "connecting" : server.state.status} />
          {server.title !== null && (
            <bdi className="min-w-0 max-w-60 truncate text-mute max-md:hidden">{server.title}</bdi>
          )}
          <Badge title={server.target}>{kind.label}</Badge>
          {server.credentials === "personal" && <Badge title={PERSONAL_HINT}>personal</Badge>}
          {server.origin === "config" && <Badge title={server.originPath ?? undefined}>configuration</Badge>}
        </>
      }
      actions={
        <>
          <Health name={server.name} />
          {server.enabled && (
            <Button icon={RefreshCw} needs="edit" disabled={busy} onClick={() => actions.reconnect(server)}>
              {busy ? "Connecting…" : "Reconnect"}
            </Button>
          )}
          <Button
            icon={Power}
            needs={permissionForServer(server.settings)}
            onClick={() => actions.setEnabled(server, !server.enabled)}
          >
            {server.enabled ? "Disable" : "Enable"}
          </Button>
          {server.editable && (
            <ButtonLink
              icon={Pencil}
              needs={permissionForServer(server.settings)}
              href={`${toServerPath(server.name)}/edit`}
            >
              Edit
            </ButtonLink>
          )}
          <ServerRowMenu server={server} actions={actions} own={server} />
        </>
      }
    >
      {children}
    </PageHeader>
  );
}

/** The calls of the last days, which each figure leads to; nothing while there are none. */
function Health({ name }: { name: string }) {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.executions.serverFigures.queryOptions({ days: FIGURE_DAYS }));
  const figures = data?.find(({ serverName }) => serverName === name);
  if (figures === undefined) return null;
  const { calls, finished, failed, p95Ms } = figures;
  return (
    <span className="whitespace-nowrap font-mono text-mute text-xs tabular-nums max-lg:hidden">
      <CallsLink name={name}>{formatPlural(calls, "call")}</CallsLink>
      {finished > 0 && " · "}
      {failed > 0 ? (
        <CallsLink name={name} status="failed" className="text-bad">
          {formatRate(failed, finished)} failed
        </CallsLink>
      ) : (
        finished > 0 && "0% failed"
      )}
      {p95Ms !== null && ` · p95 ${formatDuration(p95Ms)}`}
      {` · ${FIGURE_DAYS} days`}
    </span>
  );
}
