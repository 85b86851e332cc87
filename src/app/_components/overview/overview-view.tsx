"use client";

import { useQuery, useSuspenseQueries } from "@tanstack/react-query";
import { Fragment, type ReactNode, useDeferredValue } from "react";
import { TimeLeft } from "@/app/_components/approvals/summary/approval-expiry";
import { formatApprovalOrigin } from "@/app/_components/approvals/summary/approval-words";
import { CallParts } from "@/app/_components/executions/summary/call-parts";
import { toCallsPath } from "@/app/_components/executions/summary/calls-path";
import { DayCharts } from "@/app/_components/executions/summary/duration-charts";
import { FAILED_FILTERS } from "@/app/_components/executions/summary/failed-calls";
import { RebuildingNote } from "@/app/_components/executions/summary/rebuilding-note";
import { SPEND_PATH } from "@/app/_components/rules/spend/spend-params";
import { ServersAttention } from "@/app/_components/servers/list/servers-attention";
import { LoadProblems } from "@/app/_components/tools/summary/load-problems";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { trpc } from "@/app/_trpc/client";
import { useInvalidate } from "@/app/_trpc/use-invalidate";
import { Card } from "@/app/_ui/card";
import { Link } from "@/app/_ui/link";
import { useTimeZone } from "@/app/_ui/time-zone";
import type { OverviewStats } from "@/lib/contract/execution";
import { formatCount, formatDuration, formatPlural, formatRate, getDayBounds } from "@/lib/format";
import { formatDollars } from "@/lib/format/dollars";
import { FirstRun } from "./first-run";
import { buildFirstRunSteps, type FirstRunFacts, isFirstRunOver } from "./first-run-steps";
import { INPUT_INPUT, NEWEST_INPUT, OVERVIEW_DAYS, PENDING_INPUT, SPEND_INPUT } from "./overview-queries";
import { RecentChanges } from "./recent-changes";

/** Three questions first (does something wait for me, does something fail, what changed), then the figures. */
export function OverviewView() {
  // Days of another zone replace those that the server rendered once they are read.
  const zone = useDeferredValue(useTimeZone());
  const refreshNewest = useInvalidate(trpc.executions.list.queryKey(NEWEST_INPUT));
  useLiveRefresh(refreshNewest, "execution", { intervalMs: 1_000 });
  const [info, stats, newest, catalog] = useSuspenseQueries({
    queries: [
      trpc.system.info.queryOptions(),
      trpc.executions.overview.queryOptions({ days: OVERVIEW_DAYS, zone }),
      trpc.executions.list.queryOptions(NEWEST_INPUT),
      trpc.tools.overview.queryOptions(),
    ],
  });
  const { counts, problems, problemCount } = info.data;
  const { totals, days, slowest, rebuilding } = stats.data;
  const { since } = getDayBounds(days[0]?.day ?? "", zone);
  const isKnown = (name: string): boolean => !stats.data.gone.includes(name);

  return (
    <div className="flex flex-col gap-4 p-4">
      <LoadProblems problems={{ items: problems, count: problemCount }} />
      <ServersAttention />
      <Introduction counts={counts} sampleTool={catalog.data.sampleTool} execution={newest.data.items[0] ?? null} />
      {counts.executions > 0 && (
        <>
          <div className="grid gap-4 xl:grid-cols-3">
            <PendingWork />
            <FailingTools stats={stats.data} since={since} isKnown={isKnown} />
            <RecentChanges tools={catalog.data.edited} since={since} days={OVERVIEW_DAYS} />
          </div>
          <Spend />
          <Figures totals={totals} days={OVERVIEW_DAYS} since={since} />
          {rebuilding && <RebuildingNote />}
          <div className="grid gap-4 xl:grid-cols-3">
            <DayCharts days={days} zone={zone} />
            <ToolRanking
              title={`Slowest tools, ${OVERVIEW_DAYS} days`}
              rows={slowest.map(({ toolName, calls, p95Ms }) => ({
                toolName,
                href: toCallsPath({ since, tool: toolName, sort: "-duration" }),
                figure: `p95 ${formatDuration(p95Ms)} of ${formatPlural(calls, "call")}`,
              }))}
              isKnown={isKnown}
              nothing="No tool has five finished calls yet."
            />
          </div>
        </>
      )}
    </div>
  );
}

type IntroductionProps = Pick<FirstRunFacts, "counts" | "sampleTool" | "execution">;

