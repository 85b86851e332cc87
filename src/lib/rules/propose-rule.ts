import type { Actor } from "../contract/actor";
import type { CallRuleInput, RuleEffect } from "../contract/call-rule";
import type { RuleDecisionKind } from "../contract/call-rule-words";

const MAX_NAME_CHARS = 80;
const MAX_REASON_CHARS = 500;

export const EMPTY_RULE: CallRuleInput = {
  name: "",
  state: "on",
  scope: {
    tools: [],
    servers: [],
    toolsets: [],
    tags: [],
    kinds: [],
  },
  caller: { users: [], roles: [], tokens: [], clients: [], sources: [] },
  condition: "",
  fallback: "skip",
  effect: { kind: "ask", approver: "always" },
};

export interface ProposedFrom {
  toolName: string;
  effect: RuleDecisionKind;
  /** The user whose calls it is about; null: everyone's. */
  caller: Actor | null;
  condition: string;
  /** Why a user rejected the call; the initial message of a denial. */
  reason?: string | null | undefined;
}

const VERBS: Readonly<Record<RuleDecisionKind, string>> = { ask: "Ask for", deny: "Deny", allow: "Allow" };

/** A rule for calls of one tool, as a user begins to edit it. */
export function proposeRule({ toolName, effect, caller, condition, reason }: ProposedFrom): CallRuleInput {
  const by = caller === null ? "" : ` by ${caller.name}`;
  return {
    ...EMPTY_RULE,
    name: `${VERBS[effect]} ${toolName}${by}`.slice(0, MAX_NAME_CHARS).trim(),
    scope: { ...EMPTY_RULE.scope, tools: [toolName] },
    caller: { ...EMPTY_RULE.caller, users: caller === null ? [] : [caller.id] },
    condition,
    effect: toEffect(effect, reason ?? ""),
  };
}

/** An effect with the initial values of the editor. */
export function toEffect(kind: RuleDecisionKind, reason = ""): RuleEffect {
  if (kind === "deny") return { kind, reason: reason.slice(0, MAX_REASON_CHARS) };
  return kind === "allow" ? { kind } : { kind, approver: "always" };
}
