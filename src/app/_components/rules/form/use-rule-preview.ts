"use client";

import { useCallback } from "react";
import { useVerdict } from "@/app/_kit/use-verdict";
import { useTRPCClient } from "@/app/_trpc/client";
import type { CallRuleInput, ConditionProblem, RulePreview } from "@/lib/contract/call-rule";
import { toPreviewed } from "./rule-fields";

export interface ShownPreview {
  /** The newest answer; null until the first one. */
  preview: RulePreview | null;
  /** False while the newest draft has not been evaluated. */
  isCurrent: boolean;
  failure: string | null;
}

/**
 * Evaluates recorded calls while a rule is being written; a newer draft cancels the request of an older one.
 * @param rule null: it cannot be read yet
 * @param id the rule that it replaces
 */
export function useRulePreview(rule: CallRuleInput | null, id: string | null, since: number | null): ShownPreview {
  const client = useTRPCClient();
  const asked = rule === null ? null : JSON.stringify({ rule: toPreviewed(rule), id, since });
  const ask = useCallback(
    (text: string, signal: AbortSignal) => {
      const input = JSON.parse(text) as { rule: CallRuleInput; id: string | null; since: number | null };
      return client.rules.preview.query(
        {
          rule: input.rule,
          ...(input.id !== null && { id: input.id }),
          ...(input.since !== null && { filter: { since: input.since } }),
        },
        { signal },
      );
    },
    [client],
  );
  const { checked, answer, failure } = useVerdict(asked, ask);
  return { preview: answer, isCurrent: checked === asked, failure: checked === asked ? failure : null };
}

const NONE: readonly ConditionProblem[] = [];

/** What is wrong with a condition, with its places, while it is written. */
export function useConditionProblems(condition: string): readonly ConditionProblem[] {
  const client = useTRPCClient();
  const ask = useCallback(
    async (text: string, signal: AbortSignal) =>
      (await client.rules.check.query({ condition: text }, { signal })).problems,
    [client],
  );
  const { checked, answer } = useVerdict(condition === "" ? null : condition, ask);
  return checked === condition ? (answer ?? NONE) : NONE;
}
