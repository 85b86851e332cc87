import type { ConnectionLimits } from "../connection/connection-limits";

/** How long a stream of events that has ended stays closed, whatever its server asks for. */
export class Reopening {
  #openedAt = Number.NEGATIVE_INFINITY;
  #inARow = 0;

  constructor(
    private readonly limits: ConnectionLimits["reopen"],
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** @param wantedMs what the server asked for: any number */
  waitMs(wantedMs: number): number {
    const { minMs, maxShortMs, maxMs, calmMs } = this.limits;
    const now = this.now();
    this.#inARow = now - this.#openedAt < calmMs ? this.#inARow + 1 : 0;
    // A server that ends its streams at once is asked less and less often.
    const least = Math.min(minMs * 2 ** this.#inARow, maxShortMs);
    const ms = Math.min(Math.max(wantedMs, least), maxMs);
    this.#openedAt = now + ms;
    return ms;
  }
}
