"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import { ResultPanel } from "@/app/_components/executions/result/result-panel";
import { IdlePanel } from "@/app/_components/executions/result/running-panel";
import { RunnerColumn } from "@/app/_components/tools/runner/runner";
import { useToolCall } from "@/app/_components/tools/runner/use-tool-call";
import { SchemaNotes } from "@/app/_components/tools/summary/schema-notes";
import { ButtonLink } from "@/app/_ui/button";
import { CopyButton } from "@/app/_ui/copy-button";
import type { ToolDetail } from "@/lib/contract/catalog-tool";
import type { ExecutionDetail } from "@/lib/contract/execution";
import { RecentCalls } from "./recent-calls";

export interface RunTabProps {
  tool: ToolDetail;
  /** The execution whose arguments the form starts with. */
  from: ExecutionDetail | null;
}

/** Arguments and result: side by side when wide, one under the other when narrow. */
export function RunTab({ tool, from }: RunTabProps) {
  const [ranHere, setRanHere] = useState<string | null>(null);
  const onExecution = useCallback(({ id }: ExecutionDetail): void => setRanHere(id), []);
  const run = useToolCall(onExecution, from === null ? tool.name : null);
  const [loaded, setLoaded] = useState<ExecutionDetail | null>(null);
  const { execution, running } = run;
  const result = useRef<HTMLDivElement>(null);
  // Outside system: the scroll position, where the result is below the arguments.
  useEffect(() => {
    if (running && window.matchMedia("(max-width: 1023px)").matches) result.current?.scrollIntoView();
  }, [running]);
  return (
    <div className="grid min-h-0 flex-1 grid-cols-1 overflow-auto max-lg:auto-rows-max lg:grid-cols-[minmax(320px,1fr)_minmax(340px,1.15fr)] lg:overflow-hidden">
      <div className="flex min-h-0 min-w-0 flex-col border-line border-b lg:border-r lg:border-b-0">
        <RunnerColumn
          key={`${tool.definitionHash} ${from?.id ?? ""}`}
          toolName={tool.name}
          definition={tool.definition}
          definitionKey={tool.definitionHash}
          initialText={from?.argumentsText ?? null}
          run={run}
          keepsArguments={from === null}
          loaded={loaded}
          approval={tool.approval}
          notes={<SchemaNotes notes={tool.schemaNotes} className="border-line border-t px-3.5 py-1.5" />}
          unavailable={tool.enabled ? null : "The tool is disabled. Enable it to run it."}
          {...(from === null ? {} : { parentId: from.id })}
        />
      </div>
      <div ref={result} className="flex min-h-0 min-w-0 flex-col bg-panel lg:overflow-auto">
        {execution === null ? (
          <IdlePanel />
        ) : (
          <ResultPanel
            execution={execution}
            cancelable={false}
            opensApp={execution.id === ranHere}
            {...(from === null ? {} : { original: from })}
            actions={<ResultActions execution={execution} />}
          />
        )}
        <RecentCalls toolName={tool.name} onLoad={setLoaded} />
      </div>
    </div>
  );
}

function ResultActions({ execution }: { execution: ExecutionDetail }) {
  return (
    <>
      {execution.resultText !== null && <CopyButton text={execution.resultText} label="Copy result" />}
      <ButtonLink href={`/executions/${execution.id}`}>Open</ButtonLink>
    </>
  );
}
