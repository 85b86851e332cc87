import type { Role } from "../../../lib/contract/access";
import type { Actor } from "../../../lib/contract/actor";
import type { ApprovalMode } from "../../../lib/contract/approval";
import { explainApproverDenial, explainEditDenial, findApproverRule, joinModes } from "../../../lib/contract/approver";
import { isCounted } from "../../../lib/contract/call-class";
import type { AddedEffect, DecidingEffect } from "../../../lib/contract/call-rule";
import { isDeciding, isDecision } from "../../../lib/contract/call-rule-words";
import type { RuleMatch } from "../../../lib/contract/rule-match";
import { getServerName, type ToolDefinition } from "../../../lib/contract/tool-definition";
import { parseExactParts } from "../../../lib/json/exact-text";
import { type CallFailure, type CallOutcome, failure, notRun } from "../executor/call-outcome";
import { canAwaitApproval } from "../executor/execute-options";
import type { CallRoute, ResolvedCall, RunningCall } from "../executor/running-call";
import type { CallCounts, CountCalls, CountingCall } from "./call-counts";
import { type CompiledRules, type RuleDecision, type RuledCall, type RuleHit, toMatches } from "./decide-call";
import { ResultCandidates } from "./decide-result";
import { findRoute, joinDecisions } from "./decide-route";
import { toResultFacts } from "./result-facts";
import { ResultGuard, type ResultGuardPorts } from "./result-guard";
import type { ResultFacts, ResultRedactor } from "./rule-ports";

export interface CallRulesPorts {
  /** The rules of now. Read for every call, from memory. */
  current: () => CompiledRules;
  /** Whether accounts are on. Without accounts there is one user, who may approve everything. */
  accounts: boolean;
  /** The role of a user now; null where it is not known. */
  readRole: (actorId: string) => Role | null;
  counts: CallCounts;
  /** They apply the effects that decide nothing, in this order. */
  added: readonly AddedEffects[];
  /** Searches results; absent where no rule is about them. */
  redactor?: ResultRedactor;
}

/** Applies the effects of some kinds to a call that no rule denies, before approval is requested and before it runs. */
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
  /** Records what rules that only record would have done. */
  record?(call: ResolvedCall, hits: readonly RuleHit[]): void | Promise<void>;
  /** A call runs that was let through before: after a user approved it, say. */
  resume?(call: ResolvedCall, hits: readonly RuleHit[]): void;
  /** A call ends to which effects were applied, whether it ran or was refused. Comes before the end is recorded. */
  settle?(call: RunningCall, outcome: CallOutcome): void | Promise<void>;
}

export type ShowWaiting = (call: ResolvedCall) => Promise<CallFailure | null>;

/** The steps of a call that rules have the executor take. */
export interface RuleSteps {
  /** Call it before the call waits. Returns the refusal of a call that could not be recorded. */
  showWaiting: ShowWaiting;
  /** Sets the tool that a rule routes the call to. Returns the refusal of a call that it must not run. */
  route: (call: ResolvedCall, route: CallRoute) => CallFailure | null | Promise<CallFailure | null>;
}

/** Applies the rules to one call. Reads memory only, and for conditions that count calls the execution log. */
export class CallRules {
  readonly #ports: CallRulesPorts;
  /** Calls that effects were applied to. */
  readonly #applied = new WeakSet<RunningCall>();
  /** The counts of calls that a rule may count. */
  readonly #counts = new WeakMap<RunningCall, CountCalls>();

  constructor(ports: CallRulesPorts) {
    this.#ports = ports;
  }

  /** Sets on the call what its rules say. @returns the refusal of a rule that denies it */
  decide(call: ResolvedCall, steps: RuleSteps): CallFailure | null | Promise<CallFailure | null> {
    const rules = this.#ports.current();
    if (rules.countMinutes === 0) this.#ports.counts.forget();
    if (rules.isEmpty) return null;
    const counting = this.#openCalledCount(call, rules);
    return counting === null ? this.#decide(call, rules, steps) : counting.then(() => this.#decide(call, rules, steps));
  }

