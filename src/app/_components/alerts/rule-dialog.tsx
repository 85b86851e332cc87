import { useQuery } from "@tanstack/react-query";
import { useSuggestedTools } from "@/app/_components/tools/summary/use-suggested-tools";
import { checkDraft, writeInput } from "@/app/_kit/form/draft-input";
import { EditDialog } from "@/app/_kit/form/edit-dialog";
import { Field } from "@/app/_kit/form/field";
import {
  type Choice,
  custom,
  type DraftOf,
  defineForm,
  flag,
  number,
  optional,
  select,
  text,
} from "@/app/_kit/form/fields";
import type { FormState } from "@/app/_kit/form/use-form";
import { client, trpc } from "@/app/_trpc/client";
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

/** `each-tool` and similar scopes evaluate the calls of each tool separately. */
type Scope = "all" | "tool" | "server" | `each-${AlertSubject}`;

const EACH_LABELS: Record<AlertSubject, string> = {
  tool: "Each tool",
  server: "Each server",
  client: "Each client",
};

function listScopes(kind: AlertKind): (Choice & { value: Scope })[] {
  const { ofTool, ofCalls } = ALERT_WORDS[kind];
  if (kind === "limit_usage") return [{ value: "all", label: "All limits" }];
  return [
    { value: "all", label: ofCalls ? "All calls together" : ofTool ? "All calls" : "All servers" },
    ...(ofCalls ? ALERT_SUBJECTS.map((each) => ({ value: `each-${each}` as const, label: EACH_LABELS[each] })) : []),
    { value: "server", label: "One server" },
    ...(ofTool ? [{ value: "tool", label: "One tool" } as const] : []),
  ];
}

function toScope({ tool, server, each }: AlertRule): Scope {
  if (each !== null) return `each-${each}`;
  if (tool !== null) return "tool";
  return server === null ? "all" : "server";
}

const subject = (scope: "tool" | "server") => ({
  required: true,
  when: ({ each }: { each?: unknown }) => each === scope,
  check: (name: string) => (name.trim() === "" ? [`Choose a ${scope}`] : []),
});

const ofCalls = { when: ({ kind }: { kind?: unknown }) => ALERT_WORDS[kind as AlertKind].ofCalls };

/** The field of `each` has the scope, from which the fields of one tool or server follow. */
const RULE_FORM = defineForm<AlertRuleInput>()({
  name: text("Name", {
    required: true,
    maxLength: 80,
    check: (typed) => (typed.trim() === "" ? ["Enter a name"] : []),
  }),
  kind: select<AlertKind>(
    "Alert on",
    "failure_rate",
    ALERT_KINDS.map((kind) => ({ value: kind, label: ALERT_WORDS[kind].label })),
  ),
  threshold: number("Threshold", {
    required: true,
    inputMode: "decimal",
    write: Number,
    check: (typed, { kind }) => {
      const isPercent = ALERT_WORDS[kind as AlertKind].unit === "%";
      if (Number(typed) > 0 && !(isPercent && Number(typed) >= 100)) return [];
      return [isPercent ? "Enter a number above 0 and below 100" : "Enter a number above 0"];
    },
  }),
  each: select<Scope>("Applies to", "all", [], {
    write: (scope) => ALERT_SUBJECTS.find((each) => scope === `each-${each}`) ?? null,
  }),
  tool: text("Tool", {
    ...subject("tool"),
    mono: true,
    placeholder: "Name of a tool",
    write: (typed) => typed.trim() || null,
  }),
  server: optional("Server", "Choose…", [], subject("server")),
  windowMinutes: select<string>("Calls of the last", "15", [], { ...ofCalls, read: String, write: Number }),
  minCalls: number("Minimum calls", {
    ...ofCalls,
    required: true,
    check: (typed) => (/^\s*[1-9]\d*\s*$/.test(typed) ? [] : ["Enter a whole number above 0"]),
  }),
  notify: select<Role>(
    "Notify in the console",
    "viewer",
    ROLES.map((role) => ({ value: role, label: role === "viewer" ? "Everyone" : `Role ${describeRoles(role)}` })),
  ),
  webhooks: flag("Send to webhooks with the events alert.fired and alert.resolved", { empty: true }),
  enabled: custom("Enabled", true),
});

