import type { CallOutcome } from "../../executor/call-outcome";
import type { ResolvedCall, RunningCall } from "../../executor/running-call";
import type { AddedEffects } from "../call-rules";
import type { RuleHit } from "../decide-call";
import { toResultFacts } from "../result-facts";
import type { CompiledNumber, ConditionFacts, ConditionLanguage, ResultFacts } from "../rule-ports";

/** The work of one price: about 10 ms. */
const MAX_WORK = 500_000;
/** Sums of prices have this many digits after the point. */
const DOLLAR_UNITS = 1_000_000;
/** Texts of earlier versions of rules are dropped with the others. */
const MAX_COMPILED = 500;

/** Prices the calls that ran, when they end: a price may depend on the result. */
export class PriceEffects implements AddedEffects {
  readonly kinds = ["price"] as const;
  readonly #language: ConditionLanguage;
  readonly #priced = new WeakMap<RunningCall, RuleHit[]>();
  /** Compiled when first used, since few prices are more than a number. */
  readonly #compiled = new Map<string, CompiledNumber | null>();

  constructor(language: ConditionLanguage) {
    this.#language = language;
  }

  apply(call: ResolvedCall, hits: readonly RuleHit[]): null {
    this.#note(call, hits);
    return null;
  }

  record(call: ResolvedCall, hits: readonly RuleHit[]): void {
    this.#note(call, hits);
  }

  resume(call: ResolvedCall, hits: readonly RuleHit[]): void {
    this.#note(call, hits);
  }

  settle(call: RunningCall, outcome: CallOutcome): void {
    const priced = this.#priced.get(call);
    this.#priced.delete(call);
    if (priced === undefined || call.state.startedAt === null) return;
    const result = toResultFacts(outcome);
    let cost: number | null = null;
    for (const hit of priced) {
      const price = this.#evaluate(hit, result);
      call.noteMatch(hit.rule.id, { price });
      if (price !== null && !hit.recordOnly) cost = toDollars((cost ?? 0) + price);
    }
    if (cost !== null) call.setCost(cost);
  }

  #note(call: ResolvedCall, hits: readonly RuleHit[]): void {
    this.#priced.set(call, [...(this.#priced.get(call) ?? []), ...hits]);
  }

  /** Null where it cannot be evaluated, or is below 0. */
  #evaluate({ rule: { effect }, facts }: RuleHit, result: ResultFacts): number | null {
    const price = effect.kind === "price" ? this.#compile(effect.price) : null;
    return price === null ? null : evaluatePrice(price, facts, result);
  }

  #compile(text: string): CompiledNumber | null {
    const known = this.#compiled.get(text);
    if (known !== undefined) return known;
    const compiled = this.#language.compilePrice(text);
    const price = "price" in compiled ? compiled.price : null;
    if (this.#compiled.size >= MAX_COMPILED) this.#compiled.clear();
    this.#compiled.set(text, price);
    return price;
  }
}

/** US dollars; null where it cannot be evaluated, or is below 0. @param result absent before the call ran */
export function evaluatePrice(price: CompiledNumber, facts: ConditionFacts, result?: ResultFacts): number | null {
  const known: ConditionFacts = {
    tool: facts.tool,
    caller: facts.caller,
    client: facts.client,
    stored: facts.stored,
    args: price.readsArguments ? facts.args : undefined,
    at: facts.at,
    count: facts.count,
    result,
  };
  const value = price.evaluate(known, { left: MAX_WORK });
  return value === null || value < 0 ? null : toDollars(value);
}

const toDollars = (amount: number): number => Math.round(amount * DOLLAR_UNITS) / DOLLAR_UNITS;
