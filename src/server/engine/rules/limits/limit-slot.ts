import { LIMIT_KEYS, type LimitKey, type LimitMeasure } from "../../../../lib/contract/call-rule-words";
import type { LimitEffect, LimitUsage } from "../../../../lib/contract/rule-limit";
import type { StoredCallRule } from "../decide-call";
import { splitClient } from "../split-client";
import type { LimitCharge, LimitSlot } from "./limit-ports";
import { toExpiry, toPart } from "./sliding-usage";

/** The facts of a call by which limits count it. */
export interface CountedCall {
  actorId: string;
  tokenId: string | null;
  client: string | null;
  toolName: string;
  runId: string | null;
}

export type LimitRule = Pick<StoredCallRule, "id" | "name"> & { effect: LimitEffect };

/** Prices may have fractions of cents; sums of whole numbers are exact. */
const MONEY_UNITS = 1_000_000;

export const toUnits = (measure: LimitMeasure, amount: number): number =>
  measure === "money" ? Math.round(amount * MONEY_UNITS) : amount;

export const toAmount = (measure: LimitMeasure, units: number): number =>
  measure === "money" ? units / MONEY_UNITS : units;

const READ: Readonly<Record<LimitKey, (call: CountedCall) => string | null>> = {
  user: ({ actorId }) => actorId,
  token: ({ tokenId }) => tokenId,
  client: ({ client }) => splitClient(client)[0],
  tool: ({ toolName }) => toolName,
  run: ({ runId }) => runId,
};

const sortKeys = (per: readonly LimitKey[]): LimitKey[] => LIMIT_KEYS.filter((each) => per.includes(each));

/** Identifies what is counted and how, so that another measure or window starts at 0. */
export function toSlot({ id, effect }: LimitRule, call: CountedCall): LimitSlot {
  const { measure, minutes, most } = effect;
  const keys = sortKeys(effect.per);
  const key = JSON.stringify([measure, minutes, keys.join("+"), keys.map((each) => READ[each](call))]);
  return { ruleId: id, key, minutes, most: toUnits(measure, most) };
}

/** The subjects that a key was made of; null for a key that a rule no longer uses. */
export function readKey({ effect }: LimitRule, key: string): LimitUsage["parts"] | null {
  const [measure, minutes, names, values] = JSON.parse(key) as [string, number, string, (string | null)[]];
  const keys = sortKeys(effect.per);
  if (measure !== effect.measure || minutes !== effect.minutes || names !== keys.join("+")) return null;
  return keys.map((of, index) => ({ of, value: values[index] ?? null }));
}

/** Adds units to a count at a moment. */
export function toCharge({ ruleId, key, minutes }: LimitSlot, at: number, units: number): LimitCharge {
  const part = toPart(at, minutes);
  return { ruleId, key, part, units, expiresAt: toExpiry(part, minutes) };
}
