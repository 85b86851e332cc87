import type { RunDetail, RunEvent, RunEventPage } from "../../../lib/contract/run";
import type { ActiveRuns } from "./active-runs";
import { createRunReader } from "./run-reader";
import { findRun, type RunStore, type StoredRun } from "./run-store";
import { slimPartial } from "./slim-event";

/** Reads one run: bounded responses for pages, and the whole log for the server itself. */
export function createRunDetails(store: RunStore, activeRuns: Pick<ActiveRuns, "find">) {
  const reader = createRunReader({ store, live: (id) => activeRuns.find(id)?.storedEvents ?? null });
  return {
    /** For pages: the newest events, and long texts shortened. */
    async get(id: string): Promise<RunDetail> {
      const live = activeRuns.find(id);
      await live?.settled();
      live?.response.flush();
      const reading = reader.page(id, null);
      const partial = live?.response.shown ? slimPartial(live.response.shown) : null;
      const { events } = await reading;
      // After the events: a run that ends meanwhile is not said to go on by a page that has its end already.
      const stored = await findRun(store, id);
      const [takenOver, children, waiting, count, hasMessage] = await Promise.all([
        store.takenOver(stored),
        store.children(id),
        store.waiting(id),
        store.eventCount(id),
        store.hasMessage(id),
      ]);
      const { parentResults: _results, ...summary } = stored;
      // A run may end while it is read: its turn is over once its end is stored.
      const going = live !== null && stored.status === "waiting";
      const resumable = !going && waiting === 0 && isOpen(stored) && hasMessage;
      return {
        ...{ ...summary, waiting, children, resumable, events, takenOver },
        activeSince: await store.activeSince(stored),
        eventCount: Math.max(count, (events.at(-1)?.index ?? -1) + 1),
        partial,
      };
    },

    /** Events before an index, newest page first. */
    async events(id: string, before: number): Promise<RunEventPage> {
      await findRun(store, id);
      return await reader.page(id, before);
    },

    payload: reader.payload,
    messages: reader.messages,
    messageText: reader.messageText,

    /** The whole log. */
    async readLog(id: string): Promise<Pick<RunDetail, "status" | "error" | "events">> {
      const live = activeRuns.find(id);
      await live?.settled();
      const { status, error } = await findRun(store, id);
      return { status, error, events: live === null ? await store.events(id) : [...live.storedEvents] };
    },
  };
}

/** Its last turn did not come to its end, and everything it needs is still known. */
export function isResumable(stored: StoredRun, events: readonly RunEvent[]): boolean {
  return isOpen(stored) && events.some(({ type }) => type === "user_message");
}

function isOpen({ status, source }: StoredRun): boolean {
  const over = status === "failed" || status === "interrupted" || status === "cancelled" || status === "waiting";
  return over && source !== "check";
}
