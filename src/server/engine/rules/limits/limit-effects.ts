import { joinModes } from "../../../../lib/contract/approver";
import type { RuleMatch } from "../../../../lib/contract/rule-match";
import { utf8Bytes } from "../../../../lib/utf8-bytes";
import { type CallFailure, type CallOutcome, failure } from "../../executor/call-outcome";
import { canAwaitApproval } from "../../executor/execute-options";
import type { ResolvedCall, RunningCall } from "../../executor/running-call";
import type { Clock } from "../../ports";
import type { AddedEffects, ShowWaiting } from "../call-rules";
import type { RuleHit } from "../decide-call";
import { describeRefusal } from "./describe-limit";
import type { LimitCharge, LimitCounter, LimitSlot, Taken } from "./limit-ports";
import { createLimitQueues } from "./limit-queues";
import { type LimitRule, toAmount, toCharge, toSlot, toUnits } from "./limit-slot";

interface LimitPorts {
  counter: LimitCounter;
  clock: Clock;
}

/** The room that a call has taken of one limit. */
interface Use {
  rule: LimitRule;
  slot: LimitSlot;
  /** The taken charge; null where an earlier process took it. */
  taken: LimitCharge | null;
}

type Applied = RuleMatch["values"];

/** Counts calls against the limits that match them, and refuses, asks or waits where there is no room. */
export class LimitEffects implements AddedEffects {
  readonly kinds = ["limit"] as const;
  readonly #ports: LimitPorts;
  readonly #uses = new WeakMap<RunningCall, Use[]>();
  readonly #queues = createLimitQueues();

  constructor(ports: LimitPorts) {
    this.#ports = ports;
  }

  /** A limit that waits comes after the others, so that no call waits which another limit refuses. */
  async apply(call: ResolvedCall, hits: readonly RuleHit[], showWaiting: ShowWaiting): Promise<CallFailure | null> {
    const rules = hits.flatMap(toLimitRule);
    const atOnce = rules.filter(({ effect }) => effect.action !== "wait");
    for (const rule of atOnce) {
      const refusal = await this.#applyAtOnce(call, rule);
      if (refusal !== null) return refusal;
    }
    for (const rule of rules.filter(({ effect }) => effect.action === "wait")) {
      const refusal = await this.#applyWaiting(call, rule, showWaiting);
      if (refusal !== null) return refusal;
    }
    return null;
  }

  /** A rule that only records counts what it would have let through. */
  async record(call: ResolvedCall, hits: readonly RuleHit[]): Promise<void> {
    for (const rule of hits.flatMap(toLimitRule)) {
      const slot = this.#toSlot(rule, call);
      const taken = await this.#take(call, rule, slot, false);
      note(call, rule, taken, taken.isTaken ? {} : { would: rule.effect.action });
    }
  }

