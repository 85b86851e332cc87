"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { ArgumentsBlock } from "@/app/_components/executions/summary/arguments-block";
import { formatExecutionOrigin } from "@/app/_components/executions/summary/execution-origin";
import { ReplayButton } from "@/app/_components/executions/summary/replay-button";
import { useExecution } from "@/app/_components/executions/summary/use-execution";
import { ResultPanel } from "@/app/_components/result/result-panel";
import { useTRPC } from "@/app/_trpc/client";
import { buttonClass } from "@/app/_ui/button";
import { Dialog } from "@/app/_ui/dialog";
import { ErrorState } from "@/app/_ui/error-state";
import { Skeleton } from "@/app/_ui/skeleton";

export interface PeekDrawerProps {
  executionId: string;
  onClose: () => void;
}

/** One call beside the list, without leaving it. */
export function PeekDrawer({ executionId, onClose }: PeekDrawerProps) {
  const trpc = useTRPC();
  const known = useQuery({ ...trpc.executions.get.queryOptions({ id: executionId }), enabled: false });
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      side="right"
      title={known.data?.toolName ?? "Execution"}
      description={<span className="font-mono text-xs">{executionId}</span>}
    >
      <PeekContent executionId={executionId} />
    </Dialog>
  );
}

function PeekContent({ executionId }: { executionId: string }) {
  const { data: execution, error, refetch } = useExecution(executionId);
  if (error) {
    return (
      <ErrorState
        title="Couldn't load the execution"
        message={error.message}
        onRetry={() => {
          void refetch();
        }}
      />
    );
  }
  if (!execution) {
    return (
      <div role="status" className="flex flex-col gap-3">
        <span className="sr-only">Loading</span>
        <Skeleton className="h-16" />
        <Skeleton className="h-40" />
      </div>
    );
  }
  return (
    <div className="-m-4 flex flex-col">
      <div className="flex flex-col gap-3 p-4">
        <p className="text-mute text-xs">
          {formatExecutionOrigin(execution)} · {execution.actor.name}
        </p>
        <ArgumentsBlock execution={execution} />
      </div>
      <div className="border-line border-t">
        <ResultPanel
          key={execution.id}
          execution={execution}
          actions={
            <>
              <ReplayButton executionId={execution.id} />
              <Link href={`/executions/${execution.id}`} className={buttonClass({ variant: "primary" })}>
                Open
              </Link>
            </>
          }
        />
      </div>
    </div>
  );
}
