/**
 * The time limit of one run. It is paused while the tool waits for a user, and each progress report restarts it, up to a
 * total.
 */
export class CallLimit {
  readonly #timeoutMs: number;
  readonly #endsAt: number;
  readonly #elapsed: () => number;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #expire: (() => void) | null = null;
  #holds = 0;
  /** Milliseconds that the limit was paused; they do not count against the total. */
  #heldMs = 0;
  #heldSince = 0;

  /** @param maxTotalMs how long progress can keep the run alive; null where it cannot */
  constructor(timeoutMs: number, maxTotalMs: number | null, elapsed: () => number) {
    this.#timeoutMs = timeoutMs;
    this.#elapsed = elapsed;
    this.#endsAt = maxTotalMs === null ? 0 : elapsed() + maxTotalMs;
  }

  start(expire: () => void): void {
    this.#expire = expire;
    if (this.#holds === 0) this.#arm(this.#timeoutMs);
  }

  stop(): void {
    this.#expire = null;
    this.#disarm();
  }

  /** Restarts the limit after a progress report. */
  extend(): void {
    if (this.#timer === null || this.#endsAt === 0) return;
    const left = this.#endsAt + this.#heldMs - this.#elapsed();
    this.#arm(Math.max(1, Math.min(this.#timeoutMs, left)));
  }

  /** Pauses until the returned function is called; further calls of it do nothing. */
  hold(): () => void {
    this.#holds += 1;
    if (this.#holds === 1) {
      this.#heldSince = this.#elapsed();
      this.#disarm();
    }
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#holds -= 1;
      if (this.#holds > 0) return;
      this.#heldMs += this.#elapsed() - this.#heldSince;
      if (this.#expire !== null) this.#arm(this.#timeoutMs);
    };
  }

  /** Milliseconds that the run has waited for a user. */
  get heldMs(): number {
    return this.#heldMs + (this.#holds > 0 ? this.#elapsed() - this.#heldSince : 0);
  }

  #arm(ms: number): void {
    this.#disarm();
    this.#timer = setTimeout(() => this.#expire?.(), ms);
  }

  #disarm(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
