"use client";

import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { NEW_RULE, toRulePath } from "@/app/_components/rules/summary/rule-paths";
import { useCallerNames } from "@/app/_components/rules/summary/use-caller-names";
import { ConfirmAction } from "@/app/_kit/confirm-action";
import { ResourceList } from "@/app/_kit/list/resource-list";
import { useNow } from "@/app/_kit/use-now";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { client, trpc } from "@/app/_trpc/client";
import { ActionProblem } from "@/app/_ui/action-problem";
import { Button, ButtonLink } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";
import { onDemand } from "@/app/_ui/on-demand";
import { PageHeader } from "@/app/_ui/page-header";
import type { CallRule } from "@/lib/contract/call-rule";
import { formatPlural } from "@/lib/format";
import { SPEND_PATH } from "../spend/spend-params";
import { listBuiltInRules } from "./built-in-rules";
import { buildRuleColumns, permissionFor, type RuleProps, type RuleRow } from "./rule-columns";
import { useRuleOrder } from "./rule-order";

const CaseList = onDemand(() => import("../cases/case-list"), "CaseList");
const TryCall = onDemand(() => import("../explain/try-call"), "TryCall");
const LimitUsage = onDemand(() => import("./limit-usage"), "LimitUsage");

const HOUR_MS = 3_600_000;
const MEANING =
  "The first rule that asks, denies or allows decides, then the approval settings. Every rule with another effect applies; of routes, the first.";

/** Lists the rules in their order, then the approval settings that decide all other calls. */
export function RulesView() {
  const { data: rules, refetch } = useSuspenseQuery(trpc.rules.list.queryOptions());
  const { data: groups = [] } = useQuery(trpc.tools.approvalGroups.queryOptions());
  const { data: toolsets = [] } = useQuery(trpc.toolsets.list.queryOptions());
  const now = useNow(HOUR_MS);
  useLiveRefresh(refetch, ({ type }) => type === "rules" || type === "reset");
  const [problem, setProblem] = useState<string | null>(null);
  const [deleted, setDeleted] = useState<CallRule | null>(null);
  const [isTrying, setIsTrying] = useState(false);
  const order = useRuleOrder(rules, setProblem);
  const names = useCallerNames(rules.some(({ caller }) => caller.users.length > 0));
  const rows: RuleRow[] = [
    ...rules.map((rule): RuleRow => ({ kind: "rule", rule })),
    ...listBuiltInRules(groups, toolsets).map((rule): RuleRow => ({ kind: "built-in", rule })),
  ];
  return (
    <div ref={order.list}>
      <PageHeader
        title="Rules"
        actions={
          <>
            <ButtonLink href={SPEND_PATH}>Spend</ButtonLink>
            <Button onClick={() => setIsTrying(true)}>Try a call</Button>
            <ButtonLink icon={Plus} needs="edit" variant="primary" href={toRulePath(NEW_RULE)}>
              New rule
            </ButtonLink>
          </>
        }
      />
      {rules.length === 0 && <NoRules />}
      <p role="status" className="sr-only">
        {order.news}
      </p>
      <div className="px-4 pt-2 empty:hidden">
        <ActionProblem problem={problem} onDismiss={() => setProblem(null)} />
      </div>
      <ResourceList
        label="Rules"
        look="catalog"
        status={
          rules.length === 0
            ? "Without rules, these settings decide:"
            : `${formatPlural(rules.length, "rule")}. ${MEANING}`
        }
        columns={buildRuleColumns({ rules, names, order, now, onDelete: setDeleted, report: setProblem })}
        rows={rows}
        toKey={({ kind, rule }) => (kind === "rule" ? rule.id : `${rule.name} ${rule.sentence}`)}
        rowProps={(row) => (row.kind === "rule" ? { onKeyDown: (event) => order.onKeyDown(event, row.rule) } : {})}
        empty={null}
      />
      {rules.some(({ effect, state }) => effect.kind === "limit" && state !== "off") && <LimitUsage rules={rules} />}
      <CaseList />
      {isTrying && <TryCall onClose={() => setIsTrying(false)} />}
      {deleted !== null && <DeleteRule rule={deleted} rules={rules} onClose={() => setDeleted(null)} />}
    </div>
  );
}

function NoRules() {
  return (
    <EmptyState
      heading="h2"
      title="No rules yet"
      next={{ href: toRulePath(NEW_RULE), text: "New rule", needs: "edit" }}
      action={<ButtonLink href="/executions">Choose a call</ButtonLink>}
    >
      A rule allows, denies or asks by what a call contains: its arguments, its caller, the hour. Before it is saved you
      see which calls of the last days it would have changed. A rule can also be made from a recorded call.
    </EmptyState>
  );
}

function DeleteRule({ rule, rules, onClose }: RuleProps & { onClose: () => void }) {
  const { id, name, lastEdit } = rule;
  return (
    <ConfirmAction
      needs={permissionFor(rules, id, null)}
      title={`Delete ${name}?`}
      description="Calls that it decided are decided by the rules and settings below it. Recorded calls keep what it did."
      run={() => client.rules.delete.mutate({ id, revision: lastEdit.revision })}
      stale={[trpc.rules, trpc.ruleCases]}
      done={() => `${name} deleted`}
      onClose={onClose}
    />
  );
}
