"use client";

import { useVerdict } from "@/app/_kit/use-verdict";
import { client } from "@/app/_trpc/client";
import type { CallRuleInput, ConditionProblem, RulePreview } from "@/lib/contract/call-rule";
import type { RuleEffectKind } from "@/lib/contract/call-rule-words";
import { toPreviewed } from "./rule-fields";

export interface ShownPreview {
  /** The newest answer; null until the first one. */
  preview: RulePreview | null;
  /** False while the newest draft has not been evaluated. */
  isCurrent: boolean;
  failure: string | null;
}

function previewRule(text: string, signal: AbortSignal): Promise<RulePreview> {
  const { rule, id, since } = JSON.parse(text) as { rule: CallRuleInput; id: string | null; since: number | null };
  const asked = {
    rule,
    ...(id !== null && { id }),
    ...(since !== null && { filter: { since } }),
  };
  return client.rules.preview.query(asked, { signal });
}

async function checkCondition(asked: string, signal: AbortSignal): Promise<readonly ConditionProblem[]> {
  const input = JSON.parse(asked) as { condition: string; effect: RuleEffectKind };
  return (await client.rules.check.query(input, { signal })).problems;
}

/**
 * Evaluates recorded calls while a rule is being written; a newer draft cancels the request of an older one.
 * @param rule null: it cannot be read yet
 * @param id the rule that it replaces
 */
export function useRulePreview(rule: CallRuleInput | null, id: string | null, since: number | null): ShownPreview {
  const asked = rule === null ? null : JSON.stringify({ rule: toPreviewed(rule), id, since });
  const { checked, answer, failure } = useVerdict(asked, previewRule);
  return { preview: answer, isCurrent: checked === asked, failure: checked === asked ? failure : null };
}

const NONE: readonly ConditionProblem[] = [];

/** Checks a condition while a user writes it, and returns its problems with their places. */
export function useConditionProblems(condition: string, effect: RuleEffectKind): readonly ConditionProblem[] {
  const asked = condition === "" ? null : JSON.stringify({ condition, effect });
  const { checked, answer } = useVerdict(asked, checkCondition);
  return asked !== null && checked === asked ? (answer ?? NONE) : NONE;
}
