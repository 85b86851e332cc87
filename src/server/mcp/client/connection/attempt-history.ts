import type { ConnectionLimits } from "./connection-limits";

/** Counts connection attempts and decides when the next one may start. Times are monotonic milliseconds. */
export class AttemptHistory {
  readonly #limits: ConnectionLimits;
  readonly #elapsed: () => number;
  /** The number of consecutive failures. A connection that ended within `quickFailureMs` counts as one. */
  #failures = 0;
  #attempts = 0;
  #failedAt = Number.NEGATIVE_INFINITY;
  #connectedAt = 0;

  constructor(limits: ConnectionLimits, elapsed: () => number) {
    this.#limits = limits;
    this.#elapsed = elapsed;
  }

  /** The attempts since the last success. */
  get attempts(): number {
    return this.#attempts;
  }

  /** Whether a call may skip the wait for the next attempt; not for a server that keeps failing. */
  get canSkipWait(): boolean {
    return this.#failures <= this.#limits.maxQuickFailures;
  }

  /** How long a call has to wait before it may start an attempt. */
  get spacingMs(): number {
    return Math.max(0, this.#failedAt + this.#limits.attemptSpacingMs - this.#elapsed());
  }

  recordAttempt(): void {
    this.#attempts += 1;
  }

  recordSuccess(): void {
    this.#attempts = 0;
    this.#connectedAt = this.#elapsed();
  }

  recordLoss(): void {
    if (this.#elapsed() - this.#connectedAt > this.#limits.quickFailureMs) this.#failures = 0;
  }

  /** @returns milliseconds until the next attempt */
  recordFailure(): number {
    this.#failures += 1;
    this.#failedAt = this.#elapsed();
    return computeBackoffMs(this.#failures, this.#limits.backoff);
  }

  reset(): void {
    this.#failures = 0;
    this.#attempts = 0;
    this.#failedAt = Number.NEGATIVE_INFINITY;
  }
}

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