/** The settings of an alert rule, and the alerts that it would have fired in the last days. */
interface RuleDialogProps {
  rule: AlertRule | null;
  /** The tool of a new rule. */
  tool?: string | undefined;
  onClose: () => void;
}

function toInitial(rule: AlertRule | null, tool: string | undefined): object {
  if (rule !== null) return { ...rule, each: toScope(rule) };
  const limits = { threshold: ALERT_WORDS.failure_rate.threshold, minCalls: 10 };
  return tool === undefined ? limits : { ...limits, name: `${tool} fails`.slice(0, 80), each: "tool", tool };
}

export function RuleDialog({ rule, tool, onClose }: RuleDialogProps) {
  return (
    <EditDialog
      needs="edit"
      size="lg"
      title={rule === null ? "Add alert rule" : "Edit alert rule"}
      submitLabel={rule === null ? "Add" : "Save"}
      table={RULE_FORM}
      initial={toInitial(rule, tool)}
      root="rule"
      save={(input) =>
        rule === null
          ? client.alerts.createRule.mutate({ rule: input })
          : client.alerts.updateRule.mutate({ id: rule.id, rule: input })
      }
      stale={[trpc.alerts]}
      done="Alert rule saved"
      onClose={onClose}
    >
      {(form) => <RuleFields form={form} />}
    </EditDialog>
  );
}

function RuleFields({ form }: { form: FormState<DraftOf<(typeof RULE_FORM)["fields"]>> }) {
  const { draft, change } = form;
  const tools = useSuggestedTools(draft.tool, { enabled: draft.each === "tool" }).map(({ name }) => name);
  const servers = useQuery({ ...trpc.servers.names.queryOptions(), enabled: draft.each === "server" });
  const { measure, unit } = ALERT_WORDS[draft.kind];
  const isUnknown = draft.each === "tool" && !tools.includes(draft.tool.trim());
  const isReady = !isUnknown && checkDraft(RULE_FORM, draft).every(({ path }) => path === "name");
  function changeKind({ kind = draft.kind }: Partial<typeof draft>) {
    const isOffered = listScopes(kind).some(({ value }) => value === draft.each);
    change({ kind, threshold: String(ALERT_WORDS[kind].threshold), ...(!isOffered && { each: "all" }) });
  }
  return (
    <>
      <Field form={form} at="name" />
      <div className="grid gap-4 sm:grid-cols-2">
        <Field form={{ ...form, change: changeKind }} at="kind" />
        <Field form={form} at="threshold" label={unit === "" ? measure : `${measure} (${unit})`} />
        <Field form={form} at="each" options={listScopes(draft.kind)} />
        <Field form={form} at="tool" proposals={tools} />
        <Field form={form} at="server" options={toChoices(draft.server, servers.data)} />
        <Field
          form={form}
          at="windowMinutes"
          options={[...new Set([...WINDOWS, Number(draft.windowMinutes)])].map((minutes) => ({
            value: String(minutes),
            label: describeWindow(minutes),
          }))}
        />
        <Field form={form} at="minCalls" />
        <Field form={form} at="notify" />
      </div>
      <Field form={form} at="webhooks" />
      {isReady && <RulePreview rule={{ ...writeInput(RULE_FORM, draft), name: draft.name.trim() || "Preview" }} />}
    </>
  );
}

/** @param chosen may be gone */
function toChoices(chosen: string, names: readonly string[] = []): Choice[] {
  const known = new Set([...names, ...(chosen === "" ? [] : [chosen])]);
  return [{ value: "", label: "Choose…" }, ...[...known].map((name) => ({ value: name, label: name }))];
}
