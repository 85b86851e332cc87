"use client";

import Link from "next/link";
import { Badge } from "@/app/_ui/badge";
import { cx } from "@/app/_ui/class-names";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { ServerSummary } from "@/lib/contract/server";
import { formatCount, formatPlural } from "@/lib/format";
import { AttentionNote } from "./attention-note";
import { ConnectionBadge } from "./connection-badge";
import { MiddleCut } from "./middle-cut";
import { needsAttention } from "./needs-attention";
import { ServerRowMenu } from "./server-row-menu";
import { serverPath, TRANSPORT_WORDS } from "./server-words";
import type { ServerActions } from "./use-server-actions";

const SERVER_COLUMNS = 7;

export interface ServerRowProps {
  server: ServerSummary;
  actions: ServerActions;
}

/** Its own row group: what needs attention stands in a second row beneath. */
export function ServerRow({ server, actions }: ServerRowProps) {
  const status = actions.busy.reconnecting === server.name ? "connecting" : server.state.status;
  const attention = needsAttention(server);
  return (
    <tbody className="group/row border-line border-b hover:bg-rail has-[[data-row]:focus]:bg-accent-bg">
      <tr>
        <td className="whitespace-nowrap py-1.5 pr-3 pl-4 align-top max-md:hidden">
          <ConnectionBadge status={status} />
        </td>
        <td className="py-1.5 pr-3 align-top max-md:w-full max-md:max-w-0 max-md:pl-4">
          <ServerName server={server} status={status} />
        </td>
        <td className="w-full max-w-0 py-1.5 pr-3 align-top max-md:hidden">
          <MiddleCut text={server.target} className="font-mono text-mute text-xs leading-5" />
        </td>
        <td className="py-1.5 pr-3 align-top max-md:hidden">
          <Badge>{TRANSPORT_WORDS[server.transport]}</Badge>
        </td>
        <td className="whitespace-nowrap py-1.5 pr-6 text-right align-top max-md:hidden">
          <ToolFigures server={server} />
        </td>
        <td className="whitespace-nowrap py-1.5 pr-3 align-top text-mute text-xs leading-5 max-lg:hidden">
          <LastChange change={server.lastChange} />
        </td>
        <td className="py-0.5 pr-3 text-right align-top">
          <ServerRowMenu server={server} actions={actions} />
        </td>
      </tr>
      {attention && (
        <tr>
          <td className="max-md:hidden" />
          <td colSpan={SERVER_COLUMNS - 1} className="pr-4 pb-2 max-md:pl-4">
            <AttentionNote server={server} actions={actions} />
          </td>
        </tr>
      )}
    </tbody>
  );
}

/** On a narrow screen it carries what the dropped columns would have said. */
function ServerName({ server, status }: { server: ServerSummary; status: ServerSummary["state"]["status"] }) {
  return (
    <div className="min-w-0">
      <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 md:flex-nowrap">
        <Link
          href={serverPath(server.name)}
          data-row=""
          title={server.name}
          className={cx(
            "rounded-xs font-medium font-mono text-xs leading-5 hover:underline max-md:[overflow-wrap:anywhere] md:max-w-64 md:truncate",
            !server.enabled && "text-mute",
          )}
        >
          {server.name}
        </Link>
        <ConnectionBadge status={status} className="md:hidden" />
        {server.origin === "config" && (
          <Badge title="It comes from the configuration file and is changed there">configuration</Badge>
        )}
      </span>
      {server.title !== null && <p className="truncate text-mute text-xs md:max-w-64">{server.title}</p>}
      <div className="mt-1 flex min-w-0 flex-col gap-1 md:hidden">
        <MiddleCut text={server.target} className="font-mono text-mute text-xs leading-5" />
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1 text-mute text-xs">
          <Badge>{TRANSPORT_WORDS[server.transport]}</Badge>
          <span>{formatPlural(server.toolCount, "tool")}</span>
          {server.problemCount > 0 && <Badge tone="warn">{problemWords(server.problemCount)}</Badge>}
          {server.lastChange !== null && <LastChange change={server.lastChange} />}
        </span>
      </div>
    </div>
  );
}

const problemWords = (count: number) => `${formatCount(count)} unusable`;

function ToolFigures({ server }: { server: ServerSummary }) {
  return (
    <span className="inline-flex items-center gap-2">
      {server.problemCount > 0 && (
        <Link
          href={`${serverPath(server.name)}?tab=tools`}
          className="rounded-sm"
          title="Tools that cannot be called, and why"
        >
          <Badge tone="warn">
            {problemWords(server.problemCount)}
            <span className="sr-only"> tools of {server.name}</span>
          </Badge>
        </Link>
      )}
      <span className="font-mono text-xs leading-5 tabular-nums">{formatCount(server.toolCount)}</span>
    </span>
  );
}

function LastChange({ change }: { change: ServerSummary["lastChange"] }) {
  if (change === null) return <span className="text-faint max-lg:hidden">–</span>;
  return (
    <span className="inline-flex items-center gap-1.5">
      {change.breaking > 0 && <Badge tone="bad">{formatCount(change.breaking)} breaking</Badge>}
      {change.breaking === 0 && <span>{formatPlural(change.other, "change")}</span>}
      <RelativeTime at={change.at} />
    </span>
  );
}
