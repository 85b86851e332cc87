import { SOURCE_LABELS, SOURCES } from "@/app/_components/executions/summary/execution-labels";
import { choice, choices, custom, type DraftOf, defineForm, flag, number, select, text } from "@/app/_kit/form/fields";
import { ROLES, type Role } from "@/lib/contract/access";
import type { ApprovalMode } from "@/lib/contract/approval";
import type { CallRuleInput } from "@/lib/contract/call-rule";
import {
  type HookArguments,
  type HookFailureAction,
  LIMIT_KEYS,
  type LimitAction,
  type LimitKey,
  type LimitMeasure,
  MAX_CONDITION_CHARS,
  MAX_HOOK_URL_CHARS,
  MAX_LIMIT_MINUTES,
  MAX_PRICE_CHARS,
  RESULT_PRESETS,
  type ResultPreset,
  RULED_KINDS,
  type RuledKind,
  type RuleEffectKind,
  type RuleFallback,
  type RuleState,
} from "@/lib/contract/call-rule-words";
import type { ExecutionSource } from "@/lib/contract/envelope";
import { describeWindow, LIMIT_KEY_LABELS, parseWindow } from "@/lib/format/rule-limit-words";
import { type ConditionForm, EMPTY_CONDITION, findRowProblem } from "@/lib/rules/condition-form";
import { readCondition, writeCondition } from "@/lib/rules/condition-text";
import { readResultPath } from "@/lib/rules/result-path";
import { EFFECT_LABELS, KIND_LABELS, PRESET_LABELS, STATE_LABELS } from "@/lib/rules/rule-words";

/** A condition while it is written: as rows, or as text. */
export type ConditionDraft = { mode: "builder"; form: ConditionForm } | { mode: "text"; text: string };

export function toConditionDraft(text: string): ConditionDraft {
  const form = readCondition(text);
  return form === null ? { mode: "text", text } : { mode: "builder", form };
}

/** The CEL text of the draft; rows that are not complete are left out. */
export const toConditionText = (draft: ConditionDraft): string =>
  draft.mode === "text" ? draft.text.trim() : writeCondition(draft.form);

function checkCondition(draft: ConditionDraft) {
  const length = toConditionText(draft).length;
  if (length > MAX_CONDITION_CHARS) return [`has ${length} characters, ${MAX_CONDITION_CHARS} are the most`];
  if (draft.mode === "text") return [];
  return draft.form.rows.flatMap((row, at) => {
    const problem = findRowProblem(row);
    return problem === null ? [] : [{ path: `rows[${at}].${problem.part}`, message: problem.message }];
  });
}

const checkPaths = (paths: readonly string[]): string[] =>
  paths
    .filter((path) => readResultPath(path) === null)
    .map((path) => `${path} is no path: begin with result, such as result.items[*].email`);

const names = (label: string, hint?: string) =>
  custom<readonly string[]>(label, [], hint === undefined ? {} : { hint });

const isKind =
  (...kinds: readonly RuleEffectKind[]) =>
  (draft: Readonly<Record<string, unknown>>): boolean =>
    kinds.some((kind) => draft["effect.kind"] === kind);

const isLimit =
  (action: LimitAction) =>
  (draft: Readonly<Record<string, unknown>>): boolean =>
    isKind("limit")(draft) && draft["effect.action"] === action;

const isAmount = (typed: string): boolean => /^\s*\d{1,12}(\.\d{1,6})?\s*$/.test(typed);

const toChoices = <Value extends string>(labels: Readonly<Record<Value, string>>, values: readonly Value[]) =>
  values.map((value) => ({ value, label: labels[value] }));

const APPROVER_LABELS: Readonly<Record<Exclude<ApprovalMode, "never">, string>> = {
  always: "Any operator, editor or admin",
  editor: "An editor or admin",
  admin: "An admin",
  other: "Anyone but the requester",
  other_editor: "An editor or admin, not the requester",
  other_admin: "An admin, not the requester",
};

