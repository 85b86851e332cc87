import { useSuspenseQuery } from "@tanstack/react-query";
import { Bell } from "lucide-react";
import { useQueryState } from "nuqs";
import { type ReactNode, useDeferredValue } from "react";
import { describeCalls } from "@/app/_components/executions/summary/call-classes";
import { CallParts } from "@/app/_components/executions/summary/call-parts";
import { CallTimeline } from "@/app/_components/executions/summary/call-timeline";
import { SOURCE_LABELS } from "@/app/_components/executions/summary/execution-labels";
import { FAILED_FILTERS } from "@/app/_components/executions/summary/failed-calls";
import { callsColumn, failedColumn } from "@/app/_components/executions/summary/figure-columns";
import { RebuildingStatistics } from "@/app/_components/executions/summary/rebuilding-note";
import { toVersionPath } from "@/app/_components/tools/summary/version-link";
import { type Column, DataTable } from "@/app/_kit/data-table";
import { countColumn, figureColumn, textColumn, timeColumn } from "@/app/_kit/list/columns";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { trpc } from "@/app/_trpc/client";
import { Badge } from "@/app/_ui/badge";
import { ButtonLink } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import { cx } from "@/app/_ui/class-names";
import { EmptyState } from "@/app/_ui/empty-state";
import { Link } from "@/app/_ui/link";
import { Segmented } from "@/app/_ui/segmented";
import { describeStatus } from "@/app/_ui/status-badge";
import { useTimeZone } from "@/app/_ui/time-zone";
import type { ExecutionSource } from "@/lib/contract/envelope";
import type { CallGroup, FailureGroup, ToolStatistics, ToolStats } from "@/lib/contract/execution";
import { NO_CLIENT, NO_DEFINITION } from "@/lib/contract/execution-facets";
import type { LiveEvent } from "@/lib/contract/live-event";
import { formatCount, formatDuration, formatPlural, formatRate } from "@/lib/format";
import { PERIOD_LABELS, periodParser, toStatisticsInput } from "./statistics-period";

const INTERVAL_MS = 5_000;

/** The calls that a figure counts: their address in Executions. */
type ToPath = (filter: Record<string, string>) => string;

