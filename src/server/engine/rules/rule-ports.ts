import type { ConditionProblem } from "../../../lib/contract/call-rule";

/** What a condition reads of one call. */
export interface ConditionFacts {
  tool: Readonly<Record<string, unknown>>;
  caller: Readonly<Record<string, unknown>>;
  client: Readonly<Record<string, unknown>>;
  /** It is read from the execution log, where values may be masked. */
  stored: boolean;
  /** Parsed by `parseExactParts`, so that numbers keep their digits. */
  args: unknown;
  /** What the call returned, for prices; absent while it has not ended, and where it returned nothing. */
  result?: unknown;
  /** When the call was received, in epoch milliseconds. */
  at: number;
  /** Calls of this caller and tool in the minutes before this one; null where that is not known. */
  count: (minutes: number) => number | null;
}

/** A fact that was not recorded. Conditions that depend on it are `unknown`. */
export const NOT_RECORDED = Symbol.for("toolroom.not-recorded");

/** `unevaluable`: a field is missing, or types do not fit. `exhausted`: it takes too much work. `unknown`: a masked value or a fact that was not recorded decides. */
export type ConditionOutcome = "match" | "miss" | "unevaluable" | "exhausted" | "unknown";

export interface CompiledCondition {
  /** Whether it reads `args`; without, arguments need not be parsed. */
  readonly readsArguments: boolean;
  /** The largest window that `count` reads; 0 without one. */
  readonly countMinutes: number;
  /** @param budget the work that is left, which it lowers */
  evaluate(facts: ConditionFacts, budget: WorkBudget): ConditionOutcome;
  /** The values that it reads, by their path, as JSON; long ones are cut. */
  readValues(facts: ConditionFacts): Record<string, unknown>;
}

/** An expression such as the price of a call. */
export interface CompiledNumber {
  readonly readsArguments: boolean;
  readonly readsResult: boolean;
  /** Null where it cannot be evaluated, or takes too much work. */
  evaluate(facts: ConditionFacts, budget: WorkBudget): number | null;
}

/** About 20 ns each. */
export interface WorkBudget {
  left: number;
}

export type CompileResult = { condition: CompiledCondition } | { problems: ConditionProblem[] };

/** The language of conditions. */
export interface ConditionLanguage {
  compile(text: string): CompileResult;
  /** For prices. */
  compilePrice(text: string): { price: CompiledNumber } | { problems: ConditionProblem[] };
}
