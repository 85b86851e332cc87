/** The time that a read may work, without the pauses between its slices: other requests run in them. */
export class WorkBudget {
  #leftMs: number;

  constructor(ms: number) {
    this.#leftMs = ms;
  }

  spend<T>(work: () => T): T {
    const begun = performance.now();
    try {
      return work();
    } finally {
      this.#leftMs -= performance.now() - begun;
    }
  }

  get isSpent(): boolean {
    return this.#leftMs <= 0;
  }
}
