import type { Role } from "../../../lib/contract/access";
import type { Actor } from "../../../lib/contract/actor";
import type { ApprovalMode } from "../../../lib/contract/approval";
import { explainApproverDenial, explainEditDenial, findApproverRule } from "../../../lib/contract/approver";
import type { AddedEffect, DecidingEffect } from "../../../lib/contract/call-rule";
import { isDecision } from "../../../lib/contract/call-rule-words";
import type { RuleMatch } from "../../../lib/contract/rule-match";
import { getServerName } from "../../../lib/contract/tool-definition";
import { parseExactParts } from "../../../lib/json/exact-text";
import { type CallFailure, failure } from "../executor/call-outcome";
import type { ResolvedCall } from "../executor/running-call";
import type { CallCounts } from "./call-counts";
import { type CompiledRules, type RuleDecision, type RuledCall, type RuleHit, toMatches } from "./decide-call";

export interface CallRulesPorts {
  /** The rules of now. Read for every call, from memory. */
  current: () => CompiledRules;
  /** Without accounts there is one user, who may approve everything. */
  accounts: boolean;
  /** The role of a user now; null where it is not known. */
  readRole: (actorId: string) => Role | null;
  counts: CallCounts;
  /** What applies the effects that decide nothing, in this order. */
  added: readonly AddedEffects[];
}

/** Applies the effects of some kinds to a call that no rule denies, before anyone is asked and before it runs. */
export interface AddedEffects {
  readonly kinds: readonly AddedEffect["kind"][];
  /** @returns the refusal of a call that must not run */
  apply(call: ResolvedCall, hits: readonly RuleHit[]): CallFailure | null | Promise<CallFailure | null>;
}

/** What rules do with one call. Reads memory only. */
export class CallRules {
  readonly #ports: CallRulesPorts;

  constructor(ports: CallRulesPorts) {
    this.#ports = ports;
  }

  /** Sets on the call what its rules say. @returns the refusal of a rule that denies it */
  decide(call: ResolvedCall): CallFailure | null | Promise<CallFailure | null> {
    const rules = this.#ports.current();
    if (rules.isEmpty) return null;
    const decision = rules.decide(this.#toRuled(call));
    const readArguments = createMaskedReader(call);
    const matches = toMatches(decision, (hit) => readMasked(hit, readArguments));
    this.#ports.counts.note(call.actor.id, call.toolName, call.queuedAt, rules.countMinutes);
    const decided = findDecision(decision);
    if (matches.length > 0) call.setRuled(decided?.effect ?? null, matches);
    if (decided?.effect.kind === "deny") {
      return failure("rule", `Denied by rule ${decided.name}: ${decided.effect.reason}`);
    }
    return decision.added.length === 0 ? null : this.#add(call, decision.added);
  }

  async #add(call: ResolvedCall, hits: readonly RuleHit[]): Promise<CallFailure | null> {
    for (const effects of this.#ports.added) {
      const kinds: readonly string[] = effects.kinds;
      const own = hits.filter(({ rule: { effect } }) => kinds.includes(effect.kind));
      const refusal = own.length === 0 ? null : await effects.apply(call, own);
      if (refusal !== null) return refusal;
    }
    return null;
  }

  /** Decides arguments that an approver edited. @param by the approver: where a rule asks now, it must admit them */
  async decideEdited(call: ResolvedCall, by: Actor): Promise<CallFailure | null> {
    const denied = await this.decide(call);
    const { ruled } = call.state;
    if (denied !== null || ruled?.kind !== "ask") return denied;
    const reason = this.#explainDenial(ruled, by, call.actor);
    return reason === null ? null : failure("rule", `The edited arguments were not approved: ${reason}`);
  }

  #explainDenial({ approver }: Extract<DecidingEffect, { kind: "ask" }>, by: Actor, requester: Actor): string | null {
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

function findDecision({ decisive }: RuleDecision): { name: string; effect: DecidingEffect } | null {
  if (decisive === null || decisive === "unknown") return null;
  const { name, effect } = decisive.rule;
  return isDecision(effect.kind) ? { name, effect } : null;
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
