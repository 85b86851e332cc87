import type { Role } from "../../../../lib/contract/access";
import { joinModes } from "../../../../lib/contract/approver";
import type { HookTest } from "../../../../lib/contract/call-rule";
import type { RuleMatch } from "../../../../lib/contract/rule-match";
import { getServerName } from "../../../../lib/contract/tool-definition";
import { aborted, type CallFailure, failure } from "../../executor/call-outcome";
import { canAwaitApproval } from "../../executor/execute-options";
import type { ResolvedCall } from "../../executor/running-call";
import type { Clock } from "../../ports";
import type { AddedEffects } from "../call-rules";
import type { RuleHit } from "../decide-call";
import type { HookEffect, HookQuestion, HookSender } from "./hook-ports";

interface HookPorts {
  sender: HookSender;
  clock: Clock;
  /** The role of a user now; null where it is not known. */
  readRole: (userId: string) => Role | null;
}

interface Asked {
  hit: RuleHit;
  effect: HookEffect;
  answer: HookTest;
}

/** Asks the hooks of a call, all at once: the strictest answer counts. A rule that only records asks none. */
export class HookEffects implements AddedEffects {
  readonly kinds = ["hook"] as const;
  readonly #ports: HookPorts;

  constructor(ports: HookPorts) {
    this.#ports = ports;
  }

  async apply(call: ResolvedCall, hits: readonly RuleHit[]): Promise<CallFailure | null> {
    const { clock } = this.#ports;
    const { signal } = call.options;
    const since = clock.elapsed();
    let asked: Asked[];
    try {
      asked = (await Promise.all(hits.map((hit) => this.#ask(call, hit)))).flat();
    } catch (error) {
      if (signal?.aborted) return aborted(signal.reason);
      throw error;
    } finally {
      call.noteRuleWait(clock.elapsed() - since);
    }
    for (const each of asked) call.noteMatch(each.hit.rule.id, { hook: toNote(call, each) });
    const denied = asked.find((each) => toDecision(each) === "deny");
    if (denied !== undefined) return failure("rule", explainDenial(denied));
    const asking = asked.find((each) => toDecision(each) === "ask");
    return asking === undefined ? null : requireApproval(call, asking);
  }

  async #ask(call: ResolvedCall, hit: RuleHit): Promise<Asked[]> {
    const { id, effect } = hit.rule;
    if (effect.kind !== "hook") return [];
    const question = this.#toQuestion(call, hit, effect);
    return [{ hit, effect, answer: await this.#ports.sender.ask({ id, effect }, question, call.options.signal) }];
  }

  #toQuestion(call: ResolvedCall, { rule: { name, version } }: RuleHit, effect: HookEffect): HookQuestion {
    const { actor, source, options, definition, toolName } = call;
    const { route } = call.state;
    return {
      execution: call.executionId,
      tool: {
        name: toolName,
        server: getServerName(route?.from ?? definition),
        ...(route !== null && { runs: definition.name }),
      },
      caller: {
        id: actor.id,
        name: actor.name,
        role: this.#ports.readRole(actor.id),
        source,
        client: options.client ?? null,
      },
      rule: { name, version },
      argumentsText:
        effect.arguments === "none" ? null : effect.arguments === "whole" ? call.args.text : call.storedArgumentsText,
    };
  }
}

const toDecision = ({ effect, answer }: Asked): "allow" | "deny" | "ask" => answer.decision ?? effect.onFailure;

function explainDenial({ hit, answer: { decision, reason, failure: why } }: Asked): string {
  const { name } = hit.rule;
  if (decision === null) return `Denied by rule ${name}: its hook failed, since ${why}`;
  return `Denied by rule ${name}: ${reason ?? "its hook denies the call"}`;
}

/** The record of a hook, masked: its reason may repeat a secret that it was sent. */
function toNote({ mask }: ResolvedCall, { effect, answer }: Asked): RuleMatch["values"] {
  const { decision, reason, failure: why, ms } = answer;
  if (decision === null) return { failed: why, outcome: effect.onFailure, ms };
  return { outcome: decision, ...(reason !== null && { reason: mask.text(reason) }), ms };
}

/** Answers of a toolset cannot wait for approval. */
function requireApproval(call: ResolvedCall, { hit }: Asked): CallFailure | null {
  if (!canAwaitApproval(call.options)) {
    return failure("rule", `Denied by rule ${hit.rule.name}: its hook asks for approval, which is not possible here`);
  }
  const { ruled } = call.state;
  const approver = joinModes(ruled?.kind === "ask" ? ruled.approver : null, "always");
  call.setDecision({ kind: "ask", approver: approver === null || approver === "never" ? "always" : approver });
  return null;
}
