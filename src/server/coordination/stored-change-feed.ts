import type { Clock, Logger } from "../engine/ports";
import type { ChangeFeed, ChangeListener, ChangeTopic } from "./change-feed";
import { createSerialTask } from "./serial-task";
import type { ChangeStorage } from "./storage";
import type { WriteNotices } from "./write-notices";

/** Changes are kept this long. */
export const CHANGES_KEPT_MS = 3_600_000;
const PAGE = 500;
const RETRY_MS = 1000;

export interface ChangeFeedPorts {
  storage: ChangeStorage;
  notices: WriteNotices;
  instanceId: string;
  clock: Clock;
  logger: Logger;
}

export interface StoredChangeFeed extends ChangeFeed {
  /** Changes recorded from now on are delivered. Call it before what listeners reload is read for the first time. */
  join(): Promise<void>;
  /** Begins to deliver. */
  start(): void;
  close(): Promise<void>;
}

export function createChangeFeed(ports: ChangeFeedPorts): StoredChangeFeed {
  const { storage, notices, instanceId, clock, logger } = ports;
  const listeners = new Map<ChangeTopic, Set<ChangeListener>>();
  const undelivered = new Map<string, { listener: ChangeListener; key: string | null }>();
  const listenerIds = new Map<ChangeListener, number>();
  let cursor = "";
  let readAt = 0;
  let unsubscribe = (): void => {};
  let retry: NodeJS.Timeout | undefined;

  function enqueue(topic: ChangeTopic, key: string | null): void {
    for (const listener of listeners.get(topic) ?? []) {
      undelivered.set(`${listenerIds.get(listener)} ${JSON.stringify(key)}`, { listener, key });
    }
  }

  async function read(): Promise<void> {
    // Older changes may be gone.
    const missed = clock.now() - readAt > CHANGES_KEPT_MS;
    readAt = clock.now();
    if (missed) {
      cursor = await storage.findEnd();
      for (const topic of listeners.keys()) enqueue(topic, null);
      return;
    }
    for (let isMore = true; isMore; ) {
      const page = await storage.listAfter(cursor, PAGE);
      cursor = page.cursor;
      for (const change of page.changes) if (change.instanceId !== instanceId) enqueue(change.topic, change.key);
      isMore = page.changes.length === PAGE;
    }
  }

  async function deliver(): Promise<void> {
    for (const [id, { listener, key }] of [...undelivered]) {
      // Before it is called: a change that comes during the call needs another call.
      undelivered.delete(id);
      try {
        await listener(key);
      } catch (error) {
        undelivered.set(id, { listener, key });
        logger.warn({ err: error, key }, "A change of another server process could not be applied; retrying");
      }
    }
  }

  const task = createSerialTask(async () => {
    await read().catch((error: unknown) => {
      readAt = 0;
      logger.warn({ err: error }, "Changes of other server processes could not be read; retrying");
      throw error;
    });
    await deliver();
    if (undelivered.size > 0) throw new Error("Undelivered changes");
  });

  function look(): void {
    task.run().catch(() => {
      retry ??= setTimeout(() => {
        retry = undefined;
        look();
      }, RETRY_MS).unref();
    });
  }

  return {
    record: (topic, key) => storage.append({ instanceId, topic, key }),
    subscribe(topic, listener) {
      const all = listeners.get(topic) ?? new Set();
      listeners.set(topic, all);
      listenerIds.set(listener, listenerIds.size);
      all.add(listener);
      return () => {
        all.delete(listener);
      };
    },
    async join() {
      cursor = await storage.findEnd();
      readAt = clock.now();
    },
    start() {
      unsubscribe = notices.subscribe(look);
      look();
    },
    async close() {
      unsubscribe();
      clearTimeout(retry);
      await task.stop();
    },
  };
}
