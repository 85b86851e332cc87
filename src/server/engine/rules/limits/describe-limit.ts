import { describeLimit, formatAmount } from "../../../../lib/format/rule-limit-words";
import type { LimitRule } from "./limit-slot";

/** The reason for the caller and its model. */
export function describeRefusal({ name, effect }: LimitRule, used: number, freeAt: number | null, now: number): string {
  const free =
    freeAt === null ? "" : `. There is room again at ${new Date(freeAt).toISOString()}, in ${spokenWait(freeAt - now)}`;
  return `Denied by rule ${name}: at most ${describeLimit(effect)}, of which ${formatAmount(effect.measure, used)} are used${free}`;
}

function spokenWait(ms: number): string {
  const seconds = Math.max(Math.ceil(ms / 1000), 1);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`;
}