/** The first steps until they are done; each turns done by what is recorded, as it happens. */
function Introduction({ counts, sampleTool, execution }: IntroductionProps) {
  // Both queries stay current on this page: the servers, to show what needs attention.
  const servers = useQuery(trpc.servers.overview.queryOptions());
  const clients = useQuery(trpc.clients.list.queryOptions());
  useLiveRefresh(clients.refetch, "clients");
  if (servers.data === undefined || clients.data === undefined) return null;
  const facts = {
    counts,
    sampleTool,
    execution,
    server: servers.data.sample,
    clients: clients.data,
  };
  return isFirstRunOver(facts) ? null : <FirstRun steps={buildFirstRunSteps(facts)} />;
}

/** The window in figures, each a link to the calls that it counts. What has not been measured is a dash. */
export function Figures({ totals, days, since }: { totals: OverviewStats["totals"]; days: number; since: number }) {
  const slowest = toCallsPath({ since, sort: "-duration" });
  const figures = [
    { label: `Calls, ${days} days`, value: formatCount(totals.calls), href: toCallsPath({ since }) },
    {
      label: `Failed, ${days} days`,
      value: formatRate(totals.failed, totals.finished),
      detail: `${formatCount(totals.failed)} of ${formatCount(totals.finished)} finished`,
      href: toCallsPath({ since, status: "failed" }),
    },
    { label: `Duration p50, ${days} days`, value: formatDuration(totals.p50Ms), href: slowest },
    { label: `Duration p95, ${days} days`, value: formatDuration(totals.p95Ms), href: slowest },
    { label: "Running now", value: formatCount(totals.running), href: toCallsPath({ since, status: "running" }) },
  ];
  return (
    <div className="flex flex-col gap-1.5">
      <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-line sm:grid-cols-3 xl:grid-cols-5">
        {figures.map(({ label, value, detail, href }) => (
          <div key={label} className="relative bg-panel px-3.5 py-2.5 hover:bg-rail">
            <dt className="text-mute text-xs">{label}</dt>
            <dd className="mt-0.5 font-medium font-mono text-lg tabular-nums">
              <Link href={href} aria-label={`${label}: ${value}`} className="after:absolute after:inset-0">
                {value}
              </Link>
              {detail !== undefined && <span className="ml-1.5 font-normal text-mute text-xs">{detail}</span>}
            </dd>
          </div>
        ))}
      </dl>
      <CallParts figures={totals} toPath={(filter) => toCallsPath({ since, ...filter })} />
    </div>
  );
}

/** Shows the spend of the last days; null where no call had a price. */
function Spend() {
  const { data } = useQuery(trpc.spend.read.queryOptions(SPEND_INPUT));
  if (data === undefined) return null;
  const { tools, models } = data.total;
  if (tools + models === 0) return null;
  return (
    <p className="text-mute text-xs">
      <Link href={SPEND_PATH} className="underline">
        Spend, 30 days
      </Link>
      : {formatDollars(tools)} tools, {formatDollars(models)} models{data.isOwn && " (your own)"}
    </p>
  );
}

interface FailingToolsProps {
  stats: Pick<OverviewStats, "failing" | "unknown">;
  since: number;
  isKnown: (toolName: string) => boolean;
}

/** The tools with most failures, also names that no tool has, and the most frequent message of each. */
export function FailingTools({ stats: { failing, unknown }, since, isKnown }: FailingToolsProps) {
  return (
    <ToolRanking
      title={`Most failures, ${OVERVIEW_DAYS} days`}
      rows={failing.map(({ toolName, failed, finished }) => ({
        toolName,
        href: toCallsPath({ since, tool: toolName, status: "failed" }),
        figure: `${formatCount(failed)} of ${formatCount(finished)} (${formatRate(failed, finished)})`,
        reason: <FrequentFailure toolName={toolName} since={since} />,
      }))}
      isKnown={isKnown}
      nothing="No tool is failing."
    >
      {unknown.length > 0 && (
        <p className="border-line border-t px-3.5 py-1.5 text-mute text-xs [overflow-wrap:anywhere]">
          Other unknown tool names:{" "}
          {unknown.map(({ toolName, calls }, at) => (
            <Fragment key={toolName}>
              {at > 0 && ", "}
              <span className="font-mono">{toolName}</span> (
              <Link href={toCallsPath({ since, tool: toolName, status: "failed" })} className="underline">
                {formatPlural(calls, "call")}
              </Link>
              )
            </Fragment>
          ))}
        </p>
      )}
    </ToolRanking>
  );
}

