import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "../../../engine/ports";
import type { Locks } from "../locks";
import type { InstanceTiming } from "./instance-timing";

const KEY = "copies.settle";

interface SettlementOptions {
  locks: Pick<Locks, "acquire">;
  /** The living instances, read now. */
  readLiving(): Promise<string[]>;
  logger: Logger;
  timing: InstanceTiming;
}

/** Has one instance at a time settle what those left that live no longer. */
export class Settlement {
  readonly #options: SettlementOptions;
  readonly #listeners: ((living: readonly string[]) => Promise<void>)[] = [];
  readonly #ended = new AbortController();
  #isDue = false;
  #wake = (): void => undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(options: SettlementOptions) {
    this.#options = options;
  }

  add(settle: (living: readonly string[]) => Promise<void>): void {
    this.#listeners.push(settle);
  }

  start(): void {
    this.#running = this.#keepSettling();
  }

  /** An instance ended. */
  request(): void {
    this.#isDue = true;
    this.#wake();
  }

  async close(): Promise<void> {
    this.#ended.abort();
    this.#wake();
    await this.#running;
  }

  async #keepSettling(): Promise<void> {
    const { logger, timing } = this.#options;
    const { signal } = this.#ended;
    let dueAt = performance.now() + timing.settleMs;
    while (!signal.aborted) {
      // While another instance does it, this one looks again soon: that one may end in the middle.
      await this.#pause(this.#isDue ? timing.renewMs / 2 : Math.max(0, dueAt - performance.now()));
      if (signal.aborted || (!this.#isDue && performance.now() < dueAt)) continue;
      try {
        if (await this.#settleAlone()) dueAt = performance.now() + timing.settleMs;
        else this.#isDue = true;
      } catch (error) {
        this.#isDue = true;
        logger.error({ err: error }, "What an ended copy of the server left could not be settled; it is tried again");
      }
    }
  }

  async #pause(waitMs: number): Promise<void> {
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    await Promise.race([woken, sleep(waitMs, undefined, { ref: false })]);
  }

  /** @returns false where another instance does it */
  async #settleAlone(): Promise<boolean> {
    const lease = await this.#options.locks.acquire(KEY, this.#options.timing.lostMs);
    if (lease === null) return false;
    this.#isDue = false;
    try {
      for (const settle of this.#listeners) {
        if (lease.signal.aborted) return false;
        await settle(await this.#options.readLiving());
      }
      return true;
    } finally {
      await lease.release().catch(() => undefined);
    }
  }
}
