/** Node's timers fire at once past 24.8 days, and a machine that slept must not be late by much. */
const LONGEST_MS = 3_600_000;

/**
 * Calls `work` once `at` has passed, however far away that is. One deadline at a time; a new one takes the old one's
 * place.
 */
export class ExpiryTimer {
  #timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly now: () => number,
    private readonly work: () => void,
  ) {}

  /** @param at epoch milliseconds; null for never */
  set(at: number | null): void {
    this.clear();
    if (at === null) return;
    const leftMs = at - this.now();
    this.#timer = setTimeout(
      () => (at <= this.now() ? this.work() : this.set(at)),
      Math.max(1, Math.min(leftMs, LONGEST_MS)),
    );
    this.#timer.unref();
  }

  clear(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
