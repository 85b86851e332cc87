"use client";

import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useState } from "react";
import { RULES_PATH } from "@/app/_components/rules/summary/rule-paths";
import { useCallerNames } from "@/app/_components/rules/summary/use-caller-names";
import { useSuggestedTools } from "@/app/_components/tools/summary/use-suggested-tools";
import { checkDraft, readInput, writeInput } from "@/app/_kit/form/draft-input";
import { Field } from "@/app/_kit/form/field";
import { FormPage } from "@/app/_kit/form/form-page";
import { type FormState, useForm } from "@/app/_kit/form/use-form";
import { useDraft } from "@/app/_kit/use-draft";
import { trpc } from "@/app/_trpc/client";
import { Alert } from "@/app/_ui/alert";
import { ButtonLink } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";
import { onDemand } from "@/app/_ui/on-demand";
import { PageHeader } from "@/app/_ui/page-header";
import type { CallRule, CallRuleInput, ConditionField } from "@/lib/contract/call-rule";
import { isResultEffect, type ResultEffectKind } from "@/lib/contract/call-rule-words";
import type { RuleProposals } from "@/lib/contract/rule-insight";
import { describeRule } from "@/lib/rules/rule-words";
import { ConditionEditor } from "./condition-editor";
import { EffectFields } from "./effect-fields";
import { NameList } from "./name-list";
import { PositionField } from "./position-field";
import { usePreviewCalls } from "./preview-calls";
import { RULE_FORM, type RuleDraft, toConditionDraft, toConditionText, toTested } from "./rule-fields";
import { RulePreviewPanel } from "./rule-preview";
import { permissionToSave, useSaveRule } from "./save-rule";
import { useConditionProblems, useRulePreview } from "./use-rule-preview";

const ChangedCases = onDemand(() => import("../cases/changed-cases"), "ChangedCases");
/** Loaded only for saved rules, which alone have results. */
const HookActions = onDemand(() => import("./hook-actions"), "HookActions");
const RuleResultsCard = onDemand(() => import("@/app/_components/rules/results/rule-results"), "RuleResultsCard");
/** Loaded only for rules made from a call, which alone have proposals. */
const ProposedConditions = onDemand(() => import("./proposed-conditions"), "ProposedConditions");

export function EditRule({ id }: { id: string }) {
  const { data: rules } = useSuspenseQuery(trpc.rules.list.queryOptions());
  const rule = rules.find((each) => each.id === id);
  if (rule === undefined) {
    return (
      <EmptyState heading="h1" title="Rule not found" next={{ href: RULES_PATH, text: "All rules" }}>
        It may have been deleted.
      </EmptyState>
    );
  }
  return <RuleEditor rule={rule} initial={rule} keptAs={`rule.form.edit.${id}`} />;
}

interface RuleEditorProps {
  /** Null for a new one. */
  rule: CallRule | null;
  initial: CallRuleInput;
  /** The name under which a tab keeps the draft. */
  keptAs?: string;
  /** The proposals from comparing a call with recorded ones. */
  proposals?: RuleProposals | null;
  /** Why the calls could not be compared. */
  failure?: string | null;
  /** The rule that decided the call: a new one is tried before it, or it would decide nothing. */
  before?: string | null;
}