/** How often a tool is called and by whom, how long it takes, and why it fails, in a period that the address has. */
export function StatisticsTab({ name, stats }: { name: string; stats: ToolStats }) {
  const [period, setPeriod] = useQueryState("period", periodParser);
  const zone = useTimeZone();
  const input = useDeferredValue(toStatisticsInput(name, period, zone));
  const { data, refetch } = useSuspenseQuery(trpc.executions.toolStatistics.queryOptions(input));
  const isMine = (event: LiveEvent): boolean => event.type === "execution" && event.execution.toolName === name;
  useLiveRefresh(refetch, isMine, { intervalMs: INTERVAL_MS });
  if (stats.calls === 0) {
    return <EmptyState title="No calls yet">Statistics appear here once the tool has been called.</EmptyState>;
  }
  const { since, total, failureLimit, read } = data;
  const toCounted: ToPath = (filter) => {
    const time: Record<string, string> = since === null ? {} : { range: "custom", since: String(since) };
    return `/executions?${new URLSearchParams({ tool: name, ...time, ...filter })}`;
  };
  const figures = [
    { term: "Calls", value: formatCount(total.calls), href: toCounted({}) },
    {
      term: "Failed",
      value: formatRate(total.failed, total.finished),
      detail: `${formatCount(total.failed)} of ${formatCount(total.finished)} finished`,
      href: toCounted({ status: "failed" }),
    },
    { term: "p50 duration", value: formatDuration(total.p50Ms), href: toCounted({ sort: "duration" }) },
    { term: "p95 duration", value: formatDuration(total.p95Ms), href: toCounted({ sort: "-duration" }) },
  ];
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-4 overflow-auto p-4">
      <div className="flex flex-wrap items-center gap-3">
        <Segmented label="Period" value={period} options={PERIOD_LABELS} onChange={setPeriod} />
        <ButtonLink
          icon={Bell}
          needs="edit"
          className="ml-auto"
          href={`/alerts?${new URLSearchParams({ tool: name })}`}
        >
          Alert me
        </ButtonLink>
      </div>
      <dl title={describeCalls(total)} className="flex flex-wrap gap-x-8 gap-y-3">
        {figures.map(({ term, value, detail, href }) => (
          <div key={term}>
            <dt className="text-mute text-xs">{term}</dt>
            <dd className="font-mono text-lg tabular-nums">
              <Link href={href} className="rounded-xs hover:underline">
                {value}
              </Link>
              {detail !== undefined && <span className="ml-1.5 text-mute text-xs">{detail}</span>}
            </dd>
          </div>
        ))}
      </dl>
      <CallParts figures={total} toPath={toCounted} />
      {read >= failureLimit && (
        <p className="text-mute text-xs">Messages are those of the newest {formatCount(failureLimit)} failed calls.</p>
      )}
      <RebuildingStatistics />
      <div className="grid items-start gap-4 xl:grid-cols-2">
        <CallTimeline
          filter={since === null ? { tool: [name] } : { tool: [name], since }}
          isMine={isMine}
          toPath={(ends) => toCounted({ range: "custom", since: String(ends.since), until: String(ends.until) })}
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
            columns={buildGroupColumns("Client", formatClient, ({ key, source }, filter) =>
              toCounted({
                ...(key === null ? { source: source ?? "", client: NO_CLIENT } : { client: key }),
                ...filter,
              }),
            )}
            rows={data.clients}
            toKey={({ key, source }) => key ?? source ?? ""}
          />
        </Card>
        <Card title="Versions">
          <DataTable
            label="Versions"
            look="panel"
            columns={buildGroupColumns("Version", formatVersion, ({ key }, filter) =>
              toCounted({ definition: key ?? NO_DEFINITION, ...filter }),
            )}
            rows={data.versions}
            toKey={({ key }) => key ?? ""}
          />
        </Card>
      </div>
    </div>
  );
}

const FIRST = { cellClass: "w-full max-w-0 truncate" } as const;

function buildFailureColumns(toPath: ToPath): Column<FailureGroup>[] {
  return [
    textColumn(
      "Message",
      ({ kind, message }) => (
        <bdi title={message ?? undefined}>
          {kind !== "error" && <Badge>{describeStatus(FAILED_FILTERS[kind].status)}</Badge>}{" "}
          {message ?? <span className="text-mute">No message shown</span>}
        </bdi>
      ),
      FIRST,
    ),
    countColumn("Calls", ({ calls }) => calls, {
      noun: "call",
      href: ({ kind, message }) => toPath(message ? { ...FAILED_FILTERS[kind], message } : FAILED_FILTERS[kind]),
    }),
    timeColumn("Latest", ({ latestAt }) => latestAt, { href: ({ latestId }) => `/executions/${latestId}` }),
  ];
}

function buildGroupColumns<Group extends CallGroup>(
  head: string,
  render: (group: Group) => ReactNode,
  toPath: (group: Group, filter: Record<string, string>) => string,
): Column<Group>[] {
  const figures = {
    find: (group: Group) => group,
    link: (group: Group, figure: string, status?: "failed") => (
      <Link
        href={toPath(group, status === undefined ? {} : { status })}
        aria-label={status === undefined ? formatPlural(group.calls, "call") : undefined}
        className={cx("rounded-xs hover:underline", status && "text-bad")}
      >
        {figure}
      </Link>
    ),
  };
  return [
    textColumn(head, render, FIRST),
    callsColumn("Calls", figures),
    failedColumn("Failed", figures),
    figureColumn("p50", ({ p50Ms }) => formatDuration(p50Ms)),
    figureColumn("p95", ({ p95Ms }) => formatDuration(p95Ms)),
  ];
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
