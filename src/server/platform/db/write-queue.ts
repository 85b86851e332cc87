import { setTimeout as sleep } from "node:timers/promises";
import { isBusy } from "./storage-error";

/** How long a write waits for another program's lock, in all. */
const MAX_WAIT_MS = 5_000;
const FIRST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 100;

export interface WriteQueue {
  /**
   * Runs `work` when all earlier writes are done, and again while another program holds the lock. A retry must be
   * harmless, so `work` is one statement or one transaction.
   */
  write<T>(work: () => T | Promise<T>): Promise<T>;
  /** Resolves when everything queued so far is done. */
  idle(): Promise<void>;
}

/**
 * The one way to write. All writers share one connection, and a statement inside another writer's open transaction would
 * be lost with its rollback.
 */
export function createWriteQueue(maxWaitMs = MAX_WAIT_MS): WriteQueue {
  let last: Promise<unknown> = Promise.resolve();
  return {
    write<T>(work: () => T | Promise<T>): Promise<T> {
      const result = last.then(() => untilUnlocked(work, maxWaitMs));
      last = result.catch(() => undefined);
      return result;
    },
    async idle() {
      await last;
    },
  };
}

/** Waits without blocking: the lock may be held by work of this very process that needs the event loop to end. */
export async function untilUnlocked<T>(work: () => T | Promise<T>, maxWaitMs = MAX_WAIT_MS): Promise<T> {
  const giveUpAt = performance.now() + maxWaitMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error) || performance.now() + pauseMs > giveUpAt) throw error;
      await sleep(pauseMs);
    }
  }
}
