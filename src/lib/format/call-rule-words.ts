import { describeApprovers, findApproverRule } from "../contract/approver";
import type { RuleEffect } from "../contract/call-rule";
import { describeLimit, describePrice } from "./rule-limit-words";

/** `https://fraud.example`: the path and the query of an address may be long. */
export const describeReceiver = (url: string): string => (URL.canParse(url) ? new URL(url).origin : url);

/** `ask an admin`: what a rule does, in a table and in the middle of a sentence. */
export function describeEffect(effect: RuleEffect): string {
  if (effect.kind === "limit") return `${effect.action} beyond ${describeLimit(effect)}`;
  if (effect.kind === "price") return `price ${describePrice(effect.price)}`;
  if (effect.kind === "hook") return `hook ${describeReceiver(effect.url)}`;
  if (effect.kind === "route") return `route to ${effect.tool}`;
  if (effect.kind !== "ask") return effect.kind;
  const rule = findApproverRule(effect.approver);
  return rule === null ? "ask" : `ask ${describeApprovers(rule, null)}`;
}
