"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import { ArrowLeftRight } from "lucide-react";
import { DiffView } from "@/app/_components/executions/diff/diff-view";
import { toComparePath } from "@/app/_components/executions/summary/comparison";
import { ExecutionBadge } from "@/app/_components/executions/summary/execution-badge";
import { useExecution } from "@/app/_components/executions/summary/use-execution";
import { CallQuestions } from "@/app/_components/interactions/call-questions";
import { useWaitsForInput } from "@/app/_components/interactions/summary/use-waits-for-input";
import { useTRPC } from "@/app/_trpc/client";
import { Alert } from "@/app/_ui/alert";
import { ButtonLink } from "@/app/_ui/button";
import { Link } from "@/app/_ui/link";
import { PageHeader } from "@/app/_ui/page-header";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { ExecutionDetail } from "@/lib/contract/execution";
import { CompareFacts, TimeComparison } from "./compare-facts";

/** Two calls side by side: what differs first, in results, arguments and duration; their other facts folded. */
export function CompareView({ leftId, rightId }: { leftId: string; rightId: string }) {
  const left = useWatched(leftId);
  const right = useWatched(rightId);
  const swapped = toComparePath([rightId, leftId]);
  const running = [left, right].filter(({ status }) => status === "running" || status === "waiting");
  return (
    <>
      <PageHeader
        title="Compare"
        actions={
          swapped !== null && (
            <ButtonLink icon={ArrowLeftRight} href={swapped} replace>
              Swap
            </ButtonLink>
          )
        }
      />
      <div className="flex flex-col gap-6 p-4">
        {left.toolName !== right.toolName && (
          <Alert tone="warn" title="Two different tools">
            Differences may come from the tools alone.
          </Alert>
        )}
        {running.map((execution) => (
          <RunningNote key={execution.id} execution={execution} />
        ))}
        <Sides left={left} right={right} />
        <DiffView label={outcomeLabel(left, right)} left={outcomeText(left)} right={outcomeText(right)} />
        <DiffView label="Arguments" left={left.argumentsText} right={right.argumentsText} />
        <TimeComparison leftMs={left.durationMs} rightMs={right.durationMs} />
        <CompareFacts left={left} right={right} />
      </div>
    </>
  );
}

/** Links the call of each side and shows its status. */
function Sides({ left, right }: { left: ExecutionDetail; right: ExecutionDetail }) {
  return (
    <div className="grid gap-3 md:grid-cols-2">
      {[left, right].map((execution, at) => (
        <div key={execution.id} className="flex min-w-0 flex-wrap items-center gap-x-2.5 gap-y-1">
          <h2 className="font-medium">{at === 0 ? "Left" : "Right"}</h2>
          <Link href={`/executions/${execution.id}`} className="truncate font-mono text-xs underline">
            {execution.id}
          </Link>
          <ExecutionBadge execution={execution} />
          <RelativeTime at={execution.queuedAt} clock className="text-mute text-xs" />
        </div>
      ))}
    </div>
  );
}

/** Why there is nothing to compare yet; the form of a call that waits for input stands right here. */
function RunningNote({ execution }: { execution: ExecutionDetail }) {
  const { id, status } = execution;
  const waitsForInput = useWaitsForInput({ executionId: id }, status === "running");
  return (
    <>
      {status === "waiting" ? (
        <Alert tone="warn" title={`${id} needs approval`}>
          <Link href={`/approvals?id=${encodeURIComponent(id)}`} className="underline">
            Review the request
          </Link>
        </Alert>
      ) : (
        <Alert
          tone={waitsForInput ? "warn" : "accent"}
          title={waitsForInput ? `${id} is waiting for input` : `${id} is still running`}
        >
          The comparison appears when it ends.
        </Alert>
      )}
      {status === "running" && <CallQuestions execution={execution} />}
    </>
  );
}

function useWatched(id: string): ExecutionDetail {
  const trpc = useTRPC();
  const first = useSuspenseQuery(trpc.executions.get.queryOptions({ id }));
  return useExecution(id).data ?? first.data;
}

function outcomeLabel(left: ExecutionDetail, right: ExecutionDetail): string {
  if (left.error === null && right.error === null) return "Result";
  return left.error !== null && right.error !== null ? "Error" : "Result and error";
}

/** Returns the outcome of a call: its stored result, or else its error. */
function outcomeText(execution: ExecutionDetail): string {
  if (execution.resultText !== null) return execution.resultText;
  return execution.error === null ? "" : JSON.stringify(execution.error);
}