  /** Counts the end of a call that an earlier process, or an earlier request, counted as begun. */
  resume(call: ResolvedCall, hits: readonly RuleHit[]): void {
    const uses = hits.flatMap(toLimitRule).map((rule) => ({ rule, slot: this.#toSlot(rule, call), taken: null }));
    this.#uses.set(call, uses);
  }

  /** Gives back what a call took that did not run; of one that ran, adds its bytes and its price. */
  async settle(call: RunningCall, outcome: CallOutcome): Promise<void> {
    const uses = this.#uses.get(call);
    if (uses === undefined) return;
    this.#uses.delete(call);
    const hasRun = call.state.startedAt !== null;
    for (const use of uses) {
      const charge = hasRun ? this.#toEndCharge(call, use, outcome) : toReturned(use);
      if (charge !== null) await this.#add(call, charge);
    }
  }

  async #applyAtOnce(call: ResolvedCall, rule: LimitRule): Promise<CallFailure | null> {
    const slot = this.#toSlot(rule, call);
    const asks = rule.effect.action === "ask" && canAwaitApproval(call.options);
    let taken = await this.#take(call, rule, slot, false);
    if (taken.isTaken) {
      note(call, rule, taken, {});
      return null;
    }
    if (!asks) return this.#refuse(call, rule, taken);
    const { freeAt } = taken;
    taken = await this.#take(call, rule, slot, true);
    note(call, rule, taken, { outcome: "asked", free_at: toTime(freeAt) });
    const { ruled } = call.state;
    const approver = joinModes(ruled?.kind === "ask" ? ruled.approver : null, rule.effect.approver);
    if (approver !== null && approver !== "never") call.setDecision({ kind: "ask", approver });
    return null;
  }

  async #applyWaiting(call: ResolvedCall, rule: LimitRule, showWaiting: ShowWaiting): Promise<CallFailure | null> {
    const { clock } = this.#ports;
    const slot = this.#toSlot(rule, call);
    const since = clock.elapsed();
    const result = await this.#queues.take(slot, {
      take: () => this.#take(call, rule, slot, false),
      now: clock.now,
      waitMs: Math.min(rule.effect.waitSeconds * 1000, call.timeoutMs),
      signal: call.options.signal,
      onWait: (freeAt) => {
        const until = freeAt === null ? "" : ` until about ${new Date(freeAt).toISOString()}`;
        call.logger.info(`Waiting for room under rule ${rule.name}${until}`);
        return showWaiting(call);
      },
    });
    if ("failure" in result) return result.failure;
    if (result.hasWaited) call.noteRuleWait(clock.elapsed() - since);
    const waited: Applied = result.hasWaited ? { waited_ms: Math.round(clock.elapsed() - since) } : {};
    if (!result.taken.isTaken) return this.#refuse(call, rule, result.taken, waited);
    note(call, rule, result.taken, waited);
    return null;
  }

  #refuse(call: ResolvedCall, rule: LimitRule, taken: Taken, applied: Applied = {}): CallFailure {
    note(call, rule, taken, { ...applied, outcome: "denied", free_at: toTime(taken.freeAt) });
    const now = this.#ports.clock.now();
    const refusal = failure(
      "rule",
      describeRefusal(rule, toAmount(rule.effect.measure, taken.used), taken.freeAt, now),
    );
    return taken.freeAt === null ? refusal : { ...refusal, retry_after_ms: Math.max(Math.ceil(taken.freeAt - now), 0) };
  }

  #toSlot(rule: LimitRule, { actor, options, toolName }: ResolvedCall): LimitSlot {
    const { tokenId, client, runId } = options;
    return toSlot(rule, {
      actorId: actor.id,
      tokenId: tokenId ?? null,
      client: client ?? null,
      toolName,
      runId: runId ?? null,
    });
  }

  async #take(call: ResolvedCall, rule: LimitRule, slot: LimitSlot, isForced: boolean): Promise<Taken> {
    const { counter, clock } = this.#ports;
    const at = clock.now();
    const charge = toCharge(slot, at, rule.effect.measure === "calls" ? 1 : 0);
    const taken = await counter.take(slot, charge, at, isForced);
    if (!taken.isTaken) return taken;
    if (counter.storesWithCalls) call.addCharge(charge);
    const uses = this.#uses.get(call) ?? [];
    this.#uses.set(call, uses);
    uses.push({ rule, slot, taken: charge });
    return taken;
  }

  async #add(call: RunningCall, charge: LimitCharge): Promise<void> {
    const { counter } = this.#ports;
    await counter.add(charge);
    if (counter.storesWithCalls) call.addCharge(charge);
  }

  #toEndCharge(call: RunningCall, { rule, slot }: Use, outcome: CallOutcome): LimitCharge | null {
    const { measure } = rule.effect;
    if (measure === "calls") return null;
    const amount =
      measure === "money"
        ? (call.state.cost ?? 0)
        : utf8Bytes(call.args.text) + (outcome.resultText === undefined ? 0 : utf8Bytes(outcome.resultText));
    const units = toUnits(measure, amount);
    return units === 0 ? null : toCharge(slot, this.#ports.clock.now(), units);
  }
}

function toLimitRule({ rule: { id, name, effect } }: RuleHit): LimitRule[] {
  return effect.kind === "limit" ? [{ id, name, effect }] : [];
}

function toReturned({ taken }: Use): LimitCharge | null {
  return taken === null || taken.units === 0 ? null : { ...taken, units: -taken.units };
}

const toTime = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());

function note(call: ResolvedCall, { id, effect }: LimitRule, { used }: Taken, applied: Applied): void {
  const { measure, most } = effect;
  call.noteMatch(id, { limit: { measure, used: toAmount(measure, used), most, ...applied } });
}
