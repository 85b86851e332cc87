"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { parseAsString, useQueryState } from "nuqs";
import { ResultPanel } from "@/app/_components/executions/result/result-panel";
import { IdlePanel } from "@/app/_components/executions/result/running-panel";
import { ArgumentsBlock } from "@/app/_components/executions/summary/arguments-block";
import { useExecution } from "@/app/_components/executions/summary/use-execution";
import { Runner } from "@/app/_components/tools/runner/runner";
import { useTRPC } from "@/app/_trpc/client";
import { Alert } from "@/app/_ui/alert";
import { ErrorState } from "@/app/_ui/error-state";
import { Skeleton } from "@/app/_ui/skeleton";
import type { ExecutionDetail } from "@/lib/contract/execution";
import { ToolLink } from "./execution-facts";

/** What was, the arguments to change, and what comes of it, side by side. */
export function EditAndReplay({ original }: { original: ExecutionDetail }) {
  const [newId, setNewId] = useQueryState("new", parseAsString);
  const trpc = useTRPC();
  const queryClient = useQueryClient();

  function onExecution(execution: ExecutionDetail): void {
    queryClient.setQueryData(trpc.executions.get.queryKey({ id: execution.id }), execution);
    void setNewId(execution.id);
  }

  return (
    <div className="grid min-h-full xl:h-full xl:min-h-0 xl:grid-cols-[minmax(260px,1fr)_minmax(340px,1.15fr)_minmax(340px,1.15fr)]">
      <div className="min-w-0 overflow-auto border-line xl:border-r">
        <div className="p-3.5">
          <ArgumentsBlock label="Original arguments" execution={original} />
        </div>
        <div className="border-line border-t">
          <ResultPanel label="Original result" execution={original} />
        </div>
      </div>
      <div className="flex min-h-0 min-w-0 flex-col border-line max-xl:border-t xl:border-r">
        <EditorColumn original={original} onExecution={onExecution} />
      </div>
      <div className="flex min-h-0 min-w-0 flex-col border-line bg-panel max-xl:border-t">
        {newId === null ? (
          <IdlePanel label="New result">
            Edit the arguments and run. The new result appears here beside the original.
          </IdlePanel>
        ) : (
          <NewResult executionId={newId} original={original} />
        )}
      </div>
    </div>
  );
}

/** The form follows the tool as it is now, since that is what runs. */
function EditorColumn({
  original,
  onExecution,
}: {
  original: ExecutionDetail;
  onExecution: (execution: ExecutionDetail) => void;
}) {
  const trpc = useTRPC();
  const tool = useQuery(trpc.tools.get.queryOptions({ name: original.toolName }));
  if (tool.error) {
    return (
      <ErrorState
        title="This tool can't be run now"
        message={tool.error.message}
        onRetry={() => {
          void tool.refetch();
        }}
      />
    );
  }
  if (!tool.data) {
    return (
      <div role="status" className="flex flex-col gap-3 p-3.5">
        <span className="sr-only">Loading the tool</span>
        <Skeleton className="h-8" />
        <Skeleton className="h-8" />
        <Skeleton className="h-32" />
      </div>
    );
  }
  return (
    <>
      {original.definitionChanged && (
        <div className="p-3.5 pb-0">
          <Alert tone="warn" title="The tool has changed since this call">
            What runs is <ToolLink name={original.toolName} /> as it is now.
          </Alert>
        </div>
      )}
      <Runner
        toolName={original.toolName}
        definition={tool.data.definition}
        initialText={original.argumentsText}
        parentId={original.id}
        approval={tool.data.approval}
        onExecution={onExecution}
        runLabel="Run again"
      />
    </>
  );
}

function NewResult({ executionId, original }: { executionId: string; original: ExecutionDetail }) {
  const { data, error, refetch } = useExecution(executionId);
  if (error && !data) {
    return (
      <ErrorState
        title="Couldn't load the new execution"
        message={error.message}
        onRetry={() => {
          void refetch();
        }}
      />
    );
  }
  if (!data) {
    return (
      <div role="status" className="p-3.5">
        <span className="sr-only">Loading the new execution</span>
        <Skeleton className="h-40" />
      </div>
    );
  }
  return <ResultPanel key={data.id} label="New result" cancelable={false} execution={data} original={original} />;
}
