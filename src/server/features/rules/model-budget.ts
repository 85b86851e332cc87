import type { Role } from "../../../lib/contract/access";
import type { ModelBudget, ModelSpender } from "../../engine/agent/model-budget";
import { compileScope, type RuledCall, type StoredCallRule } from "../../engine/rules/decide-call";
import { describeRefusal } from "../../engine/rules/limits/describe-limit";
import type { LimitSlot } from "../../engine/rules/limits/limit-ports";
import { type LimitRule, toAmount, toCharge, toSlot, toUnits } from "../../engine/rules/limits/limit-slot";
import { countUsed, findFreeAt } from "../../engine/rules/limits/sliding-usage";
import type { LimitCounts } from "./limit-counts";

interface ModelBudgetPorts {
  /** The rules of now, in their order. */
  list: () => readonly StoredCallRule[];
  counts: Pick<LimitCounts, "find" | "add">;
  /** The role of a user now; null where it is not known. */
  readRole: (userId: string) => Role | null;
  now: () => number;
}

/** Limits of dollars with `models`: a run's model receives a request only where each of them has room. */
export function createModelBudget({ list, counts, readRole, now }: ModelBudgetPorts): ModelBudget {
  function findLimits(spender: ModelSpender): { rule: LimitRule; slot: LimitSlot; isOn: boolean }[] {
    return list().flatMap((rule) => {
      const { id, name, state, effect } = rule;
      if (state === "off" || effect.kind !== "limit" || effect.models !== true) return [];
      if (compileScope(rule)(toRuled(spender, readRole(spender.actor.id), now())) !== true) return [];
      const limit = { id, name, effect };
      return { rule: limit, slot: toSlot(limit, toCounted(spender)), isOn: state === "on" };
    });
  }

  return {
    async findRefusal(spender) {
      for (const { rule, slot, isOn } of findLimits(spender)) {
        const usage = isOn ? await counts.find(slot) : null;
        const used = usage === null ? 0 : countUsed(usage, now(), slot.minutes);
        if (usage === null || used < slot.most) continue;
        return describeRefusal(rule, toAmount("money", used), findFreeAt(usage, now(), slot), now());
      }
      return null;
    },

    async charge(spender, cost) {
      for (const { slot } of findLimits(spender)) {
        await counts.add(toCharge(slot, now(), toUnits("money", cost)));
      }
    },
  };
}

const toCounted = ({ actor, runId }: ModelSpender) => ({
  actorId: actor.id,
  tokenId: null,
  client: null,
  toolName: "",
  runId,
});

/** A request of a model as scopes read it: it has no tool, and rules that count models name none. */
function toRuled({ actor, source }: ModelSpender, role: Role | null, at: number): RuledCall {
  return {
    toolName: "",
    serverName: null,
    toolset: null,
    tags: [],
    actor,
    role,
    tokenId: null,
    client: null,
    source,
    stored: false,
    kind: "tool",
    canWait: false,
    at,
    readArguments: () => undefined,
    count: () => null,
  };
}
