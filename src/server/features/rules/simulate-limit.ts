import type { RulePreview } from "../../../lib/contract/call-rule";
import type { ErrorKind } from "../../../lib/contract/envelope";
import { type LimitRule, toCharge, toSlot, toUnits } from "../../engine/rules/limits/limit-slot";
import { createMemoryLimits } from "../../engine/rules/limits/memory-limits";
import { TimeSlice } from "../../engine/time-slice";
import type { RecordedCall } from "./rule-store";

/** Calls that ended before they ran return their units of limits. */
const UNRUN: ReadonlySet<ErrorKind> = new Set<ErrorKind>([
  "rejected",
  "approval_expired",
  "approval_pending",
  "tool_changed",
  "not_recorded",
]);

type LimitedCall = Pick<RecordedCall, "seq" | "actorId" | "tokenId" | "client" | "toolName" | "runId" | "queuedAt"> & {
  amount: number;
  hasRun: boolean;
};

/** Tells of recorded calls, in their order, what a limit would have done if it had been on since the first of them. */
export class LimitSimulation {
  readonly #rule: LimitRule;
  readonly #calls: LimitedCall[] = [];

  constructor(rule: LimitRule) {
    this.#rule = rule;
  }

  get measuresMoney(): boolean {
    return this.#rule.effect.measure === "money";
  }

  /** @param dollars by the prices that were recorded */
  add(call: RecordedCall, dollars: number): void {
    const { measure } = this.#rule.effect;
    this.#calls.push({
      seq: call.seq,
      actorId: call.actorId,
      tokenId: call.tokenId,
      client: call.client,
      toolName: call.toolName,
      runId: call.runId,
      queuedAt: call.queuedAt,
      amount: measure === "calls" ? 1 : measure === "bytes" ? call.bytes : dollars,
      hasRun: call.errorKind === null || !UNRUN.has(call.errorKind),
    });
  }

  /** Every call ends before the next one begins, so that bytes and money of calls that ran at once count a little early. */
  async run(signal: AbortSignal | undefined): Promise<NonNullable<RulePreview["limited"]>> {
    const { measure, action } = this.#rule.effect;
    const counter = createMemoryLimits();
    const slice = new TimeSlice();
    const keys = new Set<string>();
    const result = { calls: this.#calls.length, withoutRoom: 0, firstAt: null as number | null };
    this.#calls.sort((left, right) => left.queuedAt - right.queuedAt || left.seq - right.seq);
    for (const call of this.#calls) {
      signal?.throwIfAborted();
      await slice.pause();
      const slot = toSlot(this.#rule, call);
      keys.add(slot.key);
      const units = call.hasRun ? toUnits(measure, call.amount) : 0;
      const charge = toCharge(slot, call.queuedAt, units);
      if (counter.take(slot, charge, call.queuedAt, false).isTaken) continue;
      result.withoutRoom += 1;
      result.firstAt ??= call.queuedAt;
      // The simulation assumes that the approver approves.
      if (action === "ask") counter.add(charge);
    }
    return { ...result, keys: keys.size };
  }
}