export const RULE_FORM = defineForm<CallRuleInput>()({
  name: text("Name", {
    required: true,
    maxLength: 80,
    placeholder: "Large payments",
    check: (typed) => (typed.trim() === "" ? ["Enter a name"] : []),
  }),
  state: choice<RuleState>("State", "on", STATE_LABELS, {
    about: {
      on: "Applies to the calls that it matches.",
      record: "Executions say what it would have done. Calls go on without it.",
      off: "Is not evaluated.",
    },
  }),
  "scope.tools": names("Tools", "Names, or patterns such as pay_*. None: any tool."),
  "scope.servers": names("Servers"),
  "scope.toolsets": names("Toolsets", "Through which the call came."),
  "scope.tags": names("Tags of the tool"),
  "scope.kinds": choices<RuledKind>("Kinds", [], toChoices(KIND_LABELS, RULED_KINDS), {
    hint: "None: all of them. A route applies to tools alone.",
    check: (kinds, draft) =>
      isKind("route")(draft) && kinds.some((kind) => kind !== "tool")
        ? ["Choose Tools alone, or none: nothing else can be routed"]
        : [],
  }),
  "caller.users": names(
    "Users",
    "None: any caller. A rule that allows finds users by their id alone, since they choose their names.",
  ),
  "caller.roles": choices<Role>(
    "Roles",
    [],
    ROLES.map((role) => ({ value: role, label: role })),
  ),
  "caller.tokens": names("API tokens", "By their id."),
  "caller.clients": names("Clients", "Programs without their version: claude-*. A program names itself."),
  "caller.sources": choices<ExecutionSource>("Sources", [], toChoices(SOURCE_LABELS, SOURCES)),
  condition: custom<ConditionDraft>(
    "Condition",
    { mode: "builder", form: EMPTY_CONDITION },
    {
      read: (stored) => toConditionDraft(String(stored)),
      write: toConditionText,
      check: checkCondition,
    },
  ),
  fallback: select<RuleFallback>(
    "When the condition cannot be evaluated",
    "skip",
    { skip: "The rule does not match", match: "The rule matches" },
    { hint: "Because a field is missing, for example." },
  ),
  "effect.kind": select<RuleEffectKind>("Then", "ask", EFFECT_LABELS),
  "effect.reason": text("Reason", {
    required: true,
    maxLength: 500,
    rows: 2,
    hint: "The caller and its model receive this message.",
    when: isKind("deny", "block"),
    check: (typed) => (typed.trim() === "" ? ["Enter a reason"] : []),
  }),
  "effect.approver": select<Exclude<ApprovalMode, "never">>("Approver", "always", APPROVER_LABELS, {
    when: (draft) => isKind("ask")(draft) || isLimit("ask")(draft),
  }),
  "effect.most": text("At most", {
    required: true,
    mono: true,
    short: true,
    inputMode: "decimal",
    when: isKind("limit"),
    write: (typed) => (isAmount(typed) ? Number(typed) : typed.trim()),
    check: (typed) => (isAmount(typed) && Number(typed) > 0 ? [] : ["Enter a number above 0"]),
  }),
  "effect.measure": select<LimitMeasure>(
    "Of",
    "calls",
    { calls: "calls", bytes: "bytes of arguments and result", money: "US dollars, by prices of rules" },
    { when: isKind("limit") },
  ),
  "effect.minutes": text("In", {
    required: true,
    placeholder: "1 hour",
    proposals: ["1 minute", "1 hour", "1 day", "7 days", "31 days"],
    hint: "The window slides. Another window, measure or key starts at 0.",
    when: isKind("limit"),
    read: (stored) => describeWindow(Number(stored)),
    write: (typed) => parseWindow(typed) ?? typed.trim(),
    check(typed) {
      const minutes = parseWindow(typed);
      const isValid = minutes !== null && minutes >= 1 && minutes <= MAX_LIMIT_MINUTES;
      return isValid ? [] : ["Enter 1 minute to 31 days, such as 90 minutes"];
    },
  }),
  "effect.per": choices<LimitKey>("Counted per", [], toChoices(LIMIT_KEY_LABELS, LIMIT_KEYS), {
    hint: "None: all calls together. A client names itself.",
    when: isKind("limit"),
  }),
  "effect.models": flag("Count what models cost too", {
    hint: "Runs by the same user, or the run: at the limit their model is not asked again. The rule then has no scope, token, client or condition.",
    when: (draft) => isKind("limit")(draft) && draft["effect.measure"] === "money",
  }),
  "effect.action": choice<LimitAction>(
    "Without room",
    "deny",
    { deny: "Deny", ask: "Ask", wait: "Wait" },
    {
      about: {
        deny: "The caller learns when there is room again. Denied calls are not counted.",
        ask: "A user decides. Approved calls are counted, rejected ones are not.",
        wait: "Calls run in their order as soon as there is room.",
      },
      when: isKind("limit"),
    },
  ),
  "effect.waitSeconds": number("Wait at most (s)", {
    required: true,
    short: true,
    hint: "Never longer than the call's timeout. Then it is denied.",
    read: (stored) => String(stored ?? 60),
    when: isLimit("wait"),
  }),
  "effect.price": text("Price of a call (US dollars)", {
    required: true,
    mono: true,
    maxLength: MAX_PRICE_CHARS,
    placeholder: "0.02",
    hint: "A figure, or CEL: result.structured.tokens * 0.00001. Prices of several rules add up. A price that cannot be evaluated is shown as unknown.",
    when: isKind("price"),
    check: (typed) => (typed.trim() === "" ? ["Enter a price"] : []),
  }),
  "effect.url": text("Address", {
    required: true,
    mono: true,
    inputMode: "url",
    maxLength: MAX_HOOK_URL_CHARS,
    placeholder: "https://fraud.example/toolroom",
    hint: 'Asked by POST, signed (Standard Webhooks), and answers {"decision": "allow"}, "deny" or "ask" within 2 s. Everyone who reads rules sees it.',
    when: isKind("hook"),
    check: (typed) => (typed.trim() === "" ? ["Enter an address"] : []),
  }),
  "effect.arguments": choice<HookArguments>(
    "Arguments",
    "masked",
    { none: "None", masked: "Masked", whole: "Whole" },
    {
      about: {
        none: "Only the tool and the caller are sent.",
        masked: "Sensitive values are masked, as in executions.",
        whole: "Sensitive values are sent too.",
      },
      when: isKind("hook"),
    },
  ),
  "effect.onFailure": choice<HookFailureAction>(
    "When the hook fails",
    "deny",
    { deny: "Deny", allow: "Let run" },
    {
      about: {
        deny: "Calls are denied while it gives no decision.",
        allow: "Calls go on as if there were no hook.",
      },
      when: isKind("hook"),
    },
  ),
  "effect.tool": text("Run this tool", {
    required: true,
    mono: true,
    maxLength: 200,
    placeholder: "pay_mock",
    hint: "With the same arguments. Approval settings and rules of both tools apply.",
    when: isKind("route"),
    check: (typed) => (typed.trim() === "" ? ["Enter a tool"] : []),
  }),
  "effect.presets": choices<ResultPreset>("Find", [], toChoices(PRESET_LABELS, RESULT_PRESETS), {
    when: isKind("redact", "block"),
  }),
  "effect.paths": custom<readonly string[]>("Paths", [], {
    hint: "Values in the result's data, such as result.items[*].email.",
    when: isKind("redact"),
    check: checkPaths,
  }),
  "effect.patterns": custom<readonly string[]>("Patterns", [], {
    hint: "Texts that match, in the syntax of RE2. Enter adds a pattern.",
    when: isKind("redact", "block"),
  }),
});
export type RuleDraft = DraftOf<typeof RULE_FORM.fields>;

/** The rule as a preview reads it: name, state, reason and address do not change which calls it matches. */
export function toPreviewed(rule: CallRuleInput): CallRuleInput {
  const { effect } = rule;
  const isReasoned = effect.kind === "deny" || effect.kind === "block";
  const isHook = effect.kind === "hook";
  const previewed = isReasoned
    ? { ...effect, reason: "Preview" }
    : isHook
      ? { ...effect, url: "https://preview.invalid" }
      : effect;
  return { ...rule, name: "Preview", state: "on", effect: previewed };
}

/** The rule as cases are tested with it: with its state, and under its name, which cases may expect. */
export const toTested = (rule: CallRuleInput): CallRuleInput => {
  const { name, state } = rule;
  return { ...toPreviewed(rule), state, name: name.trim() || "This rule" };
};
