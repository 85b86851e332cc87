import { AsyncLocalStorage } from "node:async_hooks";
import type { Logger } from "../../engine/ports";
import { createKeyedMutex } from "../shared/mutex";
import { type Bulletin, createTopic } from "./bulletin";

/** Parts of the database that each instance keeps in memory. */
export type Area =
  | "tools"
  | "toolsets"
  | "skills"
  | "skill gates"
  | "servers"
  | "models"
  | "access"
  | "credentials"
  | "damaged"
  | "agents"
  | "rules";

interface AreaChange {
  area: Area;
  /** The part of it that changed, such as a user's id; null for any. */
  detail: string | null;
}

const CHANGED = createTopic<AreaChange>("areas.changed");
const RETRY_MS = 1_000;

/** Keeps the memory of all instances equal to the database (decision 0075). */
export interface SharedAreas {
  /**
   * Registers how this instance rereads an area that another instance changed: it writes nothing, and tells neither instances nor pages.
   * @param reload also runs where nothing changed; is run again where it fails
   */
  follow(area: Area, reload: (detail: string | null) => unknown): void;
  /**
   * Called after a change was stored and is in this instance's memory: asks the other instances to reread the area.
   * @param options `onShared` is called when they have, or after a second: for the events that make pages read
   * @returns a promise for the same moment
   */
  changed(area: Area, options?: { detail?: string | null; onShared?: () => void }): Promise<void>;
  /** Runs work, and waits until the other instances have read what it changed, also where it fails. */
  answered<T>(work: () => Promise<T>): Promise<T>;
  /** Called once everything is loaded: rereads what other instances changed during the load, and each later change at once. */
  begin(): Promise<void>;
}

const DONE = Promise.resolve();

/** For a database with one process, which asks no others. */
export const UNSHARED_AREAS: SharedAreas = {
  follow: () => undefined,
  changed(_area, { onShared } = {}) {
    onShared?.();
    return DONE;
  },
  answered: (work) => work(),
  begin: () => DONE,
};

export function createSharedAreas(bulletin: Bulletin, logger: Logger): SharedAreas {
  const reloads = new Map<Area, (detail: string | null) => unknown>();
  const inOrder = createKeyedMutex();
  /** Rereads that have not begun, and so will see the current rows. */
  const waiting = new Map<string, Promise<void>>();
  /** Changes of other instances before everything was loaded; null from then on. */
  let early: AreaChange[] | null = [];
  let hadGap = false;
  /** The questions that the work of this context began. */
  const begun = new AsyncLocalStorage<Set<Promise<void>>>();

  function reread(area: Area, detail: string | null): Promise<void> {
    const key = JSON.stringify([area, detail]);
    const known = waiting.get(key);
    if (known !== undefined) return known;
    const made = inOrder(key, async () => {
      waiting.delete(key);
      try {
        await reloads.get(area)?.(detail);
      } catch (error) {
        logger.error({ err: error, area }, "What another copy changed could not be read: trying again");
        setTimeout(() => void reread(area, detail), RETRY_MS).unref();
      }
    });
    waiting.set(key, made);
    return made;
  }

  bulletin.on(CHANGED, async (change) => {
    if (early === null) await reread(change.area, change.detail);
    else early.push(change);
  });

  async function rereadAll(): Promise<void> {
    await Promise.all(Array.from(reloads.keys(), (area) => reread(area, null)));
  }
  bulletin.onGap(() => {
    if (early === null) void rereadAll();
    else hadGap = true;
  });

  return {
    follow: (area, reload) => void reloads.set(area, reload),
    changed(area, { detail = null, onShared } = {}) {
      const asks = begun.getStore();
      const asked = bulletin
        .ask(CHANGED, { area, detail })
        .catch((error: unknown) => logger.error({ err: error, area }, "The other copies could not be told of a change"))
        .then(() => {
          asks?.delete(asked);
          onShared?.();
        });
      asks?.add(asked);
      return asked;
    },
    answered<T>(work: () => Promise<T>): Promise<T> {
      const asks = new Set<Promise<void>>();
      return begun.run(asks, work).finally(async () => {
        while (asks.size > 0) await Promise.all(asks);
      });
    },
    async begin() {
      const missed = early ?? [];
      early = null;
      if (hadGap) await rereadAll();
      else await Promise.all(missed.map(({ area, detail }) => reread(area, detail)));
    },
  };
}
