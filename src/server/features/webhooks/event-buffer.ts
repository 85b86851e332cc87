import type { Logger } from "../../engine/ports";
import type { Happening } from "./webhook-events";

/** Events that come within this time after a write are written together. */
const BATCH_MS = 100;
/** The events of one write, a row each. */
const MAX_BATCH = 100;
/** The database is slower than what happens: further events are left out. */
const MAX_BUFFERED = 1_000;

interface Entry {
  happening: Happening;
  resolve(): void;
  reject(error: unknown): void;
}

/** Gathers events for a moment, so that a burst of them costs few writes. */
export function createEventBuffer(
  write: (happenings: readonly Happening[]) => Promise<void>,
  logger: Pick<Logger, "warn">,
) {
  let entries: Entry[] = [];
  let isWriting = false;
  let isFull = false;

  async function writeBatch(batch: readonly Entry[]): Promise<void> {
    try {
      await write(batch.map(({ happening }) => happening));
      for (const { resolve } of batch) resolve();
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  /** Writes until nothing is left and a moment has passed without an event. */
  async function writeAll(): Promise<void> {
    isWriting = true;
    while (entries.length > 0) {
      const gathered = entries;
      entries = [];
      isFull = false;
      for (let at = 0; at < gathered.length; at += MAX_BATCH) await writeBatch(gathered.slice(at, at + MAX_BATCH));
      await new Promise((resolve) => setTimeout(resolve, BATCH_MS).unref());
    }
    isWriting = false;
  }

  return {
    /** Resolves once it is written. */
    add(happening: Happening): Promise<void> {
      if (entries.length >= MAX_BUFFERED) {
        if (!isFull)
          logger.warn(
            { buffered: entries.length },
            "Events for webhooks come faster than they can be stored: some are left out",
          );
        isFull = true;
        return Promise.resolve();
      }
      return new Promise((resolve, reject) => {
        entries.push({ happening, resolve, reject });
        if (!isWriting) void writeAll();
      });
    },
  };
}
