/** What decides whether a call runs: of the rules with these effects, the first that matches. */
export const RULE_DECISIONS = ["allow", "deny", "ask"] as const;
export type RuleDecisionKind = (typeof RULE_DECISIONS)[number];

/** What a rule does with the calls that it matches. Effects that decide nothing add up: of these, every rule that matches applies. */
export const RULE_EFFECTS = [...RULE_DECISIONS] as const;
export type RuleEffectKind = (typeof RULE_EFFECTS)[number];

export const isDecision = (kind: RuleEffectKind): kind is RuleDecisionKind =>
  (RULE_DECISIONS as readonly string[]).includes(kind);

/** `record`: executions say what the rule would have done, and nothing else happens. */
export const RULE_STATES = ["on", "record", "off"] as const;
export type RuleState = (typeof RULE_STATES)[number];

/** What a rule does with a call for which its condition cannot be evaluated. */
export const RULE_FALLBACKS = ["skip", "match"] as const;
export type RuleFallback = (typeof RULE_FALLBACKS)[number];

/** What a preview knows of one recorded call. `unknown`: a masked value, or a fact that was not recorded, decides. */
export const RULE_OUTCOMES = [...RULE_DECISIONS, "none", "unknown"] as const;
export type RuleOutcome = (typeof RULE_OUTCOMES)[number];

export const MAX_CONDITION_CHARS = 2_000;
export const MAX_RULES = 500;
/** Recorded calls that one preview reads, the newest first. */
export const MAX_PREVIEWED_CALLS = 100_000;