/** A rule as a form: which calls, what becomes of them, and what it would have done. */
export function RuleEditor({ rule, initial, keptAs, proposals, failure, before }: RuleEditorProps) {
  const names = useCallerNames();
  const held = useDraft<RuleDraft>(() => readInput(RULE_FORM, initial), {
    toSaved: (draft) => writeInput(RULE_FORM, draft),
    ...(keptAs !== undefined && { keptAs }),
    base: rule === null ? "" : String(rule.lastEdit.revision),
  });
  const { draft } = held;
  const { data: rules } = useSuspenseQuery(trpc.rules.list.queryOptions());
  const decider = rules.find(({ id }) => id === before)?.position;
  const [position, setPosition] = useState(decider);
  const saving = useSaveRule({ rule, position, base: held.base, onSaved: () => held.settle(draft) });
  const form = useForm(RULE_FORM, { held, saving, root: "rule" });
  const input = writeInput(RULE_FORM, draft);
  const kind = draft["effect.kind"];
  const found = useConditionProblems(toConditionText(draft.condition), kind);
  const problems = checkDraft(RULE_FORM, draft);
  const isIncomplete = problems.some(({ path }) => path.startsWith("condition"));
  const calls = usePreviewCalls();
  const obstacle = isIncomplete
    ? "Complete the condition to see what the rule would have done."
    : found.length > 0
      ? "Correct the condition to see what the rule would have done."
      : problems.some(({ path }) => !UNREAD_FIELDS.has(path))
        ? "Correct the fields to see what the rule would have done."
        : calls.obstacle;
  const asked = {
    rule: input,
    ...(rule !== null && { id: rule.id }),
    ...(position !== undefined && { position }),
    ...calls.asked,
  };
  const shown = useRulePreview(obstacle === null ? asked : null);
  const title = rule === null ? "New rule" : rule.name;
  return (
    <div className="flex h-full flex-col">
      <PageHeader title={title} actions={<ButtonLink href={RULES_PATH}>All rules</ButtonLink>} />
      <FormPage
        form={form}
        label={title}
        needs={permissionToSave(rules, rule, input, position)}
        submitLabel={rule === null ? "Create rule" : "Save"}
        cancelPath={RULES_PATH}
        subject="rule"
        lastEdit={rule?.lastEdit}
        body={EDITOR_BODY}
        check={
          <div className="flex min-w-0 flex-col gap-4">
            {rule?.effect.kind === "hook" && <HookActions rule={rule} isDirty={held.dirty} />}
            {rule !== null && (
              <RuleResultsCard
                rule={rule}
                needs={permissionToSave(rules, rule, { ...rule, state: "on" })}
                isDirty={held.dirty}
              />
            )}
            <RulePreviewPanel
              shown={shown}
              effect={kind}
              calls={calls}
              obstacle={obstacle}
              earlier={countEarlier(rules, rule?.position ?? position)}
            />
            {obstacle === null && <ChangedCases rule={toTested(input)} id={rule?.id ?? null} />}
          </div>
        }
      >
        <p className="text-mute [overflow-wrap:anywhere]">{describeRule(input, names)}</p>
        <div className="grid gap-4 sm:grid-cols-2">
          <Field form={form} at="name" />
          <Field form={form} at="state" />
        </div>
        <ScopeFields form={form} />
        {failure != null && (
          <Alert tone="warn" title="Couldn't compare this call with the recorded ones">
            {failure}
          </Alert>
        )}
        {proposals != null && (
          <ProposedConditions
            found={proposals}
            current={toConditionText(draft.condition)}
            onChoose={(condition) => form.change({ condition: toConditionDraft(condition) })}
          />
        )}
        <ConditionFields form={form} found={found} />
        <EffectFields form={form} />
        {isResultEffect(kind) && <ResultFields form={form} kind={kind} />}
        {rule === null && rules.length > 0 && (
          <PositionField rules={rules} decider={decider} value={position} onChange={setPosition} />
        )}
      </FormPage>
    </div>
  );
}

/** Do not change which calls a rule matches: see `toPreviewed`. */
const UNREAD_FIELDS: ReadonlySet<string> = new Set(["name", "effect.reason", "effect.url"]);

/** Fields and preview side by side, the calls of which take room. */
const EDITOR_BODY =
  "grid grid-cols-[minmax(0,1fr)] content-start gap-4 p-4 xl:grid-cols-[minmax(0,44rem)_minmax(24rem,36rem)]";

const countEarlier = (rules: readonly CallRule[], position = Number.POSITIVE_INFINITY): number =>
  rules.filter((each) => each.state === "on" && each.position < position).length;

type RuleForm = FormState<RuleDraft>;
type NamesPath =
  | "scope.tools"
  | "scope.servers"
  | "scope.toolsets"
  | "scope.tags"
  | `caller.${"users" | "tokens" | "clients"}`
  | `effect.${"paths" | "patterns"}`;

interface NamesFieldProps {
  form: RuleForm;
  at: NamesPath;
  proposals?: readonly string[];
  labels?: ReadonlyMap<string, string>;
  placeholder?: string;
  commas?: boolean;
  onType?: (typed: string) => void;
}

const NO_NAMES: readonly string[] = [];

function NamesField({ form, at, proposals, labels, placeholder, commas = false, onType }: NamesFieldProps) {
  const { label, hint } = RULE_FORM.fields[at];
  return (
    <NameList
      label={label}
      field={at}
      hint={typeof hint === "string" ? hint : undefined}
      value={form.draft[at]}
      problems={form.findProblems(at)}
      onChange={(value) => form.change({ [at]: value })}
      commas={commas}
      {...(proposals && { proposals })}
      {...(labels && { labels })}
      {...(placeholder && { placeholder })}
      {...(onType && { onType })}
    />
  );
}

