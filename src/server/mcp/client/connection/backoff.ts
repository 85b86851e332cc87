import type { ConnectionLimits } from "./connection-limits";

/**
 * Exponential backoff after a number of failures in a row (from 1), with 25% jitter so that servers that failed together
 * are not retried together.
 * @param random from 0 to 1
 */
export function computeBackoffMs(
  failures: number,
  limits: ConnectionLimits["backoff"],
  random: () => number = Math.random,
): number {
  const delay = limits.initialMs * limits.factor ** Math.min(Math.max(failures, 1) - 1, 60);
  return Math.round(Math.min(delay, limits.maxMs) * (0.75 + random() / 2));
}
