/** What decides whether a call runs: of the rules with these effects, the first that matches. */
export const RULE_DECISIONS = ["allow", "deny", "ask"] as const;
export type RuleDecisionKind = (typeof RULE_DECISIONS)[number];

/** What a rule does with the calls that it matches. Effects that decide nothing add up: of these, every rule that matches applies. */
export const RULE_EFFECTS = [...RULE_DECISIONS, "limit", "price", "redact", "block", "hook", "route"] as const;
export type RuleEffectKind = (typeof RULE_EFFECTS)[number];

export const isDecision = (kind: RuleEffectKind): kind is RuleDecisionKind =>
  (RULE_DECISIONS as readonly string[]).includes(kind);

export const isDeciding = <Effect extends { kind: RuleEffectKind }>(
  effect: Effect,
): effect is Extract<Effect, { kind: RuleDecisionKind }> => isDecision(effect.kind);

/** The effects on the result of a call, after it ran. */
export const RESULT_EFFECTS = ["redact", "block"] as const satisfies RuleEffectKind[];
export type ResultEffectKind = (typeof RESULT_EFFECTS)[number];

export const isResultEffect = (kind: RuleEffectKind): kind is ResultEffectKind =>
  (RESULT_EFFECTS as readonly string[]).includes(kind);

/** Effects beside the decision that a case may expect: those that apply before the call runs. */
export const CASE_EFFECTS = ["limit", "price", "hook", "route"] as const satisfies RuleEffectKind[];
export type CaseEffect = (typeof CASE_EFFECTS)[number];

/** The kinds of calls: of tools, reads of resources, prompt gets, and Toolroom's own tools at `/mcp/toolroom`. */
export const RULED_KINDS = ["tool", "resource", "prompt", "agent"] as const;
export type RuledKind = (typeof RULED_KINDS)[number];

/** The form in which a hook receives the arguments. `masked`: as they are stored. */
export const HOOK_ARGUMENTS = ["none", "masked", "whole"] as const;
export type HookArguments = (typeof HOOK_ARGUMENTS)[number];

/** What happens to a call whose hook fails. */
export const HOOK_FAILURE_ACTIONS = ["deny", "allow"] as const;
export type HookFailureAction = (typeof HOOK_FAILURE_ACTIONS)[number];

/** The time from the connection to the end of the answer. */
export const HOOK_TIMEOUT_MS = 2_000;
export const MAX_HOOK_ANSWER_BYTES = 65_536;
export const MAX_HOOK_URL_CHARS = 2_000;

/** Kinds of text that redaction and blocks find without a pattern of the user. */
export const RESULT_PRESETS = ["email", "card", "iban", "api_key"] as const;
export type ResultPreset = (typeof RESULT_PRESETS)[number];

/** `record`: executions note the effect that the rule would have had, and nothing else happens. */
export const RULE_STATES = ["on", "record", "off"] as const;
export type RuleState = (typeof RULE_STATES)[number];

/** The effect on a call for which the condition cannot be evaluated. */
export const RULE_FALLBACKS = ["skip", "match"] as const;
export type RuleFallback = (typeof RULE_FALLBACKS)[number];

/** What a preview knows of one recorded call. `unknown`: a masked value, or a fact that was not recorded, decides. */
export const RULE_OUTCOMES = [...RULE_DECISIONS, "none", "unknown"] as const;
export type RuleOutcome = (typeof RULE_OUTCOMES)[number];

/** What becomes of one rule while a call is decided. `result`: only the result can tell; `not_reached`: an earlier rule decided. */
export const RULE_STEPS = ["match", "miss", "unknown", "out_of_scope", "not_reached", "result", "off"] as const;
export type RuleStep = (typeof RULE_STEPS)[number];

/**
 * The outcome of a call under the rules. `held`: its tool runs no calls now; `unknown`: the outcome depends on a fact
 * that is missing.
 */
export const EXPLAINED_OUTCOMES = ["runs", "asks", "waits", "denied", "invalid", "held", "unknown"] as const;
export type ExplainedOutcome = (typeof EXPLAINED_OUTCOMES)[number];

/** The approval settings that decide calls which no rule decides, in their order. */
export const EXPLAINED_SETTINGS = ["toolset", "person", "definition", "server", "policy"] as const;
export type ExplainedSettingName = (typeof EXPLAINED_SETTINGS)[number];

export const MAX_CONDITION_CHARS = 2_000;
export const MAX_RULES = 500;
/** Limits for one rule that redacts or blocks. */
export const MAX_RESULT_PATHS = 50;
export const MAX_RESULT_PATTERNS = 10;
export const MAX_RESULT_PATTERN_CHARS = 300;
/** Recorded calls that one preview reads, the newest first. */
export const MAX_PREVIEWED_CALLS = 100_000;

/** The unit of a limit: calls, bytes of arguments and results, US dollars. */
export const LIMIT_MEASURES = ["calls", "bytes", "money"] as const;
export type LimitMeasure = (typeof LIMIT_MEASURES)[number];

/** The dimensions for which a limit keeps separate counts, in the order of its keys. */
export const LIMIT_KEYS = ["user", "token", "client", "tool", "run"] as const;
export type LimitKey = (typeof LIMIT_KEYS)[number];

/** The effect on a call for which a limit has no room. */
export const LIMIT_ACTIONS = ["deny", "ask", "wait"] as const;
export type LimitAction = (typeof LIMIT_ACTIONS)[number];

/** 31 days in minutes. */
export const MAX_LIMIT_MINUTES = 44_640;
export const MAX_LIMIT_WAIT_SECONDS = 3_600;
export const MAX_PRICE_CHARS = 500;

/** Kinds of failures that end a call before rules are evaluated; the third one is of calls that an earlier version recorded. */
export const UNRULED_KINDS: readonly string[] = [
  "not_found",
  "invalid_arguments",
  "malformed_arguments",
  "definition_changed",
];
