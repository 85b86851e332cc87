/** Does `work` every `everyMs` for as long as there is something to look after; one at a time. */
export class RecheckTimer {
  #timer: NodeJS.Timeout | null = null;
  #working = false;
  #stopped = false;

  constructor(
    private readonly everyMs: number,
    /** Must not reject. */
    private readonly work: () => Promise<void>,
    private readonly isNeeded: () => boolean,
  ) {}

  /** Call it when there may be something to look after; harmless where it is going already. */
  start(): void {
    if (this.#timer !== null || this.#working || this.#stopped || !this.isNeeded()) return;
    this.#timer = setTimeout(() => void this.#turn(), this.everyMs);
    this.#timer.unref();
  }

  /** For good. */
  stop(): void {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  async #turn(): Promise<void> {
    this.#timer = null;
    this.#working = true;
    await this.work();
    this.#working = false;
    this.start();
  }
}
