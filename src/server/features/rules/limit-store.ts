import type { LimitCharge, LimitSlot } from "../../engine/rules/limits/limit-ports";
import type { Usage } from "../../engine/rules/limits/sliding-usage";

export interface StoredCount {
  ruleId: string;
  key: string;
  usage: Usage;
  expiresAt: number;
}

/** The stored usage of limits. */
export interface LimitStore {
  /** The counts that have not expired. */
  list(now: number): Promise<StoredCount[]>;
  /** Adds where there is room, in one statement. @returns null where the limit is full */
  take(slot: LimitSlot, charge: LimitCharge): Promise<Usage | null>;
  /** Adds whether there is room or not. */
  add(charge: LimitCharge): Promise<Usage>;
  find(slot: Pick<LimitSlot, "ruleId" | "key">): Promise<Usage>;
  /** @param key absent: all of the rule */
  reset(ruleId: string, key?: string): Promise<void>;
  /** Deletes those that no longer count. */
  prune(now: number): Promise<void>;
}
