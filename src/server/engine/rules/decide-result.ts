import type { ResultEffect } from "../../../lib/contract/call-rule";
import { isResultEffect } from "../../../lib/contract/call-rule-words";
import {
  type CompiledRule,
  type CompiledRules,
  type RuledCall,
  type RuleHit,
  type StoredCallRule,
  settle,
  type TraceRule,
  toFacts,
} from "./decide-call";
import type { ConditionFacts, WorkBudget } from "./rule-ports";

/** The work of all conditions about one result: about 40 ms. */
const MAX_RESULT_WORK = 2_000_000;

export interface ResultHit extends RuleHit {
  effect: ResultEffect;
}

/** A rule, and the facts of the call that it is about: a routed call has two, of the tool that is called and the one that runs. */
interface Candidate {
  compiled: CompiledRule;
  facts: ConditionFacts;
}

/** The rules that may apply to a call's result: those in its scope whose condition, where it reads no result, is met. */
export class ResultCandidates {
  readonly #rules: readonly Candidate[];
  readonly #onUnevaluable: CompiledRules["onUnevaluable"];
  /** Rules of which it is not known whether they are about the call. */
  readonly #unknown: readonly Candidate[];

  /** @param trace for explanations: called once with each rule and call */
  constructor({ results, onUnevaluable }: CompiledRules, calls: readonly RuledCall[], trace?: TraceRule) {
    this.#onUnevaluable = onUnevaluable;
    const known = calls.map((call) => ({ call, facts: toFacts(call) }));
    const scoped = results.flatMap((compiled) =>
      known.map(({ call, facts }) => ({ compiled, facts, isInScope: compiled.applies(call) })),
    );
    const work: WorkBudget = { left: MAX_RESULT_WORK };
    for (const { compiled, isInScope } of scoped) if (isInScope === false) trace?.(compiled, "out_of_scope");
    const settled = scoped
      .filter(({ isInScope }) => isInScope !== false)
      .map(({ compiled, facts, isInScope }) => {
        const candidate = { compiled, facts };
        const readsResult = compiled.condition?.readsResult === true;
        const settled = readsResult ? "match" : this.#settle(candidate, work);
        const outcome = isInScope === null && settled === "match" ? "unknown" : settled;
        trace?.(compiled, readsResult && outcome === "match" ? "result" : outcome);
        return { candidate, outcome };
      });
    this.#rules = settled.flatMap(({ candidate, outcome }) => (outcome === "match" ? candidate : []));
    this.#unknown = settled.flatMap(({ candidate, outcome }) => (outcome === "unknown" ? candidate : []));
  }

  get isEmpty(): boolean {
    return this.#rules.length === 0 && this.#unknown.length === 0;
  }

  /** Effects of rules that are on, as far as they are known before there is a result. */
  get effects(): { name: string; effect: ResultEffect }[] {
    return this.#rules.flatMap(({ compiled: { rule } }) => {
      const effect = toResultEffect(rule);
      return rule.state === "on" && effect !== null ? { name: rule.name, effect } : [];
    });
  }

  /** The rules whose conditions the result meets, in their order and each once, and those of which that is not known. */
  decide(): { hits: ResultHit[]; unknown: StoredCallRule[] } {
    const work: WorkBudget = { left: MAX_RESULT_WORK };
    const hits: ResultHit[] = [];
    const unknown = this.#unknown.map(({ compiled }) => compiled.rule);
    for (const candidate of this.#rules) {
      const { facts, compiled } = candidate;
      const { rule, condition } = compiled;
      if (hits.at(-1)?.rule === rule) continue;
      const effect = toResultEffect(rule);
      const outcome = condition?.readsResult === true ? this.#settle(candidate, work) : "match";
      if (outcome === "unknown") unknown.push(rule);
      if (outcome !== "match" || effect === null) continue;
      hits.push({ rule, effect, condition, facts, recordOnly: rule.state === "record" });
    }
    return { hits, unknown };
  }

  #settle({ compiled, facts }: Candidate, work: WorkBudget): "match" | "miss" | "unknown" {
    return settle(compiled, facts, work, this.#onUnevaluable);
  }
}

function toResultEffect({ effect }: StoredCallRule): ResultEffect | null {
  return isResultEffect(effect.kind) ? (effect as ResultEffect) : null;
}
