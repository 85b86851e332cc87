import { parseAsString, parseAsStringLiteral } from "nuqs/server";
import { RULE_DECISIONS, type RuleDecisionKind } from "@/lib/contract/call-rule-words";

/** The value of `rule` in the address for a rule that is not saved yet. */
export const NEW_RULE = "new";

/** What the address of the page says: the rule that is edited, and what a new one begins with. */
export const RULE_PARAMS = {
  rule: parseAsString,
  /** The call from which a rule is made. */
  from: parseAsString,
  effect: parseAsStringLiteral(RULE_DECISIONS),
  /** A number of that call to compare with: `args.amount`. */
  field: parseAsString,
  /** Limits the calls to those of that call's caller. */
  callers: parseAsStringLiteral(["all", "same"]),
  /** Replaces the first proposal. */
  condition: parseAsString,
  tool: parseAsString,
  server: parseAsString,
  client: parseAsString,
};

export const RULES_PATH = "/approvals/rules";

export const toRulePath = (id: string): string => `${RULES_PATH}?rule=${encodeURIComponent(id)}`;

interface FromCall {
  effect: RuleDecisionKind;
  /** A number of the call to compare with. */
  field?: string;
  /** Limits the calls to those of the same caller. */
  callers?: "same";
  /** Replaces the first proposal. */
  condition?: string;
}

/** @param executionId the call from which the rule is made */
export const toNewRulePath = (executionId: string, from: FromCall): string => toNewPath({ from: executionId, ...from });

export interface RuleScopeStart {
  effect: RuleDecisionKind;
  tool?: string | null;
  server?: string | null;
  client?: string | null;
}

/** A new rule about a tool, a server or a client. */
export const toScopedRulePath = (start: RuleScopeStart): string => toNewPath({ ...start });

function toNewPath(params: Readonly<Record<string, string | null | undefined>>): string {
  const query = new URLSearchParams({ rule: NEW_RULE });
  for (const [name, value] of Object.entries(params)) if (value) query.set(name, value);
  return `${RULES_PATH}?${query}`;
}

/** The calls of the last days that a rule matched. */
export const toMatchesPath = (id: string, days: 7 | 30 = 7): string =>
  `/executions?rule=${encodeURIComponent(id)}&range=${days}d`;
