"use client";

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useId, useState } from "react";
import { DraftField } from "@/app/_kit/form/draft-field";
import { FormDialog } from "@/app/_kit/form-dialog";
import { FormField } from "@/app/_kit/form-field";
import { useAction } from "@/app/_kit/use-action";
import { useTRPC } from "@/app/_trpc/client";
import { Checkbox } from "@/app/_ui/checkbox";
import { NativeSelect } from "@/app/_ui/field";
import { describeRoles, ROLES, type Role } from "@/lib/contract/access";
import type { AlertRule, AlertRuleInput } from "@/lib/contract/alert";
import {
  ALERT_KINDS,
  ALERT_SUBJECTS,
  ALERT_WORDS,
  type AlertKind,
  type AlertSubject,
} from "@/lib/contract/alert-kinds";
import { describeWindow } from "@/lib/format/alert-words";
import { RulePreview } from "./rule-preview";

const WINDOWS = [5, 15, 30, 60, 360, 1_440];

/** `each-tool` and its like evaluate the calls of each one apart. */
type Scope = "all" | "tool" | "server" | `each-${AlertSubject}`;

const EACH_LABELS: Record<`each-${AlertSubject}`, string> = {
  "each-tool": "Each tool",
  "each-server": "Each server",
  "each-client": "Each client",
};

const isNamed = (scope: Scope): scope is "tool" | "server" => scope === "tool" || scope === "server";

/** The fields as they are typed. */
interface Draft extends Omit<AlertRuleInput, "tool" | "server" | "each" | "threshold" | "minCalls"> {
  scope: Scope;
  subject: string;
  threshold: string;
  minCalls: string;
}

const NEW: Draft = {
  name: "",
  kind: "failure_rate",
  scope: "all",
  subject: "",
  threshold: "20",
  minCalls: "10",
  windowMinutes: 15,
  enabled: true,
  notify: "viewer",
  webhooks: true,
};

function toScope({ tool, server, each }: Pick<AlertRule, "tool" | "server" | "each">): Scope {
  if (each !== null) return `each-${each}`;
  if (tool !== null) return "tool";
  return server === null ? "all" : "server";
}

function toDraft({ threshold, minCalls, ...rule }: AlertRule): Draft {
  const { tool, server } = rule;
  const { name, kind, windowMinutes, enabled, notify, webhooks } = rule;
  const texts = { threshold: String(threshold), minCalls: String(minCalls), subject: tool ?? server ?? "" };
  return { name, kind, windowMinutes, enabled, notify, webhooks, scope: toScope(rule), ...texts };
}

function findProblems({
  name,
  kind,
  scope,
  subject,
  threshold,
  minCalls,
}: Draft): Partial<Record<keyof Draft, string>> {
  const { unit, ofCalls } = ALERT_WORDS[kind];
  const limit = Number(threshold);
  const least = Number(minCalls);
  const isPercent = unit === "%";
  return {
    ...(name.trim() === "" && { name: "Enter a name" }),
    ...(isNamed(scope) && subject === "" && { subject: `Choose a ${scope}` }),
    ...((!(limit > 0) || (isPercent && limit >= 100)) && {
      threshold: isPercent ? "Enter a number above 0 and below 100" : "Enter a number above 0",
    }),
    ...(ofCalls && !(Number.isInteger(least) && least > 0) && { minCalls: "Enter a whole number above 0" }),
  };
}

function toInput({ scope, subject, threshold, minCalls, ...rest }: Draft): AlertRuleInput {
  const { ofCalls } = ALERT_WORDS[rest.kind];
  return {
    ...rest,
    name: rest.name.trim() || "Preview",
    threshold: Number(threshold),
    minCalls: ofCalls ? Number(minCalls) : 10,
    tool: scope === "tool" ? subject : null,
    server: scope === "server" ? subject : null,
    each: ALERT_SUBJECTS.find((each) => scope === `each-${each}`) ?? null,
  };
}

/** The settings of an alert rule, with what it would have done in the last days. */
export interface RuleDialogProps {
  rule: AlertRule | null;
  /** The tool that a new rule is about. */
  tool?: string | undefined;
  onClose: () => void;
}

const toNew = (tool: string | undefined): Draft =>
  tool === undefined ? NEW : { ...NEW, name: `${tool} fails`.slice(0, 80), scope: "tool", subject: tool };

