import type { Role } from "../../../lib/contract/access";
import type { Actor } from "../../../lib/contract/actor";
import type { ApprovalMode } from "../../../lib/contract/approval";
import { explainApproverDenial, explainEditDenial, findApproverRule } from "../../../lib/contract/approver";
import { isCounted } from "../../../lib/contract/call-class";
import type { AddedEffect, DecidingEffect } from "../../../lib/contract/call-rule";
import { isDeciding, isDecision } from "../../../lib/contract/call-rule-words";
import type { RuleMatch } from "../../../lib/contract/rule-match";
import { getServerName } from "../../../lib/contract/tool-definition";
import { parseExactParts } from "../../../lib/json/exact-text";
import { type CallFailure, type CallOutcome, failure, notRun } from "../executor/call-outcome";
import type { ResolvedCall, RunningCall } from "../executor/running-call";
import type { CallCounts } from "./call-counts";
import { type CompiledRules, type RuleDecision, type RuledCall, type RuleHit, toMatches } from "./decide-call";
import { ResultCandidates } from "./decide-result";
import { toResultFacts } from "./result-facts";
import { ResultGuard, type ResultGuardPorts } from "./result-guard";
import type { ResultFacts, ResultRedactor } from "./rule-ports";

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
  /** Searches results; absent where no rule is about them. */
  redactor?: ResultRedactor;
}

/** Applies the effects of some kinds to a call that no rule denies, before anyone is asked and before it runs. */
export interface AddedEffects {
  readonly kinds: readonly AddedEffect["kind"][];
  /**
   * @param showWaiting to be called before the call waits. Returns the refusal of one that could not be recorded
   * @returns the refusal of a call that must not run
   */
  apply(
    call: ResolvedCall,
    hits: readonly RuleHit[],
    showWaiting: ShowWaiting,
  ): CallFailure | null | Promise<CallFailure | null>;
  /** Of rules that only record: says what they would have done. */
  record?(call: ResolvedCall, hits: readonly RuleHit[]): void | Promise<void>;
  /** A call runs that was let through before: after a user approved it, say. */
  resume?(call: ResolvedCall, hits: readonly RuleHit[]): void;
  /** A call ends to which effects were applied, whether it ran or was refused. Comes before the end is recorded. */
  settle?(call: RunningCall, outcome: CallOutcome): void | Promise<void>;
}

export type ShowWaiting = () => Promise<CallFailure | null>;

/** What rules do with one call. Reads memory only. */
export class CallRules {
  readonly #ports: CallRulesPorts;
  /** Calls that effects were applied to. */
  readonly #applied = new WeakSet<RunningCall>();

  constructor(ports: CallRulesPorts) {
    this.#ports = ports;
  }

  /** Sets on the call what its rules say. @returns the refusal of a rule that denies it */
  decide(call: ResolvedCall, showWaiting: ShowWaiting): CallFailure | null | Promise<CallFailure | null> {
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
    const recorded = decision.recorded.length === 0 ? NO_HITS : decision.recorded.filter(isAdded);
    return decision.added.length === 0 && recorded.length === 0
      ? null
      : this.#add(call, { added: decision.added, recorded }, showWaiting);
  }

  /** What applies to the result of a call that is about to run; null where no rule may. */
  guard(call: ResolvedCall, toOutcome: ResultGuardPorts["toOutcome"]): ResultGuard | null {
    const rules = this.#ports.current();
    const { redactor } = this.#ports;
    // Checks and tests compare results with recorded ones, and no model or client receives them.
    if (rules.results.length === 0 || redactor === undefined || !isCounted(call.source)) return null;
    let result: ResultFacts | undefined;
    const candidates = new ResultCandidates(rules, { ...this.#toRuled(call), readResult: () => result });
    if (candidates.isEmpty) return null;
    const readArguments = createMaskedReader(call);
    return new ResultGuard(call, candidates, {
      redactor,
      toOutcome,
      onOutcome(outcome) {
        result = toResultFacts(outcome);
      },
      readValues: (hit) => maskValues(call, readMasked(hit, readArguments)),
    });
  }

  /** A call whose rules were decided by an earlier process, or before its caller left, still counts. */
  resume(call: ResolvedCall): null {
    const rules = this.#ports.current();
    if (rules.isEmpty) return null;
    const decision = rules.decide(this.#toRuled(call));
    const { added } = decision;
    if (added.length === 0) return null;
    this.#applied.add(call);
    // Records of its end name them; what decided it is recorded.
    call.setMatches(toMatches({ ...decision, decisive: null, recorded: [] }, () => ({})));
    for (const effects of this.#ports.added) {
      const own = selectOwn(effects, added);
      if (own.length > 0) effects.resume?.(call, own);
    }
    return null;
  }

  /** Null for a call that no effect was applied to. */
  settle(call: RunningCall, outcome: CallOutcome): Promise<void> | null {
    return this.#applied.delete(call) ? this.#settle(call, outcome) : null;
  }

  async #settle(call: RunningCall, outcome: CallOutcome): Promise<void> {
    for (const effects of this.#ports.added) await effects.settle?.(call, outcome);
  }

  async #add(
    call: ResolvedCall,
    { added, recorded }: Pick<RuleDecision, "added" | "recorded">,
    showWaiting: ShowWaiting,
  ): Promise<CallFailure | null> {
    this.#applied.add(call);
    for (const effects of this.#ports.added) {
      const own = selectOwn(effects, added);
      const refusal = own.length === 0 ? null : await effects.apply(call, own, showWaiting);
      if (refusal !== null) return refusal;
    }
    for (const effects of this.#ports.added) {
      const own = selectOwn(effects, recorded);
      if (own.length > 0) await effects.record?.(call, own);
    }
    return null;
  }

  /** Decides arguments that an approver edited. @param by the approver: where a rule asks now, it must admit them */
  async decideEdited(call: ResolvedCall, by: Actor, showWaiting: ShowWaiting): Promise<CallFailure | null> {
    // Limits give back what the call has used, since the edited call is counted again.
    await this.settle(call, notRun());
    const denied = await this.decide(call, showWaiting);
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

const NO_HITS: readonly RuleHit[] = [];

const isAdded = ({ rule }: RuleHit): boolean => !isDecision(rule.effect.kind);

function selectOwn(effects: AddedEffects, hits: readonly RuleHit[]): readonly RuleHit[] {
  const kinds: readonly string[] = effects.kinds;
  return hits.length === 0 ? hits : hits.filter(({ rule: { effect } }) => kinds.includes(effect.kind));
}

function findDecision({ decisive }: RuleDecision): { name: string; effect: DecidingEffect } | null {
  if (decisive === null || decisive === "unknown") return null;
  const { name, effect } = decisive.rule;
  return isDeciding(effect) ? { name, effect } : null;
}

/** A result may repeat secrets. */
function maskValues({ mask }: ResolvedCall, values: RuleMatch["values"]): RuleMatch["values"] {
  const text = JSON.stringify(values);
  const masked = mask.json(text);
  return masked === text ? values : (JSON.parse(masked) as RuleMatch["values"]);
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
  // The facts have getters, which a copy would run.
  const read = masked === null ? facts : (Object.create(facts, { args: { value: masked } }) as typeof facts);
  return condition.readValues(read) as RuleMatch["values"];
}
