import type { LimitUsage } from "../../../lib/contract/rule-limit";
import type { Logger } from "../../engine/ports";
import type { LimitCharge, LimitCounter, LimitSlot } from "../../engine/rules/limits/limit-ports";
import { type LimitRule, readKey, toAmount, toUnits } from "../../engine/rules/limits/limit-slot";
import { createMemoryLimits, type MemoryLimits } from "../../engine/rules/limits/memory-limits";
import { countUsed, findFreeAt, type Usage } from "../../engine/rules/limits/sliding-usage";
import type { LimitStore } from "./limit-store";

interface LimitCountPorts {
  store: LimitStore;
  /** Several instances of the server count together, so that the database decides. */
  isShared: boolean;
  logger: Logger;
  now: () => number;
}

/** Counts of ended windows are deleted that often. */
const PRUNE_MS = 3_600_000;
const MAX_LISTED = 1_000;

export interface LimitCounts {
  load(): Promise<void>;
  counter: LimitCounter;
  /** Counts a charge that is recorded without a call. */
  add(charge: LimitCharge): Promise<void>;
  /** Finds the usage of one count; counts nothing. */
  find(slot: LimitSlot): Usage | Promise<Usage>;
  /** Lists the current usage, the fullest first. */
  listUsage(rules: readonly LimitRule[]): Promise<LimitUsage[]>;
  /** @param key absent: all of the rule */
  reset(ruleId: string, key?: string): Promise<void>;
}

/** Counts of limits: in memory where one process works with the database, else in the database. */
export function createLimitCounts({ store, isShared, logger, now }: LimitCountPorts): LimitCounts {
  const memory = isShared ? null : createMemoryLimits();
  let pruneAt = 0;

  function pruneSometimes(): void {
    if (now() < pruneAt) return;
    pruneAt = now() + PRUNE_MS;
    store
      .prune(now())
      .catch((error: unknown) => logger.warn({ err: error }, "Ended counts of limits were not deleted"));
  }

  const inner = memory ?? createStoredCounter(store);
  const counter: LimitCounter = {
    storesWithCalls: inner.storesWithCalls,
    add: inner.add,
    take(slot, charge, at, isForced) {
      pruneSometimes();
      return inner.take(slot, charge, at, isForced);
    },
  };

  return {
    counter,

    async add(charge) {
      memory?.add(charge);
      await store.add(charge);
    },

    find: (slot) => (memory === null ? store.find(slot) : memory.peek(slot)),

    async load() {
      if (memory === null) return;
      for (const { ruleId, key, usage, expiresAt } of await store.list(now())) {
        for (const [part, units] of usage) memory.add({ ruleId, key, part, units, expiresAt });
      }
    },

    async listUsage(rules) {
      const counts = memory === null ? await listStored(store, now()) : listKept(memory, rules);
      const byId = new Map(rules.map((rule) => [rule.id, rule]));
      return counts
        .flatMap(({ ruleId, key, usage }) => toUsage(byId.get(ruleId), key, usage, now()) ?? [])
        .sort((left, right) => right.used / right.most - left.used / left.most)
        .slice(0, MAX_LISTED);
    },

    async reset(ruleId, key) {
      await store.reset(ruleId, key);
      memory?.reset(ruleId, key);
    },
  };
}

interface KeptCount {
  ruleId: string;
  key: string;
  usage: Usage;
}

const listStored = (store: LimitStore, at: number): Promise<KeptCount[]> => store.list(at);

const listKept = (memory: MemoryLimits, rules: readonly LimitRule[]): KeptCount[] =>
  rules.flatMap(({ id }) => memory.list(id).map(([key, usage]) => ({ ruleId: id, key, usage })));

function toUsage(rule: LimitRule | undefined, key: string, usage: Usage, at: number): LimitUsage | null {
  const parts = rule === undefined ? null : readKey(rule, key);
  if (rule === undefined || parts === null) return null;
  const { measure, minutes, most } = rule.effect;
  const used = countUsed(usage, at, minutes);
  if (used === 0) return null;
  return {
    ruleId: rule.id,
    ruleName: rule.name,
    key,
    parts,
    measure,
    used: toAmount(measure, used),
    most,
    minutes,
    freeAt: findFreeAt(usage, at, { minutes, most: toUnits(measure, most) }),
  };
}

/** One statement for a call that a limit lets through, one more for one that it does not. */
function createStoredCounter(store: LimitStore): LimitCounter {
  return {
    storesWithCalls: false,
    async take(slot, charge, at, isForced) {
      const taken = isForced ? await store.add(charge) : await store.take(slot, charge);
      const usage = taken ?? (await store.find(slot));
      const isTaken = taken !== null;
      return { isTaken, used: countUsed(usage, at, slot.minutes), freeAt: findFreeAt(usage, at, slot) };
    },
    async add(charge: LimitCharge) {
      await store.add(charge);
    },
  };
}
