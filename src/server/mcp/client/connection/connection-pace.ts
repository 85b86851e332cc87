/** The number of connections that begin at once: more than most catalogs have. */
const BURST = 10;
/** The time between further connections. */
const INTERVAL_MS = 50;

/**
 * When connections may begin. A process that starts with a hundred servers answers its first pages while they connect:
 * opening all of them at once holds the event loop for seconds.
 */
export class ConnectionPace {
  readonly #quietUntil: number;
  #last = Number.NEGATIVE_INFINITY;

  /** @param quietUntil the further ones begin then at the earliest: the first page of a start comes before */
  constructor(quietUntil = Number.NEGATIVE_INFINITY) {
    this.#quietUntil = quietUntil;
  }

  /** Takes a turn. @param now milliseconds of a clock that only advances @returns the milliseconds until then */
  take(now: number): number {
    this.#last = Math.max(this.#last, now - BURST * INTERVAL_MS) + INTERVAL_MS;
    if (this.#last > now) this.#last = Math.max(this.#last, this.#quietUntil);
    return Math.max(0, this.#last - now);
  }
}
