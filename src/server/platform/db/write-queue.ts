import { setTimeout as sleep } from "node:timers/promises";
import type { RawDatabase } from "./sqlite/connection";
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

/** Waits without blocking: work of this same process may hold the lock and need the event loop to end. */
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

/**
 * A transaction of its own, or, where `isPart`, statements in one that is open: then an error undoes everything, and the
 * work is repeated alone.
 */
type JointWork = (isPart: boolean) => void;

/** @param atOnce commits in this turn, unless others wait already: for work that nothing else will join */
export type JointWrite = (work: JointWork, atOnce?: boolean) => Promise<void>;

interface Waiting {
  work: JointWork;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * Group commit: what arrives within one turn of the event loop is one transaction, for all callers, and the next one
 * waits for it. When that fails, each work is repeated alone, so that an error of one does not affect the others.
 */
export function createJointWrites(raw: RawDatabase, write: WriteQueue["write"]): JointWrite {
  const waiting: Waiting[] = [];
  let flushing = false;
  const runTogether = raw.transaction((group: readonly Waiting[]) => {
    for (const { work } of group) work(true);
  });

  async function flush(atOnce: boolean): Promise<void> {
    if (atOnce) await writeGroup(waiting.splice(0));
    while (waiting.length > 0) {
      await new Promise((resolve) => setImmediate(resolve));
      await writeGroup(waiting.splice(0));
    }
    flushing = false;
  }

  async function writeGroup(group: Waiting[]): Promise<void> {
    if (group.length > 1) {
      try {
        await write(() => {
          demandNoTransaction(raw);
          runTogether.immediate(group);
        });
        for (const { resolve } of group) resolve();
        return;
      } catch (error) {
        // The write has been repeated for as long as it may wait.
        if (isBusy(error)) {
          for (const { reject } of group) reject(error);
          return;
        }
      }
    }
    for (const { work, resolve, reject } of group) await write(() => work(false)).then(resolve, reject);
  }

  return (work, atOnce = false) =>
    new Promise((resolve, reject) => {
      waiting.push({ work, resolve, reject });
      if (flushing) return;
      flushing = true;
      void flush(atOnce);
    });
}

/** @throws an error that is retried: Prisma has a transaction open on the connection, in which the work would be lost */
export function demandNoTransaction(raw: RawDatabase): void {
  if (!raw.inTransaction) return;
  throw Object.assign(new Error("a transaction outside the write queue is open"), { code: "SQLITE_BUSY" });
}
