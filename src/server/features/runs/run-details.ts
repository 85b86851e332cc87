import type {
  RunDetail,
  RunEvent,
  RunEventPage,
  RunEventPart,
  RunPartial,
  RunTextSlice,
} from "../../../lib/contract/run";
import { formatJson } from "../../../lib/json/format-json";
import { buildMessagesBeforeStep } from "../../../lib/run/build-messages";
import { utf8Bytes } from "../../../lib/utf8-bytes";
import { createTopic } from "../../platform/coordination/bulletin";
import { AppError } from "../../platform/shared/app-error";
import type { ActiveRuns } from "./active-runs";
import type { LiveRun } from "./live-run";
import type { RunServicePorts } from "./run-ports";
import { findRun, type RunStore, type StoredRun } from "./run-store";
import { readPayload, slimEvent, slimPartial } from "./slim-event";

/** One page of events: this many at most, and about this many bytes as JSON. */
const PAGE_EVENTS = 200;
const PAGE_BYTES = 200_000;
/** A piece of a long text; escaped, a character may take six bytes. */
const SLICE_CHARS = 400_000;
const SLICE_BYTES = 900_000;

/** A page requests the pieces of one long text one after the other: the text is cached between them. */
const KEPT_MS = 10_000;

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

  /** The response that another instance of the server is receiving. */
  async function askPartial(id: string): Promise<RunPartial | null> {
    if (copies.list().length < 2 || !isElsewhere((await findRun(store, id)).owner)) return null;
    return (await bulletin.ask(RUN_PARTIAL, id))[0] ?? null;
  }

  const reader = createRunReader({ store, live: (id) => activeRuns.find(id)?.storedEvents ?? null });
  return {
    /**
     * For pages: the newest events, and long texts shortened.
     * @param isFollowed for one who asks often and does without the partial response of another instance
     */
    async get(id: string, { isFollowed = false } = {}): Promise<RunDetail> {
      const live = activeRuns.find(id);
      await live?.settled();
      const asked = live === null && !isFollowed ? await askPartial(id) : null;
      live?.response.flush();
      const reading = reader.page(id, null);
      const shown = live === null ? asked : readPartial(live);
      const { events } = await reading;
      // That of another instance may have been completed before the events were read.
      const partial = shown !== null && events.some((event) => isEndOf(event, shown)) ? null : shown;
      // Read after the events: a page that has the end of a run must not show it as running.
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
        ...summary,
        waiting,
        children,
        resumable,
        events,
        takenOver,
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

    /** Reads the whole log. */
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

/** Whether the last turn did not end, and everything it needs is still available. */
export function isResumable(stored: StoredRun, events: readonly RunEvent[]): boolean {
  return isOpen(stored) && events.some(({ type }) => type === "user_message");
}

function isOpen({ status, source }: StoredRun): boolean {
  const over = status === "failed" || status === "interrupted" || status === "cancelled" || status === "waiting";
  return over && source !== "check";
}

interface Logs {
  store: Pick<RunStore, "events" | "readBackwards" | "event">;
  /** The log of a run that this process executes; null for all others. */
  live: (id: string) => readonly RunEvent[] | null;
}

/** Reads runs for pages: every answer is bounded, and together they give the whole log. */
export function createRunReader({ store, live }: Logs) {
  const lastText = createLastText();
  const log = async (id: string): Promise<readonly RunEvent[]> => live(id) ?? (await store.events(id));

  /** The newest events before an index, slim. Those of a live run are taken before the first await. */
  async function page(id: string, before: number | null): Promise<RunEventPage> {
    const events: RunEvent[] = [];
    let bytes = 0;
    const addEvent = (whole: RunEvent): boolean => {
      const event = slimEvent(whole);
      bytes += utf8Bytes(JSON.stringify(event));
      if (events.length > 0 && bytes > PAGE_BYTES) return false;
      events.push(event);
      return events.length < PAGE_EVENTS;
    };
    const known = live(id);
    if (known === null) {
      await store.readBackwards(id, before, addEvent);
    } else {
      let index = Math.min(before ?? known.length, known.length) - 1;
      while (index >= 0 && addEvent(known[index] as RunEvent)) index -= 1;
    }
    events.reverse();
    return { events, older: events[0]?.index ?? 0 };
  }

  return {
    page,

    async payload(id: string, index: number, part: RunEventPart, offset: number): Promise<RunTextSlice> {
      const text = await lastText(`payload ${id} ${index} ${part}`, async () => {
        const event = live(id)?.[index] ?? (await store.event(id, index));
        const found = event && readPayload(event, part);
        if (typeof found === "string") return found;
        throw new AppError("NOT_FOUND", `Run '${id}' has no ${part} in event ${index}`);
      });
      return slice(text, offset);
    },

    /** The messages sent at a step, as JSON. */
    async messages(id: string, step: number, offset: number): Promise<RunTextSlice> {
      const text = await lastText(`messages ${id} ${step}`, async () => {
        const events = await log(id);
        if (!events.some((event) => event.type === "model_started" && event.step === step)) {
          throw new AppError("NOT_FOUND", `Run '${id}' has no step ${step}`);
        }
        return formatJson(buildMessagesBeforeStep(events, step));
      });
      return slice(text, offset);
    },
  };
}

function slice(text: string, offset: number): RunTextSlice {
  for (let chars = SLICE_CHARS; ; chars = Math.ceil(chars / 2)) {
    const part = text.slice(offset, offset + chars);
    if (utf8Bytes(JSON.stringify(part)) <= SLICE_BYTES) return { text: part, chars: text.length };
  }
}

/** Keeps the last text that was read, for some seconds. */
function createLastText(): (key: string, read: () => Promise<string>) => Promise<string> {
  let last: { key: string; text: Promise<string> } | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  return (key, read) => {
    if (last?.key !== key) last = { key, text: read() };
    const { text } = last;
    const forget = (): void => {
      if (last?.text === text) last = null;
    };
    clearTimeout(timer);
    timer = setTimeout(forget, KEPT_MS).unref();
    text.catch(forget);
    return text;
  };
}
