"use client";

import { Pencil, Power, RefreshCw } from "lucide-react";
import type { ReactNode } from "react";
import { ConnectionBadge } from "@/app/_components/servers/summary/connection-badge";
import { MiddleCut } from "@/app/_components/servers/summary/middle-cut";
import { ServerRowMenu } from "@/app/_components/servers/summary/server-row-menu";
import { PERSONAL_HINT, toServerPath } from "@/app/_components/servers/summary/server-words";
import type { ServerActions } from "@/app/_components/servers/summary/use-server-actions";
import { Badge } from "@/app/_ui/badge";
import { Button, buttonClass } from "@/app/_ui/button";
import { CopyButton } from "@/app/_ui/copy-button";
import { Link } from "@/app/_ui/link";
import { PageHeader } from "@/app/_ui/page-header";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { ServerDetail } from "@/lib/contract/server";
import { permissionForServer, SERVER_KINDS } from "@/lib/contract/server-kind";
import { formatDuration } from "@/lib/format";
import { ServerApprovalPolicy } from "./approval-policy";

const ICON = { size: 13, strokeWidth: 1.6, "aria-hidden": true } as const;

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
          <Badge>{kind.label}</Badge>
          {server.credentials === "personal" && <Badge title={PERSONAL_HINT}>personal</Badge>}
          {server.origin === "config" && <Badge title={server.originPath ?? undefined}>configuration</Badge>}
        </>
      }
      actions={
        <>
          {server.enabled && (
            <Button needs="edit" disabled={busy} onClick={() => actions.reconnect(server)}>
              <RefreshCw {...ICON} />
              {busy ? "Connecting…" : "Reconnect"}
            </Button>
          )}
          <Button
            needs={permissionForServer(server.settings)}
            onClick={() => actions.setEnabled(server, !server.enabled)}
          >
            <Power {...ICON} />
            {server.enabled ? "Disable" : "Enable"}
          </Button>
          {server.editable && (
            <Link
              needs={permissionForServer(server.settings)}
              href={`${toServerPath(server.name)}/edit`}
              className={buttonClass()}
            >
              <Pencil {...ICON} />
              Edit
            </Link>
          )}
          <ServerRowMenu server={server} actions={actions} own={server} />
        </>
      }
    >
      <div className="flex flex-col gap-0.5 px-4 pt-1 text-mute text-xs">
        <p className="flex min-w-0 items-center gap-1">
          {server.title !== null && (
            <span className="mr-1.5 shrink-0 text-text max-sm:max-w-40 max-sm:truncate">{server.title}</span>
          )}
          <MiddleCut text={server.target} className="font-mono leading-5" />
          <CopyButton text={server.target} label={`Copy ${kind.target}`} className="-my-1" />
        </p>
        <ConnectionFacts server={server} />
        <ServerApprovalPolicy server={server} />
      </div>
      {children}
    </PageHeader>
  );
}

/** Nothing but what is known now. */
function ConnectionFacts({ server }: { server: ServerDetail }) {
  const { peer, protocolVersion, pid, pingMs, connectedAt, status } = server.state;
  const facts: { label: string; value: ReactNode }[] = [];
  if (status === "connected" && connectedAt !== null) {
    facts.push({ label: "connected", value: <RelativeTime at={connectedAt} /> });
  }
  if (peer !== null)
    facts.push({ label: "server", value: `${(peer.title ?? peer.name).slice(0, 80)} ${peer.version.slice(0, 40)}` });
  if (protocolVersion !== null) facts.push({ label: "protocol", value: protocolVersion });
  if (pid !== null) facts.push({ label: "pid", value: pid });
  if (pingMs !== null) facts.push({ label: "ping", value: formatDuration(pingMs) });
  if (server.auth !== "none" && server.credentials === "shared" && SERVER_KINDS[server.transport].speaksMcp) {
    facts.push({ label: "sign-in", value: server.signedIn ? "signed in" : "not signed in" });
  }
  if (facts.length === 0) return null;
  return (
    <dl className="flex flex-wrap gap-x-4 gap-y-0.5">
      {facts.map(({ label, value }) => (
        <div key={label} className="flex min-w-0 gap-1.5">
          <dt className="text-faint">{label}</dt>
          <dd className="min-w-0 font-mono tabular-nums [overflow-wrap:anywhere]">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