  #decide(
    call: ResolvedCall,
    rules: CompiledRules,
    steps: RuleSteps,
  ): CallFailure | null | Promise<CallFailure | null> {
    const decision = rules.decide(this.#toRuled(call));
    if (rules.countMinutes > 0) this.#ports.counts.note(toCounting(call), rules.countMinutes);
    const route = decision.added.length === 0 ? null : findRoute(decision);
    return route === null ? this.#apply(call, decision, steps) : this.#decideRouted(call, { decision, route }, steps);
  }

  /** Decides about the tool that is called and the one that runs: the stricter decision counts. */
  async #decideRouted(call: ResolvedCall, from: FoundRoute, steps: RuleSteps): Promise<CallFailure | null> {
    const rules = this.#ports.current();
    const refusal = await steps.route(call, toCallRoute(from.route));
    const joined = refusal === null ? await this.#join(call, rules, from) : from.decision;
    if (refusal !== null) {
      this.#setRuled(call, joined);
      this.#noteRoute(call, from.route);
      return refusal;
    }
    call.setLifted(joined.routed?.allows ?? NOTHING_LIFTED);
    const denied = await this.#apply(call, joined, steps);
    this.#noteRoute(call, from.route);
    return denied;
  }

  async #join(call: ResolvedCall, rules: CompiledRules, { decision, route }: FoundRoute): Promise<RuleDecision> {
    const runs = this.#toRunRuled(call);
    if (rules.countMinutes > 0) await this.#openCount(call, rules, this.#toRuled(call), runs);
    return joinDecisions(decision, rules.decide(runs), route);
  }

  #noteRoute(call: ResolvedCall, { rule }: RuleHit): void {
    if (rule.effect.kind === "route") call.noteMatch(rule.id, { routed_to: rule.effect.tool });
  }

  /** Sets the recorded and the deciding rules. */
  #setRuled(call: ResolvedCall, decision: RuleDecision): ReturnType<typeof findDecision> {
    const readArguments = createMaskedReader(call);
    const matches = toMatches(decision, (hit) => readMasked(hit, readArguments));
    const decided = findDecision(decision);
    if (matches.length > 0) call.setRuled(decided?.effect ?? null, matches);
    return decided;
  }

  #apply(
    call: ResolvedCall,
    decision: RuleDecision,
    { showWaiting }: RuleSteps,
  ): CallFailure | null | Promise<CallFailure | null> {
    const decided = this.#setRuled(call, decision);
    if (decided?.effect.kind === "deny") {
      return failure("rule", `Denied by rule ${decided.name}: ${decided.effect.reason}`);
    }
    const recorded = decision.recorded.length === 0 ? NO_HITS : decision.recorded.filter(isAdded);
    return decision.added.length === 0 && recorded.length === 0
      ? null
      : this.#add(call, { added: decision.added, recorded }, showWaiting);
  }

  /** The guard of the result of a call that is about to run; null where no rule applies to it. */
  guard(call: ResolvedCall, toOutcome: ResultGuardPorts["toOutcome"]): ResultGuard | null {
    const rules = this.#ports.current();
    const { redactor } = this.#ports;
    // Checks and tests compare results with recorded ones, and no model or client receives them.
    if (rules.results.length === 0 || redactor === undefined || !isCounted(call.source)) return null;
    let result: ResultFacts | undefined;
    const calls = call.state.route === null ? [this.#toRuled(call)] : [this.#toRuled(call), this.#toRunRuled(call)];
    const candidates = new ResultCandidates(
      rules,
      calls.map((ruled) => ({ ...ruled, readResult: () => result })),
    );
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
  resume(call: ResolvedCall, steps: RuleSteps): CallFailure | null | Promise<CallFailure | null> {
    const rules = this.#ports.current();
    if (rules.isEmpty) return null;
    const counting = this.#openCalledCount(call, rules);
    return counting === null
      ? this.#resumeDecided(call, rules, steps)
      : counting.then(() => this.#resumeDecided(call, rules, steps));
  }

  #resumeDecided(
    call: ResolvedCall,
    rules: CompiledRules,
    steps: RuleSteps,
  ): CallFailure | null | Promise<CallFailure | null> {
    const decision = rules.decide(this.#toRuled(call));
    const route = decision.added.length === 0 ? null : findRoute(decision);
    return route === null ? this.#resume(call, decision) : this.#resumeRouted(call, { decision, route }, steps);
  }

  async #resumeRouted(call: ResolvedCall, from: FoundRoute, steps: RuleSteps): Promise<CallFailure | null> {
    const rules = this.#ports.current();
    const refusal = await steps.route(call, toCallRoute(from.route));
    return refusal ?? this.#resume(call, await this.#join(call, rules, from));
  }

  #resume(call: ResolvedCall, decision: RuleDecision): null {
    const { added, unknown } = decision;
    if (added.length === 0) return null;
    this.#applied.add(call);
    // The records of its end contain the limits; the deciding one is recorded.
    call.setMatches(toMatches({ added, unknown, decisive: null, recorded: [] }, () => ({})));
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
  async decideEdited(call: ResolvedCall, by: Actor, steps: RuleSteps): Promise<CallFailure | null> {
    // Limits return the call's units, since the edited call is counted again.
    await this.settle(call, notRun());
    const denied = await this.decide(call, steps);
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

  /** The call with the tool that runs. */
  #toRunRuled(call: ResolvedCall): RuledCall {
    return this.#toRuled(call, { toolName: call.definition.name, definition: call.definition });
  }

  #openCalledCount(call: ResolvedCall, rules: CompiledRules): Promise<void> | null {
    return rules.countMinutes === 0 ? null : this.#openCount(call, rules, this.#toRuled(call));
  }

  /** Null where nothing has to be read. `count` is about the tool that is called, also for rules about the one that runs. */
  #openCount(call: ResolvedCall, rules: CompiledRules, ...ruled: RuledCall[]): Promise<void> | null {
    const minutes = Math.max(0, ...ruled.map((each) => rules.findCountMinutes(each)));
    if (minutes === 0) return null;
    const counting = this.#ports.counts.open(toCounting(call), minutes);
    if (typeof counting === "function") {
      this.#counts.set(call, counting);
      return null;
    }
    return counting.then((count) => void this.#counts.set(call, count));
  }

  /** @param tool the tool to check; absent: the called one */
  #toRuled(call: ResolvedCall, tool?: { toolName: string; definition: ToolDefinition }): RuledCall {
    const { options, args, actor, source, queuedAt } = call;
    const { toolName, definition } = tool ?? {
      toolName: call.toolName,
      definition: call.state.route?.from ?? call.definition,
    };
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
      kind: options.provided?.ruledAs ?? "tool",
      canWait: canAwaitApproval(options),
      at: queuedAt,
      readArguments: () => parseExactParts(args.text),
      count: (minutes) => this.#counts.get(call)?.(minutes) ?? null,
    };
  }
}

