import { isResultEffect } from "../contract/call-rule-words";
import type { ExecutionDetail } from "../contract/execution";
import type { RuleMatch } from "../contract/rule-match";

/** Whether a rule redacted or blocked the result of the call, and did not only record it. */
export const isAppliedToResult = ({ effect, recordOnly }: RuleMatch): boolean => isResultEffect(effect) && !recordOnly;

/** An execution as its caller received it: without what rules kept from it. */
export function asReceived(execution: ExecutionDetail): ExecutionDetail {
  const { received, ruleMatches } = execution;
  if (received === null) return execution;
  const { resultText } = received;
  const matches = ruleMatches.map((match) => ({ ...match, values: {} }));
  return { ...execution, resultText, resultTruncated: false, logs: [], ruleMatches: matches, received: null };
}
