/** Connections that begin at once: more than most catalogs have. */
const BURST = 10;
/** Between the others. */
const INTERVAL_MS = 50;

/**
 * When connections may begin. A process that starts with a hundred servers answers its first pages while they connect:
 * opening all of them at once holds the event loop for seconds.
 */
export class ConnectionPace {
  #last = Number.NEGATIVE_INFINITY;

  /** Takes a turn. @param now milliseconds of a clock that only advances @returns the milliseconds until then */
  take(now: number): number {
    this.#last = Math.max(this.#last, now - BURST * INTERVAL_MS) + INTERVAL_MS;
    return Math.max(0, this.#last - now);
  }
}
