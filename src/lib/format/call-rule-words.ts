import { describeApprovers, findApproverRule } from "../contract/approver";
import type { RuleEffect } from "../contract/call-rule";
import { describeLimit, describePrice } from "./rule-limit-words";

/** `ask an admin`: what a rule does, in a table and in the middle of a sentence. */
export function describeEffect(effect: RuleEffect): string {
  if (effect.kind === "limit") return `${effect.action} beyond ${describeLimit(effect)}`;
  if (effect.kind === "price") return `price ${describePrice(effect.price)}`;
  if (effect.kind !== "ask") return effect.kind;
  const rule = findApproverRule(effect.approver);
  return rule === null ? "ask" : `ask ${describeApprovers(rule, null)}`;
}
