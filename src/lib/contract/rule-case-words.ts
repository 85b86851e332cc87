import type { RuleOutcome } from "./call-rule-words";

/** What a case may expect. `none`: no rule decides, the settings of tools and servers do. */
export const CASE_OUTCOMES = ["allow", "deny", "ask", "none"] as const satisfies readonly RuleOutcome[];
export type CaseOutcome = (typeof CASE_OUTCOMES)[number];

/** `error`: the outcome under the rules is not known, or the case names what does not exist. */
export const CASE_STATUSES = ["passed", "failed", "error"] as const;

export const MAX_RULE_CASES = 500;
/** The limit of a case's arguments as JSON. */
export const MAX_CASE_ARGUMENT_CHARS = 65_536;
