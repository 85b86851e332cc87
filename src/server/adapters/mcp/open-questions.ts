/** How many questions of one server wait for an answer; more than a person could look through are not asked. */
export class OpenQuestions {
  readonly #most: number;
  #open = 0;
  #told = false;

  constructor(most: number) {
    this.#most = most;
  }

  /**
   * @param onFull called for the first question of many that finds no room
   * @returns what to call when the question is answered; null where there is no room
   */
  begin(onFull: () => void): (() => void) | null {
    if (this.#open >= this.#most) {
      if (!this.#told) onFull();
      this.#told = true;
      return null;
    }
    this.#open += 1;
    return () => {
      this.#open -= 1;
      this.#told = false;
    };
  }
}
