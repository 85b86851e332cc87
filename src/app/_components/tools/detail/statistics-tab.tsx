"use client";

import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { describeCalls } from "@/app/_components/executions/summary/call-classes";
import { CallTimeline } from "@/app/_components/executions/summary/call-timeline";
import { SOURCE_LABELS } from "@/app/_components/executions/summary/execution-labels";
import { RebuildingStatistics } from "@/app/_components/executions/summary/rebuilding-note";
import { FIGURE_DAYS } from "@/app/_components/tools/list/tool-order";
import { toVersionPath } from "@/app/_components/tools/summary/version-link";
import { type Column, DataTable } from "@/app/_kit/data-table";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { useTRPC } from "@/app/_trpc/client";
import { Badge } from "@/app/_ui/badge";
import { Card } from "@/app/_ui/card";
import { EmptyState } from "@/app/_ui/empty-state";
import { Link } from "@/app/_ui/link";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { ExecutionSource } from "@/lib/contract/envelope";
import type { CallGroup, FailureGroup, ToolStatistics, ToolStats } from "@/lib/contract/execution";
import type { LiveEvent } from "@/lib/contract/live-event";
import { formatCount, formatDuration, formatPlural, formatRate } from "@/lib/format";

const FAILED = "failed,timed_out,interrupted";
const INTERVAL_MS = 5_000;
const RECENT_INTERVAL_MS = 60_000;

/** The calls that a figure counts: their address in Executions. */
type ToPath = (filter: Record<string, string>) => string;

/** How often a tool is called and by whom, how long it takes, and why it fails. */
export function StatisticsTab({ name, stats }: { name: string; stats: ToolStats }) {
  const trpc = useTRPC();
  const { data, refetch } = useSuspenseQuery(trpc.executions.toolStatistics.queryOptions({ name }));
  const recent = useQuery(trpc.executions.toolFigures.queryOptions({ days: FIGURE_DAYS }));
  const isMine = (event: LiveEvent): boolean => event.type === "execution" && event.execution.toolName === name;
  useLiveRefresh(refetch, isMine, { intervalMs: INTERVAL_MS });
  useLiveRefresh(recent.refetch, isMine, { intervalMs: RECENT_INTERVAL_MS });
  if (stats.calls === 0) {
    return <EmptyState title="No calls yet">Statistics appear here once the tool has been called.</EmptyState>;
  }
  const toAll: ToPath = (filter) => `/executions?${new URLSearchParams({ tool: name, ...filter })}`;
  const { since, total, failureLimit } = data;
  const toCounted: ToPath = (filter) =>
    toAll(since === null ? filter : { range: "custom", since: String(since), ...filter });
  const week = recent.data?.find(({ toolName }) => toolName === name) ?? { calls: 0, finished: 0, failed: 0 };
  const isCut = data.failures.reduce((calls, failure) => calls + failure.calls, 0) >= failureLimit;
  const days = { range: `${FIGURE_DAYS}d` };
  const figures = [
    ["Calls, all time", formatCount(stats.calls), toAll({})],
    ["Failed, all time", formatRate(stats.failed, stats.finished), toAll({ status: FAILED })],
    [`Calls, ${FIGURE_DAYS} days`, recent.data ? formatCount(week.calls) : "…", toAll(days)],
    [
      `Failed, ${FIGURE_DAYS} days`,
      recent.data ? formatRate(week.failed, week.finished) : "…",
      toAll({ ...days, status: FAILED }),
    ],
    ["p50 duration", formatDuration(total.p50Ms), toCounted({ sort: "duration" })],
    ["p95 duration", formatDuration(total.p95Ms), toCounted({ sort: "-duration" })],
  ] as const;
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-4 overflow-auto p-4">
      <dl title={describeCalls(stats)} className="flex flex-wrap gap-x-8 gap-y-3">
        {figures.map(([term, value, href]) => (
          <div key={term}>
            <dt className="text-mute text-xs">{term}</dt>
            <dd className="font-mono text-lg tabular-nums">
              <Link href={href} className="rounded-xs hover:underline">
                {value}
              </Link>
            </dd>
          </div>
        ))}
      </dl>
      <p className="text-mute text-xs">
        {since === null ? (
          "Durations and tables cover all calls."
        ) : (
          <>
            Durations and tables cover the calls since <RelativeTime at={since} />.
          </>
        )}
        {isCut && ` Messages are those of the newest ${formatCount(failureLimit)} failed and invalid calls.`}
      </p>
      <RebuildingStatistics />
      <div className="grid items-start gap-4 xl:grid-cols-2">
        <CallTimeline
          filter={{ tool: [name] }}
          isMine={isMine}
          toPath={({ since, until }) => toAll({ range: "custom", since: String(since), until: String(until) })}
        />
        <Card title="Failures by message">
          <DataTable
            label="Failures by message"
            look="panel"
            columns={buildFailureColumns(toCounted)}
            rows={data.failures}
            toKey={({ kind, message }) => `${kind} ${message}`}
          />
          {data.failures.length === 0 && <p className="px-3.5 py-2 text-mute">No call failed.</p>}
        </Card>
        <Card title="Duration">
          <Latency latency={data.latency} />
        </Card>
        <Card title="Clients">
          <DataTable
            label="Clients"
            look="panel"
            columns={buildGroupColumns("Client", formatClient, ({ key, source }) =>
              toCounted(key === null ? { source: source ?? "" } : { client: key }),
            )}
            rows={data.clients}
            toKey={({ key, source }) => key ?? source ?? ""}
          />
        </Card>
        <Card title="Versions">
          <DataTable
            label="Versions"
            look="panel"
            columns={buildGroupColumns("Version", formatVersion, ({ key }) =>
              toCounted(key === null ? {} : { definition: key }),
            )}
            rows={data.versions}
            toKey={({ key }) => key ?? ""}
          />
        </Card>
      </div>
    </div>
  );
}

