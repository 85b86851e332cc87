import { describeApprovers, findApproverRule } from "../contract/approver";
import type { ExplainedOutcome, ExplainedSettingName, RuleStep } from "../contract/call-rule-words";
import type { CallExplanation, ExplainedRule } from "../contract/rule-explanation";
import { formatDollars } from "./dollars";
import { formatAmount, formatUsed } from "./rule-limit-words";

export const STEP_LABELS: Readonly<Record<RuleStep, string>> = {
  match: "Matches",
  miss: "Does not match",
  unknown: "Cannot tell",
  out_of_scope: "Other calls",
  not_reached: "Not reached",
  result: "Depends on the result",
  off: "Off",
};

export const SETTING_LABELS: Readonly<Record<ExplainedSettingName, string>> = {
  toolset: "Toolset setting",
  person: "Tool setting",
  definition: "Tool definition",
  server: "Server policy",
  policy: "Installation policy",
};

const OUTCOMES: Readonly<Record<ExplainedOutcome, string>> = {
  runs: "Runs without approval",
  asks: "Asks",
  waits: "Waits for room",
  denied: "Denied",
  invalid: "Invalid arguments",
  held: "Does not run",
  unknown: "Cannot tell",
};

/** `Asks an admin, by rule Large refunds`: what would become of a call. */
export function describeExplanation({ outcome, by, approver }: CallExplanation): string {
  const rule = findApproverRule(approver);
  const whom = approver === null ? "" : rule === null ? "an operator, editor or admin" : describeApprovers(rule, null);
  const asks = outcome === "asks" ? `${OUTCOMES.asks} ${whom}` : OUTCOMES[outcome];
  const then = outcome === "waits" && approver !== null ? `, then asks ${whom}` : "";
  return `${asks}${by === null ? "" : `, by rule ${by}`}${then}`;
}

/** `3 of 10 calls, 7 left`, a price, that the condition cannot be evaluated: what is known of a rule beside its step. */
export function listRuleFacts({ limit, price, notEvaluated, recordOnly }: ExplainedRule): string[] {
  return [
    ...(recordOnly ? ["record only"] : []),
    ...(notEvaluated ? ["condition not evaluated"] : []),
    ...(limit === undefined
      ? []
      : [`${formatUsed(limit.measure, limit.used, limit.most)} used, ${formatAmount(limit.measure, limit.left)} left`]),
    ...(price === undefined ? [] : [price === null ? "price not known yet" : formatDollars(price)]),
  ];
}