export function RuleDialog({ rule, tool, onClose }: RuleDialogProps) {
  const trpc = useTRPC();
  const [draft, setDraft] = useState<Draft>(() => (rule === null ? toNew(tool) : toDraft(rule)));
  const [isChecked, setIsChecked] = useState(false);
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part });
  const saved = { stale: [trpc.alerts.pathKey()], done: () => "Alert rule saved", onDone: onClose };
  const creating = useAction(trpc.alerts.createRule.mutationOptions(), saved);
  const saving = useAction(trpc.alerts.updateRule.mutationOptions(), saved);
  const problems = findProblems(draft);
  const { name: _name, ...ofPreview } = problems;
  const listProblems = (field: keyof Draft): string[] => (isChecked && problems[field] ? [problems[field]] : []);
  const { measure, unit } = ALERT_WORDS[draft.kind];
  const save = (): void => {
    setIsChecked(true);
    if (Object.keys(problems).length > 0) return;
    if (rule === null) creating.mutate({ rule: toInput(draft) });
    else saving.mutate({ id: rule.id, rule: toInput(draft) });
  };
  const chooseKind = (kind: AlertKind): void =>
    change({
      kind,
      threshold: String(ALERT_WORDS[kind].threshold),
      ...(!listScopes(kind).some(([scope]) => scope === draft.scope) && { scope: "all", subject: "" }),
    });
  return (
    <FormDialog
      needs="edit"
      size="lg"
      title={rule === null ? "Add alert rule" : "Edit alert rule"}
      submitLabel={rule === null ? "Add" : "Save"}
      pending={creating.isPending || saving.isPending}
      problem={creating.problem ?? saving.problem}
      onSubmit={save}
      onClose={onClose}
    >
      <DraftField
        label="Name"
        field="name"
        required
        maxLength={80}
        value={draft.name}
        problems={listProblems("name")}
        onChange={(name) => change({ name })}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <Choice label="Alert on">
          {(id) => (
            <NativeSelect
              id={id}
              value={draft.kind}
              options={ALERT_KINDS.map((kind) => [kind, ALERT_WORDS[kind].label] as const)}
              onChange={({ target }) => chooseKind(target.value as AlertKind)}
            />
          )}
        </Choice>
        <DraftField
          label={unit === "" ? measure : `${measure} (${unit})`}
          field="threshold"
          required
          inputMode="decimal"
          value={draft.threshold}
          problems={listProblems("threshold")}
          onChange={(threshold) => change({ threshold })}
        />
        <ScopeFields draft={draft} problems={listProblems("subject")} onChange={change} />
        {ALERT_WORDS[draft.kind].ofCalls && (
          <WindowFields draft={draft} problems={listProblems("minCalls")} onChange={change} />
        )}
        <Choice label="Notify in the console">
          {(id) => (
            <NativeSelect
              id={id}
              value={draft.notify}
              options={ROLES.map(
                (role) => [role, role === "viewer" ? "Everyone" : `Role ${describeRoles(role)}`] as const,
              )}
              onChange={({ target }) => change({ notify: target.value as Role })}
            />
          )}
        </Choice>
      </div>
      <label className="flex items-center gap-1.5">
        <Checkbox checked={draft.webhooks} onChange={(webhooks) => change({ webhooks })} />
        Send to webhooks with the events <code className="font-mono text-xs">alert.fired</code> and{" "}
        <code className="font-mono text-xs">alert.resolved</code>
      </label>
      {Object.keys(ofPreview).length === 0 && <RulePreview rule={toInput(draft)} />}
    </FormDialog>
  );
}

function Choice({ label, children }: { label: string; children: (id: string) => ReactNode }) {
  const id = useId();
  return (
    <FormField id={id} label={label}>
      {children(id)}
    </FormField>
  );
}

interface PartProps {
  draft: Draft;
  problems: readonly string[];
  onChange: (part: Partial<Draft>) => void;
}

function WindowFields({ draft: { windowMinutes, minCalls }, problems, onChange }: PartProps) {
  const windows = [...new Set([...WINDOWS, windowMinutes])];
  return (
    <>
      <Choice label="Calls of the last">
        {(id) => (
          <NativeSelect
            id={id}
            value={windowMinutes}
            options={windows.map((each) => [each, describeWindow(each)] as const)}
            onChange={({ target }) => onChange({ windowMinutes: Number(target.value) })}
          />
        )}
      </Choice>
      <DraftField
        label="Minimum calls"
        field="minCalls"
        required
        inputMode="numeric"
        value={minCalls}
        problems={problems}
        onChange={(text) => onChange({ minCalls: text })}
      />
    </>
  );
}

function listScopes(kind: AlertKind): (readonly [Scope, string])[] {
  const { ofTool, ofCalls } = ALERT_WORDS[kind];
  return [
    ["all", ofCalls ? "All calls together" : ofTool ? "All calls" : "All servers"],
    ...(ofCalls ? ALERT_SUBJECTS.map((each) => [`each-${each}`, EACH_LABELS[`each-${each}`]] as const) : []),
    ["server", "One server"],
    ...(ofTool ? [["tool", "One tool"] as const] : []),
  ];
}

function ScopeFields({ draft: { kind, scope, subject }, problems, onChange }: PartProps) {
  const trpc = useTRPC();
  const id = useId();
  const tools = useQuery({ ...trpc.tools.list.queryOptions(), enabled: scope === "tool" });
  const servers = useQuery({ ...trpc.servers.list.queryOptions(), enabled: scope === "server" });
  const names = (scope === "tool" ? tools : servers).data?.items.map(({ name }) => name) ?? [];
  return (
    <>
      <Choice label="Applies to">
        {(choiceId) => (
          <NativeSelect
            id={choiceId}
            value={scope}
            options={listScopes(kind)}
            onChange={({ target }) => onChange({ scope: target.value as Scope, subject: "" })}
          />
        )}
      </Choice>
      {isNamed(scope) && (
        <FormField id={id} label={scope === "tool" ? "Tool" : "Server"} required problems={problems}>
          <NativeSelect
            id={id}
            invalid={problems.length > 0}
            value={subject}
            onChange={({ target }) => onChange({ subject: target.value })}
          >
            <option value="">Choose…</option>
            {[...new Set([...names, ...(subject === "" ? [] : [subject])])].map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </NativeSelect>
        </FormField>
      )}
    </>
  );
}
