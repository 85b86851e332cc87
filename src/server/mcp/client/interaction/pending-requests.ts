/** Limits how many requests of one server wait for an answer, across its connections. */
export class PendingRequests {
  readonly #max: number;
  #count = 0;
  #refused = false;

  constructor(max: number) {
    this.#max = max;
  }

  /**
   * @param onFull called for the first request that is refused since there last was room
   * @returns a function that releases the slot; null where all slots are taken
   */
  reserve(onFull: () => void): (() => void) | null {
    if (this.#count >= this.#max) {
      if (!this.#refused) onFull();
      this.#refused = true;
      return null;
    }
    this.#count += 1;
    return () => {
      this.#count -= 1;
      this.#refused = false;
    };
  }
}