const toCounting = ({ executionId, actor, toolName, queuedAt }: ResolvedCall): CountingCall => ({
  executionId,
  actorId: actor.id,
  toolName,
  at: queuedAt,
});

const NO_HITS: readonly RuleHit[] = [];
const NOTHING_LIFTED = { from: false, to: false };

/** The route that applies to a call, and what rules decide about the tool that is called. */
interface FoundRoute {
  decision: RuleDecision;
  route: RuleHit;
}

function toCallRoute({ rule: { name, effect } }: RuleHit): CallRoute {
  return { rule: name, tool: effect.kind === "route" ? effect.tool : "" };
}

const isAdded = ({ rule }: RuleHit): boolean => !isDecision(rule.effect.kind);

function selectOwn(effects: AddedEffects, hits: readonly RuleHit[]): readonly RuleHit[] {
  const kinds: readonly string[] = effects.kinds;
  return hits.length === 0 ? hits : hits.filter(({ rule: { effect } }) => kinds.includes(effect.kind));
}

function findDecision({ decisive, routed }: RuleDecision): { name: string; effect: DecidingEffect } | null {
  if (decisive === null || decisive === "unknown") return null;
  const { name, effect } = decisive.rule;
  if (!isDeciding(effect)) return null;
  const other = routed?.decisive ?? null;
  const second = other === null || other === "unknown" ? null : other.rule.effect;
  if (effect.kind !== "ask" || second?.kind !== "ask") return { name, effect };
  const approver = joinModes(effect.approver, second.approver);
  return { name, effect: { kind: "ask", approver: approver === null || approver === "never" ? "always" : approver } };
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

/** The values in their stored form, masked. */
function readMasked({ condition, facts }: RuleHit, readArguments: () => unknown): RuleMatch["values"] {
  if (condition === null) return {};
  const masked = condition.readsArguments ? readArguments() : null;
  // The facts have getters, which a copy would call.
  const read = masked === null ? facts : (Object.create(facts, { args: { value: masked } }) as typeof facts);
  return condition.readValues(read) as RuleMatch["values"];
}
