import { useQuery, useQueryClient } from "@tanstack/react-query";
import { parseAsString, useQueryState } from "nuqs";
import { ResultPanel } from "@/app/_components/executions/result/result-panel";
import { IdlePanel } from "@/app/_components/executions/result/running-panel";
import { ArgumentsBlock } from "@/app/_components/executions/summary/arguments-block";
import { useExecution } from "@/app/_components/executions/summary/use-execution";
import { Runner } from "@/app/_components/tools/runner/runner";
import { QueryState } from "@/app/_kit/query-state";
import { trpc } from "@/app/_trpc/client";
import { Alert } from "@/app/_ui/alert";
import type { ExecutionDetail } from "@/lib/contract/execution";
import { ToolLink } from "./execution-facts";

/** Shows the original call, the arguments to change, and the new result, side by side. */
export function EditAndReplay({ original }: { original: ExecutionDetail }) {
  const [newId, setNewId] = useQueryState("new", parseAsString);
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

interface EditorColumnProps {
  original: ExecutionDetail;
  onExecution: (execution: ExecutionDetail) => void;
}

/** The form follows the tool as it is now, since that is what runs. */
function EditorColumn({ original, onExecution }: EditorColumnProps) {
  const tool = useQuery(trpc.tools.get.queryOptions({ name: original.toolName }));
  return (
    <QueryState query={tool} what="the tool" bars={["h-8", "h-8", "h-32"]} className="p-3.5">
      {({ definition, approval }) => (
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
            definition={definition}
            initialText={original.argumentsText}
            parentId={original.id}
            approval={approval}
            onExecution={onExecution}
            runLabel="Run again"
          />
        </>
      )}
    </QueryState>
  );
}

function NewResult({ executionId, original }: { executionId: string; original: ExecutionDetail }) {
  return (
    <QueryState query={useExecution(executionId)} what="the new execution" bars={["h-40"]} className="p-3.5">
      {(execution) => (
        <ResultPanel
          key={execution.id}
          label="New result"
          cancelable={false}
          execution={execution}
          original={original}
        />
      )}
    </QueryState>
  );
}
