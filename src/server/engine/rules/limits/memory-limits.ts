import type { LimitCharge, LimitCounter, LimitSlot, Taken } from "./limit-ports";
import { addUnits, countUsed, dropExpired, findFreeAt, type Usage } from "./sliding-usage";

/** The number of counts at which expired ones are first removed. */
const FIRST_SWEEP = 1_000;

interface Count {
  usage: Usage;
  expiresAt: number;
}

export interface MemoryLimits extends LimitCounter {
  readonly storesWithCalls: true;
  add(charge: LimitCharge): void;
  take(...call: Parameters<LimitCounter["take"]>): Taken;
  /** The use of one count. */
  peek(slot: Pick<LimitSlot, "ruleId" | "key">): Usage;
  /** The uses of a rule, by key. */
  list(ruleId: string): [key: string, usage: Usage][];
  /** @param key absent: all of the rule */
  reset(ruleId: string, key?: string): void;
}

const toId = (ruleId: string, key: string): string => `${ruleId}\n${key}`;

/** Counts in memory, for the one process that works with a SQLite file, and for previews. */
export function createMemoryLimits(): MemoryLimits {
  const counts = new Map<string, Count>();
  let sweepAt = FIRST_SWEEP;

  function find({ ruleId, key }: Pick<LimitSlot, "ruleId" | "key">): Count {
    const id = toId(ruleId, key);
    const known = counts.get(id);
    if (known !== undefined) return known;
    const count: Count = { usage: new Map(), expiresAt: 0 };
    counts.set(id, count);
    return count;
  }

  function add(charge: LimitCharge): void {
    const count = find(charge);
    addUnits(count.usage, charge.part, charge.units);
    count.expiresAt = Math.max(count.expiresAt, charge.expiresAt);
  }

  function sweep(at: number): void {
    if (counts.size < sweepAt) return;
    for (const [id, { expiresAt }] of counts) if (expiresAt <= at) counts.delete(id);
    sweepAt = Math.max(FIRST_SWEEP, 2 * counts.size);
  }

  return {
    storesWithCalls: true,
    take(slot, charge, at, isForced) {
      sweep(at);
      const { usage } = find(slot);
      if (usage.size > 0) dropExpired(usage, at, slot.minutes);
      const isTaken = isForced || countUsed(usage, at, slot.minutes) < slot.most;
      if (isTaken) add(charge);
      return { isTaken, used: countUsed(usage, at, slot.minutes), freeAt: findFreeAt(usage, at, slot) };
    },
    add,
    peek: ({ ruleId, key }) => counts.get(toId(ruleId, key))?.usage ?? new Map(),
    list: (ruleId) =>
      [...counts].flatMap(([id, { usage }]) =>
        id.startsWith(`${ruleId}\n`) ? [[id.slice(ruleId.length + 1), usage] as [string, Usage]] : [],
      ),
    reset(ruleId, key) {
      const prefix = `${ruleId}\n`;
      for (const id of counts.keys())
        if (key === undefined ? id.startsWith(prefix) : id === toId(ruleId, key)) counts.delete(id);
    },
  };
}
