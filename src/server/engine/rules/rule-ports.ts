import type { ConditionProblem } from "../../../lib/contract/call-rule";
import type { ResultPreset } from "../../../lib/contract/call-rule-words";

/** The facts that a condition reads of one call. */
export interface ConditionFacts {
  tool: Readonly<Record<string, unknown>>;
  caller: Readonly<Record<string, unknown>>;
  client: Readonly<Record<string, unknown>>;
  /** Whether the call is read from the execution log, where values may be masked. */
  stored: boolean;
  /** Parsed by `parseExactParts`, so that numbers keep their digits. */
  args: unknown;
  /** The result of the tool; absent before it ran, and `NOT_RECORDED` where it is not known. */
  readonly result?: ResultFacts | typeof NOT_RECORDED | undefined;
  /** When the call was received, in epoch milliseconds; null where that is not known. */
  at: number | null;
  /** Calls of this caller and tool in the minutes before this one; null where that is not known. */
  count: (minutes: number) => number | null;
}

/** A part of a result that is too large for a condition to read: it takes too much work. */
export const TOO_LARGE: unique symbol = Symbol.for("toolroom.too-large");

/** The facts that a condition reads of a result. */
export interface ResultFacts {
  isError: boolean;
  /** The text that a model reads. */
  text: string;
  /** Structured content, or the JSON that the text is; null where the result has neither, `TOO_LARGE` for too much of it. */
  readonly structured: unknown;
}

/** A fact that was not recorded. Conditions that depend on it are `unknown`. */
export const NOT_RECORDED: unique symbol = Symbol.for("toolroom.not-recorded");
export type NotRecorded = typeof NOT_RECORDED;

/** `unevaluable`: a field is missing, or types do not fit. `exhausted`: it takes too much work. `unknown`: a masked value or a fact that was not recorded decides. */
export type ConditionOutcome = "match" | "miss" | "unevaluable" | "exhausted" | "unknown";

export interface CompiledCondition {
  /** Whether it reads `args`; without, arguments need not be parsed. */
  readonly readsArguments: boolean;
  /** Whether it reads `result`, so that it can be evaluated only after the call ran. */
  readonly readsResult: boolean;
  /** The largest window that `count` reads; 0 without one. */
  readonly countMinutes: number;
  /** @param budget the remaining work, which the evaluation reduces */
  evaluate(facts: ConditionFacts, budget: WorkBudget): ConditionOutcome;
  /** The values that it reads, by their path, as JSON; long ones are cut. */
  readValues(facts: ConditionFacts): Record<string, unknown>;
}

/** An expression such as the price of a call. */
export interface CompiledNumber {
  readonly readsArguments: boolean;
  readonly readsResult: boolean;
  /** The largest window that `count` reads; 0 without one. */
  readonly countMinutes: number;
  /** Null where it cannot be evaluated, or takes too much work. */
  evaluate(facts: ConditionFacts, budget: WorkBudget): number | null;
}

/** One step takes about 20 ns. */
export interface WorkBudget {
  left: number;
}

export type CompileResult = { condition: CompiledCondition } | { problems: ConditionProblem[] };

/** Compiles and evaluates conditions. */
export interface ConditionLanguage {
  compile(text: string): CompileResult;
  /** Compiles the expression of a price. */
  compilePrice(text: string): { price: CompiledNumber } | { problems: ConditionProblem[] };
}

/** The values that a rule searches a result for. */
export interface ResultSearch {
  paths: readonly string[];
  presets: readonly ResultPreset[];
  patterns: readonly string[];
}

/** A result with markers in place of what was found, and how many; or why it could not be searched. */
export type Redaction = { text: string; count: number } | { failed: string };

export interface RedactionInput {
  /** The result's JSON text. */
  text: string;
  marker: string;
  /** The tool is of an MCP server: its result is a list of blocks. */
  fromServer: boolean;
  /** The structured content has a schema, so that numbers stay numbers. */
  keepTypes: boolean;
}

/** Finds and replaces parts of results, within limits of time and memory. */
export interface ResultRedactor {
  /** The problem of a path, or of a pattern; null for a usable one. */
  checkPath(path: string): string | null;
  checkPattern(pattern: string): string | null;
  /** Returns a value instead of a promise where both are small. */
  redact(search: ResultSearch, input: RedactionInput): Redaction | Promise<Redaction>;
  /** A plain text, which paths do not concern. It must be short. */
  redactText(search: ResultSearch, text: string, marker: string): Redaction;
}
