import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ResultPanel } from "@/app/_components/executions/result/result-panel";
import { ArgumentsBlock } from "@/app/_components/executions/summary/arguments-block";
import { formatExecutionOrigin } from "@/app/_components/executions/summary/execution-origin";
import { ReplayButton } from "@/app/_components/executions/summary/replay-button";
import { useExecution } from "@/app/_components/executions/summary/use-execution";
import { QueryState } from "@/app/_kit/query-state";
import { RowDrawer, type RowDrawerProps } from "@/app/_kit/row-drawer";
import { trpc } from "@/app/_trpc/client";
import { ButtonLink } from "@/app/_ui/button";
import { FactList } from "@/app/_ui/fact-list";
import { Link } from "@/app/_ui/link";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { ExecutionDetail } from "@/lib/contract/execution";
import { formatTitle, getKind } from "@/lib/contract/execution-kind";

interface PeekDrawerProps extends Pick<RowDrawerProps, "onClose" | "onMove" | "onCloseFocus"> {
  executionId: string;
}

/** One call beside the list, without leaving it. */
export function PeekDrawer({ executionId, ...moves }: PeekDrawerProps) {
  const known = useQuery({ ...trpc.executions.get.queryOptions({ id: executionId }), enabled: false });
  return (
    <RowDrawer
      {...moves}
      noun="execution"
      title={known.data ? formatTitle(known.data) : "Execution"}
      description={<span className="font-mono text-xs">{executionId}</span>}
    >
      <QueryState query={useExecution(executionId)} what="the execution" bars={["h-16", "h-40"]}>
        {(execution) => <PeekContent execution={execution} />}
      </QueryState>
    </RowDrawer>
  );
}

function PeekContent({ execution }: { execution: ExecutionDetail }) {
  const { id, queuedAt, actor, runId, runTitle, reason } = execution;
  const path = `/executions/${id}`;
  const mayEdit = getKind(execution) === "tool" && execution.restricted === undefined;
  const facts: [string, ReactNode][] = [
    ["Received", <RelativeTime key="received" at={queuedAt} />],
    ["Source", formatExecutionOrigin(execution)],
    ["Caller", <bdi key="caller">{actor.name}</bdi>],
    [
      "Run",
      runId && (
        <Link key="run" href={`/runs/${encodeURIComponent(runId)}`} className="underline">
          <bdi>{runTitle ?? runId}</bdi>
        </Link>
      ),
    ],
    ["Reason", reason && <bdi key="reason">{reason}</bdi>],
  ];
  return (
    <div className="-m-4 flex flex-col">
      <div className="flex flex-col gap-3 p-4">
        <div className="flex flex-wrap gap-1.5">
          {mayEdit && (
            <ButtonLink needs="run" href={`${path}?tab=edit`} variant="primary">
              Edit and replay
            </ButtonLink>
          )}
          <ReplayButton executionId={id} />
          <ButtonLink href={path}>Open</ButtonLink>
        </div>
        <FactList facts={facts} valueClass="" className="gap-y-0.5! text-xs" />
        <ArgumentsBlock execution={execution} />
      </div>
      <div className="border-line border-t">
        <ResultPanel key={id} execution={execution} />
      </div>
    </div>
  );
}
