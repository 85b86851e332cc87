"use client";

import { useQuery, useSuspenseQueries } from "@tanstack/react-query";
import { Fragment, useDeferredValue } from "react";
import { TimeLeft } from "@/app/_components/approvals/summary/approval-expiry";
import { formatApprovalOrigin } from "@/app/_components/approvals/summary/approval-words";
import { listExcludedCalls } from "@/app/_components/executions/summary/call-classes";
import { ServersAttention } from "@/app/_components/servers/list/servers-attention";
import { LoadProblems } from "@/app/_components/tools/summary/load-problems";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { useTRPC } from "@/app/_trpc/client";
import { useInvalidate } from "@/app/_trpc/use-invalidate";
import { Card } from "@/app/_ui/card";
import { Link } from "@/app/_ui/link";
import { useTimeZone } from "@/app/_ui/time-zone";
import type { OverviewStats } from "@/lib/contract/execution";
import { formatCount, formatDuration, formatPlural, formatRate } from "@/lib/format";
import { CallsChart, LatencyChart } from "./calls-chart";
import { ExecutionList, ToolRanking } from "./execution-list";
import { FirstRun, NextSteps } from "./first-run";
import { buildFirstRunSteps, isFirstRunOver, pickSampleTool } from "./first-run-steps";
import { OVERVIEW_DAYS, PENDING_INPUT, RECENT_INPUT, RUNNING_INPUT } from "./overview-queries";

export function OverviewView() {
  const trpc = useTRPC();
  // Days of another zone replace those that the server rendered once they are read.
  const zone = useDeferredValue(useTimeZone());
  const { queryKey } = trpc.executions.list;
  const refreshLists = useInvalidate(queryKey(RECENT_INPUT), queryKey(RUNNING_INPUT));
  useLiveRefresh(refreshLists, (event) => event.type === "execution", { intervalMs: 1_000 });
  const [info, stats, recent, running, tools] = useSuspenseQueries({
    queries: [
      trpc.system.info.queryOptions(),
      trpc.executions.overview.queryOptions({ days: OVERVIEW_DAYS, zone }),
      trpc.executions.list.queryOptions(RECENT_INPUT),
      trpc.executions.list.queryOptions(RUNNING_INPUT),
      trpc.tools.list.queryOptions(),
    ],
  });
  const { counts, problems } = info.data;
  const { totals, days, slowest, failing, sampled, sampleLimit } = stats.data;

  return (
    <div className="flex flex-col gap-4 p-4">
      <LoadProblems problems={problems} />
      <PendingApprovals />
      <ServersAttention />
      {isFirstRunOver({ counts }) ? (
        <NextSteps />
      ) : (
        <FirstRun
          steps={buildFirstRunSteps({
            counts,
            sampleTool: pickSampleTool(tools.data.items),
            execution: recent.data.items[0] ?? null,
          })}
        />
      )}
      {counts.executions > 0 && (
        <>
          <Figures totals={totals} days={OVERVIEW_DAYS} />
          {sampled && (
            <p className="text-mute text-xs">
              Times and rankings cover the newest {formatCount(sampleLimit)} executions of these {OVERVIEW_DAYS} days.
            </p>
          )}
          <div className="grid gap-4 xl:grid-cols-2">
            <CallsChart days={days} zone={zone} />
            <LatencyChart days={days} zone={zone} />
          </div>
          {running.data.items.length > 0 && (
            <ExecutionList title="Running now" executions={running.data.items} nothing="Nothing is running." />
          )}
          <ExecutionList
            title="Recent executions"
            executions={recent.data.items}
            nothing="No executions."
            action={
              <Link href="/executions" className="rounded-xs text-mute text-xs hover:text-text">
                All executions
              </Link>
            }
          />
          <div className="grid gap-4 xl:grid-cols-2">
            <ToolRanking
              title="Slowest tools"
              figures={["Calls", "p95"]}
              rows={slowest.map((row) => ({
                toolName: row.toolName,
                cells: [formatCount(row.calls), formatDuration(row.p95Ms)],
              }))}
              nothing={`No call finished in ${formatPlural(OVERVIEW_DAYS, "day")}.`}
            />
            <ToolRanking
              title="Highest failure rate"
              figures={["Failed", "Rate"]}
              rows={failing.map((row) => ({
                toolName: row.toolName,
                cells: [
                  `${formatCount(row.failed)} of ${formatCount(row.finished)}`,
                  formatRate(row.failed, row.finished),
                ],
              }))}
              nothing={`No call failed in ${formatPlural(OVERVIEW_DAYS, "day")}.`}
            />
          </div>
        </>
      )}
    </div>
  );
}