/** The most frequent message with its share; leads to the calls that failed with it. */
function FrequentFailure({ toolName, since }: { toolName: string; since: number }) {
  const { data } = useQuery(trpc.executions.toolFailures.queryOptions({ name: toolName, since }));
  const most = data?.failures.find(({ message }) => message !== null && message !== "");
  if (data === undefined || most === undefined || most.message === null) return null;
  const { kind, message, calls } = most;
  const newest = data.read >= data.failureLimit ? "newest " : "";
  return (
    <Link
      href={toCallsPath({ since, tool: toolName, ...FAILED_FILTERS[kind], message })}
      title={message}
      className="flex w-full gap-x-2 rounded-xs text-xs leading-6 max-sm:leading-10 hover:underline"
    >
      <bdi className="min-w-0 truncate text-bad">{message}</bdi>
      <span className="ml-auto shrink-0 text-mute tabular-nums">
        {formatCount(calls)} of {newest}
        {formatCount(data.read)}
      </span>
    </Link>
  );
}

/** The calls that wait longest for approval, and the number of those that wait for input. */
export function PendingWork() {
  const { data, refetch } = useQuery(trpc.approvals.list.queryOptions(PENDING_INPUT));
  useLiveRefresh(refetch, "approvals");
  const input = useQuery(trpc.executions.count.queryOptions(INPUT_INPUT));
  useLiveRefresh(input.refetch, "interactions");
  const items = data?.items ?? [];
  const inputCount = input.data?.count ?? 0;
  return (
    <Card
      title="Waiting for you"
      action={
        items.length > 0 && (
          <Link
            href="/approvals"
            className="rounded-xs text-mute text-xs hover:text-text max-sm:-my-2.75 max-sm:py-2.75"
          >
            {data?.nextCursor === null ? "Open in Approvals" : "All pending approvals"}
          </Link>
        )
      }
    >
      {inputCount > 0 && (
        <Link
          href="/executions?status=input"
          className="-outline-offset-2 block border-line border-b px-3.5 py-1.5 text-warn text-xs hover:bg-rail"
        >
          {formatPlural(inputCount, "call")} waiting for input
        </Link>
      )}
      {data !== undefined && items.length === 0 && <p className="px-3.5 py-3 text-mute">No pending approvals.</p>}
      <ul className="divide-y divide-line">
        {items.map((item) => (
          <li key={item.executionId}>
            <Link
              href={`/approvals?id=${encodeURIComponent(item.executionId)}`}
              className="-outline-offset-2 flex flex-wrap items-baseline gap-x-2.5 px-3.5 py-1.5 text-mute text-xs hover:bg-rail"
            >
              <span className="min-w-0 flex-1 truncate font-mono text-text">{item.toolName}</span>
              <TimeLeft expiresAt={item.expiresAt} prefix="expires " />
              <span className="w-full truncate">
                <bdi>{item.actor.name}</bdi> from {formatApprovalOrigin(item)}{" "}
                <span className="font-mono">{item.argumentsText.slice(0, 200)}</span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  );
}

interface ToolRankingProps {
  title: string;
  rows: readonly {
    toolName: string;
    /** The calls that the figure counts. */
    href: string;
    figure: string;
    /** The reason, in a separate line. */
    reason?: ReactNode;
  }[];
  /** True if a tool has this name now; other names have no page. */
  isKnown: (toolName: string) => boolean;
  /** The text in place of an empty list. */
  nothing: string;
  children?: ReactNode;
}

/** Tools with a figure each, which leads to the calls that it counts. */
function ToolRanking({ title, rows, isKnown, nothing, children }: ToolRankingProps) {
  return (
    <Card title={title}>
      {rows.length === 0 && <p className="px-3.5 py-3 text-mute">{nothing}</p>}
      <ul className="divide-y divide-line">
        {rows.map(({ toolName, href, figure, reason }) => (
          <li key={toolName} className="flex flex-wrap items-center gap-x-3 px-3.5 py-1">
            <span className="min-w-0 flex-1 truncate font-mono text-xs">
              {isKnown(toolName) ? (
                <Link
                  href={`/tools/${encodeURIComponent(toolName)}`}
                  className="rounded-xs leading-6 hover:underline max-w-full inline-block truncate align-bottom max-sm:leading-10"
                >
                  {toolName}
                </Link>
              ) : (
                <span title="No tool has this name now">{toolName}</span>
              )}
            </span>
            <Link
              href={href}
              aria-label={`${toolName}: ${figure}`}
              className="rounded-xs font-mono text-xs tabular-nums leading-6 max-sm:leading-10 inline-block underline decoration-line2 underline-offset-2 hover:decoration-text"
            >
              {figure}
            </Link>
            {reason}
          </li>
        ))}
      </ul>
      {children}
    </Card>
  );
}
