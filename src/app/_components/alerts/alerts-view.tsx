"use client";

import { useSuspenseInfiniteQuery, useSuspenseQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useQueryState } from "nuqs";
import { useState } from "react";
import { ConfirmAction } from "@/app/_kit/confirm-action";
import { PanelListEnd } from "@/app/_kit/list-end";
import { PageActions } from "@/app/_kit/page-actions";
import { useAction } from "@/app/_kit/use-action";
import { usePages } from "@/app/_kit/use-pages";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { BY_CURSOR } from "@/app/_trpc/by-cursor";
import { client, trpc } from "@/app/_trpc/client";
import { ActionProblem } from "@/app/_ui/action-problem";
import { Badge } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import { onDemand } from "@/app/_ui/on-demand";
import { describeRoles } from "@/lib/contract/access";
import type { Alert, AlertRule } from "@/lib/contract/alert";
import { ALERT_WORDS } from "@/lib/contract/alert-kinds";
import { describeRule } from "@/lib/format/alert-words";
import { AlertItem } from "./alert-item";

const RuleDialog = onDemand(() => import("./rule-dialog"), "RuleDialog");

type Opened = { kind: "edit" | "delete"; rule: AlertRule } | { kind: "new" };

/** Alert rules and their alerts. */
export function AlertsView() {
  const { data: rules, refetch } = useSuspenseQuery(trpc.alerts.rules.queryOptions());
  // A link of a tool's statistics opens a new rule.
  const [tool, setTool] = useQueryState("tool");
  const [opened, setOpened] = useState<Opened | null>(tool === null ? null : { kind: "new" });
  const close = () => {
    setOpened(null);
    if (tool !== null) void setTool(null);
  };
  useLiveRefresh(refetch, "alerts");
  return (
    <>
      <Card
        title="Alert rules"
        about="Checked every minute. Alerts appear under the bell and go to webhooks."
        action={
          <Button icon={Plus} variant="primary" needs="edit" onClick={() => setOpened({ kind: "new" })}>
            Add rule
          </Button>
        }
      >
        {rules.length === 0 ? (
          <p className="px-3.5 py-3 text-mute">No alert rules yet.</p>
        ) : (
          <ul aria-label="Alert rules" className="divide-y divide-line">
            {rules.map((rule) => (
              <RuleItem key={rule.id} rule={rule} onOpen={(kind) => setOpened({ kind, rule })} />
            ))}
          </ul>
        )}
      </Card>
      <History />
      {(opened?.kind === "new" || opened?.kind === "edit") && (
        <RuleDialog rule={opened.kind === "edit" ? opened.rule : null} tool={tool ?? undefined} onClose={close} />
      )}
      {opened?.kind === "delete" && (
        <ConfirmAction
          needs="edit"
          title="Delete this alert rule?"
          description={`${opened.rule.name} stops. Its alerts are resolved and stay in the history.`}
          run={() => client.alerts.deleteRule.mutate({ id: opened.rule.id })}
          stale={[trpc.alerts]}
          done="Alert rule deleted"
          onClose={close}
        />
      )}
    </>
  );
}

function RuleItem({ rule, onOpen }: { rule: AlertRule; onOpen: (kind: "edit" | "delete") => void }) {
  const [problem, setProblem] = useState<string | null>(null);
  const { id, firing, createdAt: _createdAt, updatedAt: _updatedAt, updatedBy: _updatedBy, ...input } = rule;
  const { name, kind, enabled, notify, webhooks } = input;
  const switching = useAction(trpc.alerts.updateRule, {
    stale: [trpc.alerts],
    failed: "Couldn't change the rule",
    report: setProblem,
  });
  return (
    <li data-row={id} className="flex flex-wrap items-start gap-x-3 gap-y-2 px-3.5 py-2.5">
      <div className="min-w-0 flex-1 basis-64 [overflow-wrap:anywhere]">
        <span className="font-medium">{name}</span> <Badge>{ALERT_WORDS[kind].label}</Badge>{" "}
        {!enabled && <Badge>disabled</Badge>} {firing > 0 && <Badge tone="bad">{firing} firing</Badge>}
        <div className="text-xs">{describeRule(input)}</div>
        <div className="text-mute text-xs">
          Notifies {notify === "viewer" ? "everyone" : `${describeRoles(notify)}`}
          {webhooks && ", and webhooks"}
        </div>
        <ActionProblem problem={problem} onDismiss={() => setProblem(null)} />
      </div>
      <div className="flex flex-wrap gap-1.5">
        <PageActions
          label={`Actions for ${name}`}
          actions={[
            { label: "Edit", needs: "edit", onSelect: () => onOpen("edit") },
            {
              label: enabled ? "Disable" : "Enable",
              needs: "edit",
              disabled: switching.isPending,
              onSelect: () => switching.mutate({ id, rule: { ...input, enabled: !enabled } }),
            },
            { label: "Delete", needs: "edit", danger: true, onSelect: () => onOpen("delete") },
          ]}
        />
      </div>
    </li>
  );
}

const toKey = ({ id }: Alert): string => id;

function History() {
  const query = useSuspenseInfiniteQuery(trpc.alerts.history.infiniteQueryOptions({}, BY_CURSOR));
  const pages = usePages(query, { toKey, isStale: ({ type }) => type === "alerts" || type === "reset" });
  return (
    <Card title="History" about="Alerts of the last 30 days, newest first.">
      {pages.rows.length === 0 && <p className="px-3.5 py-3 text-mute">No alerts yet.</p>}
      <ul aria-label="History of alerts" className="divide-y divide-line empty:hidden">
        {pages.rows.map((alert) => (
          <AlertItem key={alert.id} alert={alert} />
        ))}
      </ul>
      <PanelListEnd pages={pages} className="px-3.5" />
    </Card>
  );
}