const NUMBER = { className: "text-right", cellClass: "whitespace-nowrap font-mono text-xs tabular-nums" } as const;
const FIRST = { className: "pl-3.5", cellClass: "w-full max-w-0 truncate" } as const;

function buildFailureColumns(toPath: ToPath): Column<FailureGroup>[] {
  return [
    {
      ...FIRST,
      head: "Message",
      render: ({ kind, message }) => (
        <bdi title={message ?? undefined}>
          {kind === "invalid" && <Badge>invalid</Badge>}{" "}
          {message ?? <span className="text-mute">No message shown</span>}
        </bdi>
      ),
    },
    {
      ...NUMBER,
      head: "Calls",
      render: ({ kind, message, calls }) => {
        const filter: Record<string, string> = { status: kind === "invalid" ? kind : FAILED };
        // A search matches the text of a message; shorter ones are not searched for.
        if (message !== null && message.length >= 3) filter.q = message;
        return <CountLink href={toPath(filter)} calls={calls} />;
      },
    },
    {
      head: "Latest",
      cellClass: "whitespace-nowrap text-xs",
      render: ({ latestId, latestAt }) => (
        <Link href={`/executions/${latestId}`} className="rounded-xs text-mute hover:underline">
          <RelativeTime at={latestAt} />
        </Link>
      ),
    },
  ];
}

function buildGroupColumns<Group extends CallGroup>(
  head: string,
  render: (group: Group) => ReactNode,
  toPath: (group: Group) => string,
): Column<Group>[] {
  return [
    { ...FIRST, head, render },
    { ...NUMBER, head: "Calls", render: (group) => <CountLink href={toPath(group)} calls={group.calls} /> },
    {
      ...NUMBER,
      head: "Failed",
      render: ({ failed, finished }) => (
        <span className={failed > 0 ? "text-bad" : "text-mute"}>{formatRate(failed, finished)}</span>
      ),
    },
    { ...NUMBER, head: "p50", render: ({ p50Ms }) => formatDuration(p50Ms) },
    { ...NUMBER, head: "p95", render: ({ p95Ms }) => formatDuration(p95Ms) },
  ];
}

function CountLink({ href, calls }: { href: string; calls: number }) {
  return (
    <Link href={href} aria-label={formatPlural(calls, "call")} className="rounded-xs hover:underline">
      {formatCount(calls)}
    </Link>
  );
}

function formatClient({ key, source }: ToolStatistics["clients"][number]): string {
  return key ?? SOURCE_LABELS[source as ExecutionSource] ?? source ?? "";
}

function formatVersion({ key, number, toolName }: ToolStatistics["versions"][number]): ReactNode {
  if (number === null || toolName === null) return key === null ? "Unknown" : key.slice(0, 8);
  return (
    <Link href={toVersionPath(toolName, number)} className="rounded-xs hover:underline">
      Version {number}
    </Link>
  );
}

/** Bars of calls by their duration; failed calls have a figure of their own, since they may be few. */
function Latency({ latency }: Pick<ToolStatistics, "latency">) {
  const most = Math.max(...latency.map(({ calls }) => calls), 1);
  const shown = latency.slice(0, latency.findLastIndex(({ calls }) => calls > 0) + 1);
  return (
    <ul className="flex flex-col gap-1 px-3.5 py-2 text-xs">
      {shown.map(({ upToMs, calls, failed }, at) => (
        <li key={upToMs} className="grid grid-cols-[5rem_1fr_7rem] items-center gap-2 tabular-nums">
          <span className="font-mono text-mute">
            {upToMs === null ? `> ${formatDuration(latency[at - 1]?.upToMs ?? 0)}` : `≤ ${formatDuration(upToMs)}`}
          </span>
          <svg aria-hidden viewBox={`0 0 ${most} 1`} preserveAspectRatio="none" className="h-3 w-full">
            <rect width={calls} height="1" className="fill-accent" />
          </svg>
          <span className="text-right font-mono">
            {formatCount(calls)}
            {failed > 0 && <span className="text-bad"> · {formatCount(failed)} failed</span>}
          </span>
        </li>
      ))}
    </ul>
  );
}
