import { type BackoffLimits, backoffMs } from "./backoff";

export interface AttemptLimits {
  backoff: BackoffLimits;
  quickFailureMs: number;
  maxQuickFailures: number;
  attemptSpacingMs: number;
}

/** How it went so far, and when to try next. Times are milliseconds that never go back. */
export class AttemptHistory {
  readonly #limits: AttemptLimits;
  readonly #elapsed: () => number;
  /** Failures and short lives in a row. */
  #strikes = 0;
  #attempts = 0;
  #failedAt = Number.NEGATIVE_INFINITY;
  #connectedAt = 0;

  constructor(limits: AttemptLimits, elapsed: () => number) {
    this.#limits = limits;
    this.#elapsed = elapsed;
  }

  /** Since the last success. */
  get attempts(): number {
    return this.#attempts;
  }

  /** Whether a call may still cut a waiting time short: a server that keeps failing is left alone. */
  get mayHurry(): boolean {
    return this.#strikes <= this.#limits.maxQuickFailures;
  }

  /** Calls that find the server away must not start it in a loop. */
  get spacingMs(): number {
    return Math.max(0, this.#failedAt + this.#limits.attemptSpacingMs - this.#elapsed());
  }

  attempt(): void {
    this.#attempts += 1;
  }

  connected(): void {
    this.#attempts = 0;
    this.#connectedAt = this.#elapsed();
  }

  /** A connection that was good for a while makes up for what was before; one that was not counts as another failure. */
  lost(): void {
    if (this.#elapsed() - this.#connectedAt > this.#limits.quickFailureMs) this.#strikes = 0;
  }

  /** @returns milliseconds until the next attempt */
  failed(): number {
    this.#strikes += 1;
    this.#failedAt = this.#elapsed();
    return backoffMs(this.#strikes, this.#limits.backoff);
  }

  forget(): void {
    this.#strikes = 0;
    this.#attempts = 0;
    this.#failedAt = Number.NEGATIVE_INFINITY;
  }
}
