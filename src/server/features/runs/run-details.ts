import type { RunDetail, RunEvent, RunEventPage, RunPartial } from "../../../lib/contract/run";
import { createTopic } from "../../platform/coordination/bulletin";
import type { ActiveRuns } from "./active-runs";
import type { LiveRun } from "./live-run";
import type { RunServicePorts } from "./run-ports";
import { createRunReader } from "./run-reader";
import { findRun, type StoredRun } from "./run-store";
import { slimPartial } from "./slim-event";

/** The response that a run is receiving, by the run's id. */
const RUN_PARTIAL = createTopic<string, RunPartial | null | undefined>("runs.partial");

/** Reads one run: bounded responses for pages, and the whole log for the server itself. */
export function createRunDetails(
  { store, copies, bulletin }: Pick<RunServicePorts, "store" | "copies" | "bulletin">,
  activeRuns: Pick<ActiveRuns, "find">,
) {
  bulletin.on(RUN_PARTIAL, async (id) => {
    const live = activeRuns.find(id);
    await live?.settled();
    return live === null ? undefined : readPartial(live);
  });
  const isElsewhere = (owner: string | null): boolean =>
    owner !== null && owner !== copies.self.id && copies.isLiving(owner);

  /** The response that another copy of the server is receiving. */
  async function askPartial(id: string): Promise<RunPartial | null> {
    if (copies.list().length < 2 || !isElsewhere((await findRun(store, id)).owner)) return null;
    return (await bulletin.ask(RUN_PARTIAL, id))[0] ?? null;
  }

  const reader = createRunReader({ store, live: (id) => activeRuns.find(id)?.storedEvents ?? null });
  return {
    /**
     * For pages: the newest events, and long texts shortened.
     * @param isFollowed for one who asks often and does without the partial response of another copy
     */
    async get(id: string, { isFollowed = false } = {}): Promise<RunDetail> {
      const live = activeRuns.find(id);
      await live?.settled();
      const asked = live === null && !isFollowed ? await askPartial(id) : null;
      live?.response.flush();
      const reading = reader.page(id, null);
      const shown = live === null ? asked : readPartial(live);
      const { events } = await reading;
      // That of another copy may have been completed before the events were read.
      const partial = shown !== null && events.some((event) => isEndOf(event, shown)) ? null : shown;
      // After the events: a run that ends meanwhile is not said to go on by a page that has its end already.
      const stored = await findRun(store, id);
      const [takenOver, children, waiting, count, hasMessage] = await Promise.all([
        store.takenOver(stored),
        store.children(id),
        store.waiting(id),
        store.eventCount(id),
        store.hasMessage(id),
      ]);
      const { parentResults: _results, owner, ...summary } = stored;
      // A run may end while it is read: its turn is over once its end is stored.
      const going = (live !== null || isElsewhere(owner)) && stored.status === "waiting";
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

function readPartial({ response }: LiveRun): RunPartial | null {
  response.flush();
  return response.shown && slimPartial(response.shown);
}

const isEndOf = (event: RunEvent, { step }: RunPartial): boolean =>
  (event.type === "model_finished" || event.type === "model_failed") && event.step === step;

/** Its last turn did not come to its end, and everything it needs is still known. */
export function isResumable(stored: StoredRun, events: readonly RunEvent[]): boolean {
  return isOpen(stored) && events.some(({ type }) => type === "user_message");
}

function isOpen({ status, source }: StoredRun): boolean {
  const over = status === "failed" || status === "interrupted" || status === "cancelled" || status === "waiting";
  return over && source !== "check";
}
