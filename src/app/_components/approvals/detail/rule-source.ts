import type { RuleSource } from "@/app/_components/rules/summary/make-rule-items";
import type { ApprovalItem } from "@/lib/contract/approval";

/** The call of an approval, for a rule that is made from it. */
export const toRuleSource = ({ executionId, argumentsText, actor }: ApprovalItem): RuleSource => ({
  executionId,
  argumentsText,
  callerName: actor.name,
  wasAsked: true,
});
