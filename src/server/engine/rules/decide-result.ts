import type { ResultEffect } from "../../../lib/contract/call-rule";
import { isResultEffect } from "../../../lib/contract/call-rule-words";
import {
  type CompiledRule,
  type CompiledRules,
  type RuledCall,
  type RuleHit,
  type StoredCallRule,
  settle,
  toFacts,
} from "./decide-call";
import type { ConditionFacts, WorkBudget } from "./rule-ports";

/** The work of all conditions about one result: about 40 ms. */
const MAX_RESULT_WORK = 2_000_000;

export interface ResultHit extends RuleHit {
  effect: ResultEffect;
}

/** The rules that may apply to a call's result: those in its scope whose condition, where it reads no result, is met. */
export class ResultCandidates {
  readonly #rules: readonly CompiledRule[];
  readonly #facts: ConditionFacts;
  readonly #onUnevaluable: CompiledRules["onUnevaluable"];
  /** Rules of which it is not known whether they are about the call. */
  readonly #unknown: readonly CompiledRule[];

  constructor({ results, onUnevaluable }: CompiledRules, call: RuledCall) {
    this.#facts = toFacts(call);
    this.#onUnevaluable = onUnevaluable;
    const scoped = results.map((compiled) => ({ compiled, isInScope: compiled.applies(call) }));
    const work: WorkBudget = { left: MAX_RESULT_WORK };
    const settled = scoped
      .filter(({ isInScope }) => isInScope !== false)
      .map(({ compiled, isInScope }) => {
        const outcome = compiled.condition?.readsResult === true ? "match" : this.#settle(compiled, work);
        return { compiled, outcome: isInScope === null && outcome === "match" ? "unknown" : outcome };
      });
    this.#rules = settled.flatMap(({ compiled, outcome }) => (outcome === "match" ? compiled : []));
    this.#unknown = settled.flatMap(({ compiled, outcome }) => (outcome === "unknown" ? compiled : []));
  }

  get isEmpty(): boolean {
    return this.#rules.length === 0 && this.#unknown.length === 0;
  }

  /** Effects of rules that are on, as far as they are known before there is a result. */
  get effects(): { name: string; effect: ResultEffect }[] {
    return this.#rules.flatMap(({ rule }) => {
      const effect = toResultEffect(rule);
      return rule.state === "on" && effect !== null ? { name: rule.name, effect } : [];
    });
  }

  /** The rules whose conditions the result meets, in their order, and those of which that is not known. */
  decide(): { hits: ResultHit[]; unknown: StoredCallRule[] } {
    const work: WorkBudget = { left: MAX_RESULT_WORK };
    const hits: ResultHit[] = [];
    const unknown = this.#unknown.map(({ rule }) => rule);
    for (const compiled of this.#rules) {
      const { rule, condition } = compiled;
      const effect = toResultEffect(rule);
      const outcome = condition?.readsResult === true ? this.#settle(compiled, work) : "match";
      if (outcome === "unknown") unknown.push(rule);
      if (outcome !== "match" || effect === null) continue;
      hits.push({ rule, effect, condition, facts: this.#facts, recordOnly: rule.state === "record" });
    }
    return { hits, unknown };
  }

  #settle(compiled: CompiledRule, work: WorkBudget): "match" | "miss" | "unknown" {
    return settle(compiled, this.#facts, work, this.#onUnevaluable);
  }
}

function toResultEffect({ effect }: StoredCallRule): ResultEffect | null {
  return isResultEffect(effect.kind) ? (effect as ResultEffect) : null;
}
