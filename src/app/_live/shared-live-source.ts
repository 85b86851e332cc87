import { toStorageName } from "@/lib/base-path";
import type { LiveEvent } from "@/lib/contract/live-event";
import {
  createEventStream,
  createLiveSource,
  type EventStream,
  type LiveListener,
  type LiveMessage,
  type LiveSource,
  type LiveState,
} from "./live-source";
import { coversPlace, RecentMessages } from "./recent-messages";

/** Windows of an older page must not read what they do not know: another number for each other form of `Note`. */
const CHANNEL = "toolroom-live-1";
/** The time in which a leader has to answer a new window, whose own stream is open until then. */
const ANSWER_MS = 100;
const BEAT_MS = 2_000;
/** A leader that is silent for so long has crashed or is stalled. */
const STALE_MS = 7_000;
/** The windows of a leader that left do not all take over together. */
const SPREAD_MS = 100;
/** A change of the leader is not shown as a lost connection unless it takes longer. */
const HANDOVER_MS = 1_000;

interface StreamState {
  state: LiveState;
  retryAt: number | null;
}

/** A leader's message with its term: of two leaders, the one of the later term stays. */
type LeaderNote = { from: string; term: number } & (
  | ({ type: "beat"; changed: boolean } & StreamState)
  /** Answers a window that joins. `messages`: what it misses; null where it must read everything again. */
  | ({
      type: "welcome";
      to: string;
      number: number;
      place: string | null;
      messages: LiveMessage[] | null;
    } & StreamState)
  | { type: "message"; number: number; message: LiveMessage }
);

type Note =
  | LeaderNote
  | { type: "join"; from: string; place: string | null }
  | { type: "leave"; from: string }
  | { type: "reconnect"; from: string };

/**
 * One event stream for all visible windows of a reader: over HTTP/1.1 a browser opens six connections to a server, so a
 * seventh stream would leave none for anything else. One window leads: it holds the stream and passes its messages on.
 * @param reader the id of the user, whose windows do not mix with those of others
 * @param since the id of the last event before the page's data was read
 */
export function createSharedLiveSource(reader: string, since: string | null = null): LiveSource {
  const own = createLiveSource(since);
  const memory = { place: since };
  let open: LiveWindow | null = null;
  return {
    open(listener) {
      const channel = openChannel(toStorageName(`${CHANNEL}:${reader}`));
      if (channel === null) return own.open(listener);
      const opened = new LiveWindow(channel, createEventStream(), memory, listener);
      open = opened;
      const close = (): void => {
        removeEventListener("pagehide", close);
        opened.close();
      };
      // A page that is being closed runs no effects.
      addEventListener("pagehide", close);
      return close;
    },
    reconnect() {
      if (open === null) own.reconnect();
      else open.reconnect();
    },
  };
}

/** Null where the browser has none, or none for a page without storage. */
function openChannel(name: string): BroadcastChannel | null {
  try {
    return new BroadcastChannel(name);
  } catch {
    return null;
  }
}

