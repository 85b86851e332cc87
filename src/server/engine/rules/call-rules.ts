import type { Role } from "../../../lib/contract/access";
import type { Actor } from "../../../lib/contract/actor";
import type { ApprovalMode } from "../../../lib/contract/approval";
import { explainApproverDenial, explainEditDenial, findApproverRule } from "../../../lib/contract/approver";
import type { RuleEffect } from "../../../lib/contract/call-rule";
import type { RuleMatch } from "../../../lib/contract/rule-match";
import { getServerName } from "../../../lib/contract/tool-definition";
import { parseExactParts } from "../../../lib/json/exact-text";
import { type CallFailure, failure } from "../executor/call-outcome";
import type { ResolvedCall } from "../executor/running-call";
import type { CallCounts } from "./call-counts";
import { type CompiledRules, type RuledCall, type RuleHit, toMatches } from "./decide-call";

export interface CallRulesPorts {
  /** The rules of now. Read for every call, from memory. */
  current: () => CompiledRules;
  /** Without accounts there is one user, who may approve everything. */
  accounts: boolean;
  /** The role of a user now; null where it is not known. */
  readRole: (actorId: string) => Role | null;
  counts: CallCounts;
}

/** What rules do with one call. Reads memory only. */
export class CallRules {
  readonly #ports: CallRulesPorts;

  constructor(ports: CallRulesPorts) {
    this.#ports = ports;
  }

  /** Sets on the call what its rules say. @returns the refusal of a rule that denies it */
  decide(call: ResolvedCall): CallFailure | null {
    const rules = this.#ports.current();
    if (rules.isEmpty) return null;
    const decision = rules.decide(this.#toRuled(call));
    const readArguments = createMaskedReader(call);
    const matches = toMatches(decision, (hit) => readMasked(hit, readArguments));
    this.#ports.counts.note(call.actor.id, call.toolName, call.queuedAt, rules.countMinutes);
    if (decision.decisive === null || decision.decisive === "unknown") {
      if (matches.length > 0) call.setRuled(null, matches);
      return null;
    }
    const { rule } = decision.decisive;
    call.setRuled(rule.effect, matches);
    return rule.effect.kind === "deny" ? failure("rule", `Denied by rule ${rule.name}: ${rule.effect.reason}`) : null;
  }

  /** Decides arguments that an approver edited. @param by the approver: where a rule asks now, it must admit them */
  decideEdited(call: ResolvedCall, by: Actor): CallFailure | null {
    const denied = this.decide(call);
    const { ruled } = call.state;
    if (denied !== null || ruled?.kind !== "ask") return denied;
    const reason = this.#explainDenial(ruled, by, call.actor);
    return reason === null ? null : failure("rule", `The edited arguments were not approved: ${reason}`);
  }

  #explainDenial({ approver }: Extract<RuleEffect, { kind: "ask" }>, by: Actor, requester: Actor): string | null {
    const rule = findApproverRule(approver satisfies ApprovalMode);
    const role = this.#ports.readRole(by.id);
    if (rule === null || !this.#ports.accounts) return null;
    if (role === null) return "the role of the approver is not known";
    return explainEditDenial(rule) ?? explainApproverDenial(rule, { id: by.id, role }, requester);
  }

  #toRuled(call: ResolvedCall): RuledCall {
    const { options, definition, args, actor, source, toolName, queuedAt } = call;
    const { counts } = this.#ports;
    return {
      toolName,
      actor,
      source,
      serverName: getServerName(definition),
      toolset: options.toolset ?? null,
      tags: definition.tags ?? [],
      role: this.#ports.readRole(actor.id),
      tokenId: options.tokenId ?? null,
      client: options.client ?? null,
      stored: false,
      canWait: options.provided === undefined,
      at: queuedAt,
      readArguments: () => parseExactParts(args.text),
      count: (minutes) => counts.count(actor.id, toolName, queuedAt, minutes),
    };
  }
}

/** Reads the arguments as they are stored, once for all rules; null where they have no masks. */
function createMaskedReader({ args, storedArgumentsText }: ResolvedCall): () => unknown {
  let masked: unknown = null;
  let isRead = storedArgumentsText === args.text;
  return () => {
    if (!isRead) {
      masked = parseExactParts(storedArgumentsText);
      isRead = true;
    }
    return masked;
  };
}

/** The values as they are stored, masked. */
function readMasked({ condition, facts }: RuleHit, readArguments: () => unknown): RuleMatch["values"] {
  if (condition === null) return {};
  const masked = condition.readsArguments ? readArguments() : null;
  return condition.readValues(masked === null ? facts : { ...facts, args: masked }) as RuleMatch["values"];
}
