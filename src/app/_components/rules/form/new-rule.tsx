"use client";

import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { trpc } from "@/app/_trpc/client";
import { PageHeader } from "@/app/_ui/page-header";
import { Skeleton } from "@/app/_ui/skeleton";
import type { CallRuleInput } from "@/lib/contract/call-rule";
import { isDecision, type RuleDecisionKind } from "@/lib/contract/call-rule-words";
import type { RuleProposalsInput } from "@/lib/contract/rule-insight";
import { EMPTY_RULE, proposeRule, toEffect } from "@/lib/rules/propose-rule";
import { RuleEditor } from "./rule-editor";

/** The parameters of the address with which a new rule begins. */
export interface RuleStart {
  from: string | null;
  effect: RuleDecisionKind | null;
  field: string | null;
  callers: RuleProposalsInput["callers"] | null;
  condition: string | null;
  tool: string | null;
  server: string | null;
  client: string | null;
}

/** A new rule: empty, about a tool, server or client, or made from a call. */
export function NewRule({ start }: { start: RuleStart }) {
  const { from, effect, tool, server, client } = start;
  if (from !== null) return <RuleFromCall start={start} id={from} />;
  if (effect === null && tool === null && server === null && client === null) {
    return <RuleEditor rule={null} initial={EMPTY_RULE} keptAs="rule.form" />;
  }
  return <RuleEditor rule={null} initial={toScoped(start)} />;
}

function toScoped({ effect, tool, server, client }: RuleStart): CallRuleInput {
  const list = (name: string | null): string[] => (name === null ? [] : [name]);
  return {
    ...EMPTY_RULE,
    scope: { ...EMPTY_RULE.scope, tools: list(tool), servers: list(server) },
    caller: { ...EMPTY_RULE.caller, clients: list(client) },
    effect: toEffect(effect ?? "ask"),
  };
}

/** Compares the call with the recorded ones first, which takes some seconds where they are many. */
function RuleFromCall({ start, id }: { start: RuleStart; id: string }) {
  const { data: execution } = useSuspenseQuery(trpc.executions.get.queryOptions({ id }));
  const { effect, field, callers, condition } = start;
  const input = {
    execution: id,
    effect: effect ?? "ask",
    callers: callers ?? "all",
    ...(field !== null && { field }),
  };
  const { data, error } = useQuery({
    ...trpc.rules.propose.queryOptions(input, { trpc: { abortOnUnmount: true } }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  if (data === undefined && error === null) return <Comparing />;
  const initial = proposeRule({
    toolName: execution.toolName,
    effect: input.effect,
    caller: input.callers === "same" ? execution.actor : null,
    condition: condition ?? data?.proposals[0]?.condition ?? "",
    reason: execution.approval?.reason,
  });
  const decider = execution.ruleMatches.find((match) => !match.recordOnly && isDecision(match.effect));
  return (
    <RuleEditor
      rule={null}
      initial={initial}
      proposals={data ?? null}
      failure={error?.message ?? null}
      before={decider?.ruleId ?? null}
    />
  );
}

function Comparing() {
  return (
    <>
      <PageHeader title="New rule" />
      <div role="status" className="flex max-w-3xl flex-col gap-3 p-4">
        <p className="text-mute">Comparing this call with the recorded calls of its tool…</p>
        <Skeleton className="h-8 w-1/2" />
        <Skeleton className="h-24" />
        <Skeleton className="h-24" />
      </div>
    </>
  );
}
