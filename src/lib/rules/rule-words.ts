import type { ApprovalMode } from "../contract/approval";
import type { CallRuleInput, ResultEffect, RuleEffect } from "../contract/call-rule";
import type { ResultPreset, RuledKind, RuleEffectKind, RuleOutcome, RuleState } from "../contract/call-rule-words";
import type { LimitEffect } from "../contract/rule-limit";
import { describeReceiver } from "../format/call-rule-words";
import { describeLimit, describePrice } from "../format/rule-limit-words";
import { describeField } from "./condition-field";
import { type ConditionRow, type Literal, OPERATOR_LABELS } from "./condition-form";
import { readCondition } from "./condition-text";

export const EFFECT_LABELS: Readonly<Record<RuleEffectKind, string>> = {
  ask: "Ask",
  deny: "Deny",
  allow: "Allow",
  limit: "Limit",
  price: "Price",
  redact: "Redact",
  block: "Block",
  hook: "Hook",
  route: "Route",
};

export const KIND_LABELS: Readonly<Record<RuledKind, string>> = {
  tool: "Tools",
  resource: "Resources",
  prompt: "Prompts",
  agent: "Toolroom's own tools",
};

export const PRESET_LABELS: Readonly<Record<ResultPreset, string>> = {
  email: "Email addresses",
  card: "Card numbers",
  iban: "Bank accounts (IBAN)",
  api_key: "API keys",
};

export const STATE_LABELS: Readonly<Record<RuleState, string>> = {
  on: "On",
  record: "Record only",
  off: "Off",
};

/** What becomes of a call. `none`: no rule decides, the settings of tools and servers do. */
export const OUTCOME_LABELS: Readonly<Record<RuleOutcome, string>> = {
  allow: "Allowed",
  deny: "Denied",
  ask: "Asked",
  none: "No rule",
  unknown: "Cannot tell",
};

const ASKING: Readonly<Record<ApprovalMode, string>> = {
  always: "Asks",
  never: "Allows without approval",
  editor: "Asks an editor",
  admin: "Asks an admin",
  other: "Asks another user",
  other_editor: "Asks another editor",
  other_admin: "Asks another admin",
};

/** Describes an approval setting: `Asks an editor`. */
export const describeAsking = (mode: ApprovalMode): string => ASKING[mode];

function describeEffect(effect: RuleEffect): string {
  switch (effect.kind) {
    case "deny":
      return "Denies";
    case "limit":
      return `${describeLimitAction(effect)} beyond ${describeLimit(effect)}`;
    case "price":
      return `Prices ${describePrice(effect.price)}`;
    case "redact":
      return `Redacts ${describeSearch(effect) ?? "nothing"}`;
    case "block": {
      const found = describeSearch(effect);
      return found === null ? "Blocks the result" : `Blocks results with ${found}`;
    }
    case "hook":
      return `Asks ${describeReceiver(effect.url)}`;
    case "route":
      return `Runs ${effect.tool}`;
    default:
      return describeAsking(effect.kind === "allow" ? "never" : effect.approver);
  }
}

function describeLimitAction({ action, approver }: LimitEffect): string {
  if (action === "ask") return describeAsking(approver);
  return action === "deny" ? "Denies" : "Waits";
}

/** `email addresses, items[*].phone and 2 patterns`; null where nothing is looked for. */
function describeSearch(effect: ResultEffect): string | null {
  const paths = effect.kind === "redact" ? effect.paths : [];
  const patterns = effect.patterns.length;
  const words = [
    ...effect.presets.map((preset) => PRESET_WORDS[preset]),
    ...paths.map((path) => path.replace(/^result\./, "")),
    ...(patterns > 0 ? [patterns === 1 ? "a pattern" : `${patterns} patterns`] : []),
  ];
  return words.length === 0 ? null : listWords(words, { join: "and" });
}

const PRESET_WORDS: Readonly<Record<ResultPreset, string>> = {
  email: "email addresses",
  card: "card numbers",
  iban: "bank accounts",
  api_key: "API keys",
};

const NO_NAMES: ReadonlyMap<string, string> = new Map();

/**
 * `Asks an editor when pay_* is called by nightly-agent with amount > 500`.
 * @param names of users, by their id
 */
export function describeRule(
  rule: Pick<CallRuleInput, "scope" | "caller" | "condition" | "effect">,
  names: ReadonlyMap<string, string> = NO_NAMES,
): string {
  const { scope, caller, condition, effect } = rule;
  const { tools, servers, toolsets, tags, kinds } = scope;
  const callers = [
    ...caller.users.map((user) => names.get(user) ?? user),
    ...caller.roles.map((role) => `role ${role}`),
    ...caller.tokens.map((token) => `token ${token}`),
  ];
  return [
    describeEffect(effect),
    "when",
    tools.length > 0 ? listWords(tools) : kinds.length > 0 ? listKinds(kinds) : "any tool",
    tools.length > 0 && kinds.length > 0 && `(${listWords(kinds.map((kind) => KIND_WORDS[kind]))})`,
    tags.length > 0 && `tagged ${listWords(tags)}`,
    servers.length > 0 && `of ${listWords(servers)}`,
    kinds.some((kind) => kind === "resource" || kind === "prompt") ? "is used" : "is called",
    toolsets.length > 0 && `through ${listWords(toolsets)}`,
    callers.length > 0 && `by ${listWords(callers)}`,
    caller.clients.length > 0 && `from ${listWords(caller.clients)}`,
    caller.sources.length > 0 && `(${listWords(caller.sources)})`,
    describeCondition(condition),
  ]
    .filter(Boolean)
    .join(" ");
}

const KIND_WORDS: Readonly<Record<RuledKind, string>> = {
  tool: "tool",
  resource: "resource",
  prompt: "prompt",
  agent: "tool of Toolroom",
};

const listKinds = (kinds: readonly RuledKind[]): string => `any ${listWords(kinds.map((kind) => KIND_WORDS[kind]))}`;

const MAX_CONDITION_WORDS = 120;

/** `with amount > 500 and currency is one of EUR, USD`; empty for no condition. */
function describeCondition(condition: string): string {
  if (condition.trim() === "") return "";
  return `${readCondition(condition) === null ? "where" : "with"} ${describeConditionText(condition)}`;
}

/** `amount > 500 and currency is one of EUR, USD`. */
export function describeConditionText(condition: string): string {
  const text = condition.trim();
  if (text === "") return "every call";
  const form = readCondition(text);
  return form === null ? cut(text, MAX_CONDITION_WORDS) : form.rows.map(describeRow).join(` ${form.join} `);
}

function describeRow({ field, operator, values }: ConditionRow): string {
  return [describeField(field), OPERATOR_LABELS[operator], values.map(describeLiteral).join(", ")]
    .filter(Boolean)
    .join(" ");
}

/** Text is quoted where it would be read as another kind of value. */
function describeLiteral({ kind, text }: Literal): string {
  if (kind === "null") return "null";
  return kind === "text" && !/^[A-Za-z_][\w.@/-]*$/.test(text) ? JSON.stringify(text) : text;
}

/** `a, b or c`; of many the first three. */
export function listWords(
  words: readonly string[],
  { count = words.length, join = "or" }: { count?: number; join?: "or" | "and" } = {},
): string {
  const shown = count > 4 ? [...words.slice(0, 3), `${count - 3} more`] : words;
  return shown.length > 1 ? `${shown.slice(0, -1).join(", ")} ${join} ${shown.at(-1)}` : (shown[0] ?? "");
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