const RARE = ["scope.toolsets", "scope.tags", "caller.roles", "caller.tokens", "caller.sources"] as const;

/** The fields for scope and caller. A disclosure contains those that few rules need. */
function ScopeFields({ form }: { form: RuleForm }) {
  const [typedTool, setTypedTool] = useState("");
  const tools = useSuggestedTools(typedTool);
  const facets = useQuery(trpc.tools.facets.queryOptions());
  const servers = useQuery(trpc.servers.names.queryOptions());
  const toolsets = useQuery(trpc.toolsets.list.queryOptions());
  const callers = useCallerNames();
  const [isOpen] = useState(RARE.some((path) => form.draft[path].length > 0));
  return (
    <section aria-label="Calls" className="flex flex-col gap-3">
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <NamesField
          form={form}
          at="scope.tools"
          placeholder="any tool"
          proposals={tools.map(({ name }) => name)}
          onType={setTypedTool}
        />
        <NamesField
          form={form}
          at="caller.users"
          placeholder="any caller"
          proposals={[...callers.keys()]}
          labels={callers}
        />
        <NamesField form={form} at="scope.servers" placeholder="any server" proposals={servers.data ?? NO_NAMES} />
        <NamesField form={form} at="caller.clients" placeholder="any client" />
        <div className="sm:col-span-2">
          <Field form={form} at="scope.kinds" />
        </div>
      </div>
      <details open={isOpen} className="rounded-lg border border-line bg-panel">
        <summary className="rounded-lg px-3 py-2 font-medium">
          Narrow further <span className="font-normal text-mute text-xs">toolsets, tags, roles, tokens, sources</span>
        </summary>
        <div className="grid items-start gap-4 border-line border-t p-3 sm:grid-cols-2">
          <NamesField form={form} at="scope.toolsets" proposals={(toolsets.data ?? []).map(({ name }) => name)} />
          <NamesField form={form} at="scope.tags" proposals={facets.data?.tags ?? []} />
          <NamesField form={form} at="caller.tokens" />
          <Field form={form} at="caller.roles" />
          <Field form={form} at="caller.sources" />
        </div>
      </details>
    </section>
  );
}

/** The texts that the rule searches for in results. */
function ResultFields({ form, kind }: { form: RuleForm; kind: ResultEffectKind }) {
  return (
    <section aria-label="What to find in results" className="grid items-start gap-4 sm:grid-cols-2">
      <Field form={form} at="effect.presets" />
      {kind === "redact" && <NamesField form={form} at="effect.paths" placeholder="result.items[*].email" />}
      <NamesField form={form} at="effect.patterns" placeholder="INV-[0-9]{6}" commas />
      <p className="text-mute text-xs sm:col-span-2">
        {kind === "redact"
          ? "Models, clients and programs receive a marker that names this rule. The execution keeps the whole result."
          : "Models, clients and programs receive the reason. The execution keeps the result. Nothing to find: every result that meets the condition is blocked."}
      </p>
    </section>
  );
}

const RESULT_CONDITION_FIELDS: readonly ConditionField[] = [
  { path: "result.text", type: "string", values: [] },
  { path: "result.isError", type: "boolean", values: [] },
  { path: "result.structured", type: "object", values: [] },
];

function ConditionFields({ form, found }: { form: RuleForm; found: ReturnType<typeof useConditionProblems> }) {
  const { draft, change } = form;
  const tools = draft["scope.tools"];
  const fields = useQuery({
    ...trpc.rules.fields.queryOptions({ tools: [...tools] }),
    enabled: tools.length > 0,
    placeholderData: (before) => before,
  });
  return (
    <>
      <ConditionEditor
        draft={draft.condition}
        onChange={(condition) => change({ condition })}
        fields={[
          ...(tools.length > 0 ? (fields.data ?? []) : []),
          ...(isResultEffect(draft["effect.kind"]) ? RESULT_CONDITION_FIELDS : []),
        ]}
        found={found}
        attempted={form.attempted}
        problems={form.findProblems("condition")}
      />
      {toConditionText(draft.condition) !== "" && <Field form={form} at="fallback" />}
    </>
  );
}
