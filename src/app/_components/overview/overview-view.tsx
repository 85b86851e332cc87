"use client";

import { useSuspenseQueries } from "@tanstack/react-query";
import { useDeferredValue } from "react";
import { ServersAttention } from "@/app/_components/servers/list/servers-attention";
import { LoadProblems } from "@/app/_components/tools/summary/load-problems";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { useTRPC } from "@/app/_trpc/client";
import { useInvalidate } from "@/app/_trpc/use-invalidate";
import { Link } from "@/app/_ui/link";
import { useTimeZone } from "@/app/_ui/time-zone";
import { formatCount, formatDuration, formatPlural, formatRate } from "@/lib/format";
import { CallsChart } from "./calls-chart";
import { ExecutionList } from "./execution-list";
import { Figures } from "./figures";
import { FirstRun } from "./first-run";
import { buildFirstRunSteps, isFirstRunOver, pickSampleTool } from "./first-run-steps";
import { LatencyChart } from "./latency-chart";
import { NextSteps } from "./next-steps";
import { OVERVIEW_DAYS, RECENT_INPUT, RUNNING_INPUT } from "./overview-queries";
import { PendingApprovals } from "./pending-approvals";
import { ToolRanking } from "./tool-ranking";

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