/** A window while it is visible: it leads, or follows a window that does. */
class LiveWindow {
  readonly #id = Math.random().toString(36).slice(2);
  #role: "joining" | "leading" | "following" = "joining";
  /** The newest leader that is known. */
  #leader = { id: "", term: 0 };
  /** The number of the leader's last message; null while it has not answered this window. */
  #number: number | null = null;
  #followers = new Set<string>();
  #recent = new RecentMessages(null);
  #current: StreamState = { state: "connecting", retryAt: null };
  #closeStream: (() => void) | null = null;
  #closed = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #handover: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly channel: BroadcastChannel,
    private readonly stream: EventStream,
    private readonly memory: { place: string | null },
    private readonly listener: LiveListener,
  ) {
    channel.onmessage = ({ data }: MessageEvent<Note>) => this.#hear(data);
    this.listener.onState("connecting");
    this.#openStream();
    this.#join();
    this.#wait(ANSWER_MS, () => this.#lead());
  }

  reconnect(): void {
    if (this.#role === "following") this.#post({ type: "reconnect", from: this.#id });
    else this.stream.reconnect();
  }

  close(): void {
    if (this.#closed) return;
    this.#post({ type: "leave", from: this.#id });
    this.#closed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#handover);
    this.#closeStream?.();
    this.channel.close();
  }

  #hear(note: Note): void {
    if (this.#closed) return;
    if (note.type === "leave") this.#hearLeave(note.from);
    else if (note.type === "join") this.#welcome(note.from, note.place);
    else if (note.type === "reconnect") {
      if (this.#role === "leading") this.stream.reconnect();
    } else this.#hearLeader(note);
  }

  #hearLeave(from: string): void {
    this.#followers.delete(from);
    if (this.#role === "following" && from === this.#leader.id) {
      this.#wait(Math.random() * SPREAD_MS, () => this.#lead());
    }
  }

  #hearLeader(note: LeaderNote): void {
    const { from, term } = note;
    const isLater = term > this.#leader.term || (term === this.#leader.term && from > this.#leader.id);
    const follows = this.#role === "joining" || isLater;
    if (!follows && from !== this.#leader.id) {
      // The other leader has an earlier term, and steps down when it receives this message.
      if (this.#role === "leading") this.#beat(false);
      return;
    }
    const isAnswer = note.type === "welcome" && note.to === this.#id;
    if (follows) this.#follow(from, term);
    if (follows && !isAnswer) this.#join();
    this.#watchLeader();
    if (isAnswer) this.#enter(note);
    else if (note.type === "message") this.#receive(note.number, note.message);
    else if (note.type === "beat" && (note.changed || note.state !== this.#current.state)) this.#setState(note);
  }

  // ── Methods of the leader

  #lead(): void {
    this.#role = "leading";
    this.#leader = { id: this.#id, term: Math.max(Date.now(), this.#leader.term + 1) };
    this.#number = 0;
    this.#followers.clear();
    if (this.#closeStream === null) this.#openStream();
    this.#beat(true);
    this.#keepBeating();
  }

  #keepBeating(): void {
    this.#wait(BEAT_MS, () => {
      this.#beat(false);
      this.#keepBeating();
    });
  }

  #beat(changed: boolean): void {
    this.#post({ type: "beat", ...this.#signature(), changed, ...this.#current });
  }

  #welcome(to: string, place: string | null): void {
    if (this.#role !== "leading") return;
    this.#followers.add(to);
    const messages = place === null ? [] : this.#recent.after(place);
    const number = this.#number ?? 0;
    this.#post({
      type: "welcome",
      to,
      ...this.#signature(),
      number,
      place: this.#recent.place,
      messages,
      ...this.#current,
    });
  }

  #signature(): { from: string; term: number } {
    return { from: this.#id, term: this.#leader.term };
  }

  #openStream(): void {
    this.#recent = new RecentMessages(this.memory.place);
    this.#closeStream = this.stream.open(this.memory.place, {
      onMessage: (message) => this.#pass(message),
      onState: (state, retryAt) => this.#hearStream({ state, retryAt: retryAt ?? null }),
    });
  }

  #pass(message: LiveMessage): void {
    this.#recent.add(message);
    if (this.#role === "leading") {
      this.#number = (this.#number ?? 0) + 1;
      // Copying every message costs something where one window is open.
      if (this.#followers.size > 0) {
        this.#post({ type: "message", ...this.#signature(), number: this.#number, message });
      }
    }
    this.#take(message);
  }

  #hearStream(next: StreamState): void {
    clearTimeout(this.#handover);
    if (next.state === "connecting") this.#handover = setTimeout(() => this.#publishState(next), HANDOVER_MS);
    else this.#publishState(next);
  }

  #publishState(next: StreamState): void {
    if (next.state === "polling") {
      this.memory.place = null;
      this.#recent = new RecentMessages(null);
    }
    this.#setState(next);
    if (this.#role === "leading") this.#beat(true);
  }

  // ── Methods of a follower

  #follow(id: string, term: number): void {
    clearTimeout(this.#handover);
    this.#closeStream?.();
    this.#closeStream = null;
    this.#role = "following";
    this.#leader = { id, term };
    this.#number = null;
  }

  #join(): void {
    this.#number = null;
    this.#post({ type: "join", from: this.#id, place: this.memory.place });
  }

  #watchLeader(): void {
    this.#wait(STALE_MS * (1 + Math.random() / 5), () => {
      this.#setState({ state: "connecting", retryAt: null });
      this.#lead();
    });
  }

  #enter({ number, place, messages, state, retryAt }: LeaderNote & { type: "welcome" }): void {
    this.#number = number;
    if (messages === null) this.#take({ id: place, events: [{ type: "reset" }], chars: 0 });
    else if (this.memory.place === null && place !== null) {
      this.#take({ id: place, events: [{ type: "hello" }], chars: 0 });
    } else for (const message of messages) this.#takeNews(message);
    this.#setState({ state, retryAt });
  }

  #receive(number: number, message: LiveMessage): void {
    if (this.#number === null || number <= this.#number) return;
    const isNext = number === this.#number + 1;
    this.#number = number;
    if (isNext) this.#takeNews(message);
    else this.#join();
  }

  #takeNews(message: LiveMessage): void {
    const { id, events, chars } = message;
    const { place } = this.memory;
    const has = (type: LiveEvent["type"]): boolean => events.some((event) => event.type === type);
    if (id === null || place === null || has("reset")) this.#take(message);
    else if (!coversPlace(place, id)) {
      // The leader's stream starts at that position, and this window's at an earlier one.
      this.#take(has("hello") ? { id, events: [{ type: "reset" }], chars } : message);
    }
  }

  // ── Methods of both

  #take({ id, events }: LiveMessage): void {
    this.memory.place = id ?? this.memory.place;
    for (const event of events) this.listener.onEvent(event);
  }

  #setState({ state, retryAt }: StreamState): void {
    this.#current = { state, retryAt };
    this.listener.onState(state, retryAt);
  }

  #post(note: Note): void {
    if (!this.#closed) this.channel.postMessage(note);
  }

  /** Runs the next step after a time, unless another step starts first. */
  #wait(ms: number, next: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(next, ms);
  }
}
