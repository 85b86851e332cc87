"use client";

import { useVerdict } from "@/app/_kit/use-verdict";
import { client } from "@/app/_trpc/client";
import type { CallRuleInput, ConditionProblem, RulePreview } from "@/lib/contract/call-rule";
import type { RuleEffectKind } from "@/lib/contract/call-rule-words";
import type { AskedCalls } from "./preview-calls";
import { toPreviewed } from "./rule-fields";

export interface ShownPreview {
  /** The newest answer; null until the first one. */
  preview: RulePreview | null;
  /** False while the newest draft has not been evaluated. */
  isCurrent: boolean;
  failure: string | null;
}

interface AskedPreview extends AskedCalls {
  rule: CallRuleInput;
  id?: string;
  position?: number;
}

const previewRule = (text: string, signal: AbortSignal): Promise<RulePreview> =>
  client.rules.preview.query(JSON.parse(text) as AskedPreview, { signal });

async function checkCondition(asked: string, signal: AbortSignal): Promise<readonly ConditionProblem[]> {
  const input = JSON.parse(asked) as { condition: string; effect: RuleEffectKind };
  return (await client.rules.check.query(input, { signal })).problems;
}

/**
 * Evaluates recorded calls while a rule is being written; a newer draft cancels the request of an older one.
 * @param asked null: it cannot be read yet
 */
export function useRulePreview(asked: AskedPreview | null): ShownPreview {
  const text = asked === null ? null : JSON.stringify({ ...asked, rule: toPreviewed(asked.rule) });
  const { checked, answer, failure } = useVerdict(text, previewRule);
  return { preview: answer, isCurrent: checked === text, failure: checked === text ? failure : null };
}

const NONE: readonly ConditionProblem[] = [];

/** Checks a condition while a user writes it, and returns its problems with their places. */
export function useConditionProblems(condition: string, effect: RuleEffectKind): readonly ConditionProblem[] {
  const asked = condition === "" ? null : JSON.stringify({ condition, effect });
  const { checked, answer } = useVerdict(asked, checkCondition);
  return asked !== null && checked === asked ? (answer ?? NONE) : NONE;
}