/** The window in six figures. What has not been measured is a dash. */
export function Figures({ totals, days }: { totals: OverviewStats["totals"]; days: number }) {
  const { waits } = totals;
  const figures = [
    { label: `Calls, ${days} days`, value: formatCount(totals.calls) },
    {
      label: "Failed",
      value: formatRate(totals.failed, totals.finished),
      detail: `${formatCount(totals.failed)} of ${formatCount(totals.finished)}`,
      hint: "Of the calls that succeeded or failed",
    },
    { label: "p50", value: formatDuration(totals.p50Ms) },
    { label: "p95", value: formatDuration(totals.p95Ms), hint: "Without time spent waiting for a person" },
    {
      label: "Wait for a person, p95",
      value: formatDuration(waits.p95Ms),
      detail: waits.calls === 0 ? undefined : formatCount(waits.calls),
      hint: "Calls that waited for approval or input",
    },
    { label: "Running now", value: formatCount(totals.running) },
  ];
  return (
    <div className="flex flex-col gap-1.5">
      <dl className="grid grid-cols-2 overflow-hidden rounded-lg border border-line bg-line gap-px sm:grid-cols-3 xl:grid-cols-6">
        {figures.map(({ label, value, detail, hint }) => (
          <div key={label} className="bg-panel px-3.5 py-2.5" title={hint}>
            <dt className="text-mute text-xs">{label}</dt>
            <dd className="mt-0.5 font-medium font-mono text-lg tabular-nums">
              {value}
              {detail !== undefined && <span className="ml-1.5 font-normal text-faint text-xs">{detail}</span>}
            </dd>
          </div>
        ))}
      </dl>
      <ExcludedCalls totals={totals} />
    </div>
  );
}

function ExcludedCalls({ totals }: { totals: OverviewStats["totals"] }) {
  const excluded = listExcludedCalls(totals);
  if (excluded.length === 0) return null;
  return (
    <p className="text-mute text-xs">
      Not counted as failed:{" "}
      {excluded.map(({ status, text }, at) => (
        <Fragment key={status}>
          {at > 0 && " · "}
          <Link href={`/executions?status=${status}`} className="underline">
            {text}
          </Link>
        </Fragment>
      ))}
    </p>
  );
}

/** The calls that wait longest for approval. Renders nothing while none does. */
export function PendingApprovals() {
  const trpc = useTRPC();
  const { data, refetch } = useQuery(trpc.approvals.list.queryOptions(PENDING_INPUT));
  useLiveRefresh(refetch, (event) => event.type === "approvals");
  const items = data?.items ?? [];
  if (items.length === 0) return null;
  return (
    <Card
      title="Pending approvals"
      action={
        <Link href="/approvals" className="rounded-xs text-mute text-xs hover:text-text">
          {data?.nextCursor === null ? "Open in Approvals" : "All pending approvals"}
        </Link>
      }
    >
      <ul className="divide-y divide-line">
        {items.map((item) => (
          <li key={item.executionId}>
            <Link
              href={`/approvals?id=${encodeURIComponent(item.executionId)}`}
              className="-outline-offset-2 flex flex-wrap items-center gap-x-2.5 gap-y-0.5 px-3.5 py-1.5 hover:bg-rail"
            >
              <span className="min-w-0 shrink-0 truncate font-mono text-xs">{item.toolName}</span>
              <span className="min-w-0 flex-1 truncate font-mono text-mute text-xs max-sm:basis-full">
                {item.argumentsText.slice(0, 200)}
              </span>
              <span className="shrink-0 text-mute text-xs">
                <bdi>{item.actor.name}</bdi> from {formatApprovalOrigin(item)}
              </span>
              <span className="shrink-0 text-mute text-xs max-sm:ml-auto">
                <TimeLeft expiresAt={item.expiresAt} prefix="expires " />
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  );
}
