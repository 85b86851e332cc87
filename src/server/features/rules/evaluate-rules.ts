import { classifyCall, isFailedClass } from "../../../lib/contract/call-class";
import { MAX_PREVIEWED_CALLS } from "../../../lib/contract/call-rule-words";
import type { ComparedEnd } from "../../../lib/rules/call-columns";
import { type CompiledRules, compileRules, type StoredCallRule } from "../../engine/rules/decide-call";
import type { ConditionLanguage } from "../../engine/rules/rule-ports";
import { type CallReader, type RecordedCallPorts, walkCalls } from "./recorded-calls";
import type { RecordedCall } from "./rule-store";

export interface EvaluationPorts extends RecordedCallPorts {
  language: ConditionLanguage;
  now: () => number;
}

export interface EvaluationScope {
  toolName: string;
  /** Limits the calls to those of this user. */
  actorId?: string | undefined;
  since: number;
  until: number;
  maxMs: number;
  reader: CallReader;
  signal?: AbortSignal | undefined;
}

export interface RuleFigures {
  matched: number;
  failed: number;
  succeeded: number;
  unknown: number;
}

/** Compiles each rule as if no other were on. */
export const compileEach = (rules: readonly StoredCallRule[], language: ConditionLanguage): CompiledRules[] =>
  rules.map((rule) => compileRules([{ ...rule, state: "on" }], { language }));

/** How a recorded call ended, for a comparison. */
export function toEnd(call: RecordedCall): ComparedEnd {
  const its = classifyCall(call);
  if (its === "succeeded") return "good";
  return isFailedClass(its) ? "failed" : "other";
}

/** Counts the recorded calls of a tool that each rule would match if no other were on. */
export async function evaluateRules(
  rules: readonly StoredCallRule[],
  { language, ...ports }: EvaluationPorts,
  { toolName, actorId, ...scope }: EvaluationScope,
) {
  const compiled = compileEach(rules, language);
  const figures = rules.map((): RuleFigures => ({ matched: 0, failed: 0, succeeded: 0, unknown: 0 }));
  const totals = { calls: 0, failed: 0, succeeded: 0 };
  const walk = {
    ...scope,
    filter: { tool: [toolName], ...(actorId !== undefined && { actor: actorId }) },
    countMinutes: Math.max(0, ...compiled.map(({ countMinutes }) => countMinutes)),
    parts: { arguments: compiled.some(({ readsArguments }) => readsArguments), results: false, costs: false },
    maxCalls: MAX_PREVIEWED_CALLS,
  };
  const more = await walkCalls(ports, walk, (call, ruled) => {
    // Another tool may be called by this name.
    if (call.toolName !== toolName) return;
    const end = toEnd(call);
    totals.calls += 1;
    if (end === "failed") totals.failed += 1;
    if (end === "good") totals.succeeded += 1;
    for (const [at, each] of compiled.entries()) {
      const { decisive } = each.decide(ruled);
      const figure = figures[at];
      if (decisive === null || figure === undefined) continue;
      if (decisive === "unknown") {
        figure.unknown += 1;
        continue;
      }
      figure.matched += 1;
      if (end === "failed") figure.failed += 1;
      if (end === "good") figure.succeeded += 1;
    }
  });
  return { ...totals, more, figures };
}
