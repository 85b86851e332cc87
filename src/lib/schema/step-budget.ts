/** Shown if expanding a schema would cost too much for a page. */
export const TOO_LARGE_FOR_FORM = "too large to show as a form";

/**
 * Limits the steps of one walk over a schema. Schemas come from servers and can grow exponentially when references are
 * expanded, so every walk stops when its budget is spent.
 */
export class StepBudget {
  #left: number;

  constructor(steps: number) {
    this.#left = steps;
  }

  /** False once the budget is spent. */
  spend(steps = 1): boolean {
    this.#left -= steps;
    return this.#left >= 0;
  }

  get isSpent(): boolean {
    return this.#left < 0;
  }
}
