"use client";

import { useQuery } from "@tanstack/react-query";
import { CallActions } from "@/app/_components/executions/actions/call-actions";
import { ResultPanel } from "@/app/_components/executions/result/result-panel";
import { toComparePath } from "@/app/_components/executions/summary/comparison";
import { trpc } from "@/app/_trpc/client";
import { ButtonLink } from "@/app/_ui/button";
import type { ExecutionDetail } from "@/lib/contract/execution";
import { toRecentCalls } from "./recent-calls-query";

interface RunResultProps {
  execution: ExecutionDetail;
  /** The call that this one repeats. */
  original: ExecutionDetail | null;
  /** The user has just run the tool. */
  opensApp: boolean;
  onReplay: () => void;
}

/** The outcome of the last run. */
export function RunResult({ execution, original, opensApp, onReplay }: RunResultProps) {
  return (
    <ResultPanel
      execution={execution}
      cancelable={false}
      withModelView={false}
      opensApp={opensApp}
      {...(original === null ? {} : { original })}
      actions={<ResultActions execution={execution} onReplay={onReplay} />}
    />
  );
}

interface ResultActionsProps {
  execution: ExecutionDetail;
  onReplay: () => void;
}

/** Compares with the call that this one repeats, else with the call of the tool before it. */
function ResultActions({ execution, onReplay }: ResultActionsProps) {
  const { id, parentId, toolName, seq } = execution;
  const { data } = useQuery(trpc.executions.list.queryOptions(toRecentCalls(toolName)));
  const before = parentId ?? data?.items.find((call) => call.seq < seq)?.id;
  return (
    <>
      <CallActions
        execution={execution}
        comparePath={before === undefined ? null : toComparePath([before, id])}
        onReplay={onReplay}
      />
      <ButtonLink href={`/executions/${id}`}>Open</ButtonLink>
    </>
  );
}
