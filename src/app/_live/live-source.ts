import { isAwayStatus } from "@/app/_ui/server-reach";
import { toAddress } from "@/lib/base-path";
import type { LiveEvent } from "@/lib/contract/live-event";

/** `lost`: the stream ended a moment ago. `away`: the server does not answer. `offline`: it answers, but with no stream. */
export type LiveState = "connecting" | "live" | "polling" | "lost" | "away" | "offline";

export interface LiveListener {
  onEvent(event: LiveEvent): void;
  /** @param retryAt the next attempt, in epoch milliseconds */
  onState(state: LiveState, retryAt?: number | null): void;
}

/** What the server wrote at once. `id`: what a reader knows who has it; null for a notice that moves no reader. */
export interface LiveMessage {
  id: string | null;
  events: LiveEvent[];
  /** The message's size in characters. */
  chars: number;
}

interface MessageListener {
  onMessage(message: LiveMessage): void;
  onState(state: LiveState, retryAt?: number): void;
}

/** The server's event stream. */
export interface EventStream {
  /**
   * Connects, and connects again when the connection is lost.
   * @param after the id of the last message that is known; null begins now
   * @returns closes it
   */
  open(after: string | null, listener: MessageListener): () => void;
  /** Reconnects at once. */
  reconnect(): void;
}

/** A source of live changes for a tab. */
export interface LiveSource {
  /** Connects, and connects again when the connection is lost. @returns closes it */
  open(listener: LiveListener): () => void;
  /** Reconnects at once. */
  reconnect(): void;
}

/** The end of a connection; `full`: the server has no stream left. */
type End = "full" | "away" | "ended";

const LIVE_URL = "/api/live";
const STREAM_TYPE = "text/event-stream";
const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 10_000;
/** How often a page reads everything again while the server has no stream to spare. */
const POLL_MS = 15_000;
/** The server writes something every 15 seconds. */
const SILENCE_MS = 40_000;

/** A tab's own event stream. It starts after the event `since` and remembers the last id, so a reopened one replays missed events. */
export function createLiveSource(since: string | null = null): LiveSource {
  const stream = createEventStream();
  let place = since;
  return {
    open: ({ onEvent, onState }) =>
      stream.open(place, {
        onMessage({ id, events }) {
          place = id ?? place;
          for (const event of events) onEvent(event);
        },
        onState(state, retryAt) {
          // The stream is gone for good: an old id would only replay what is read here.
          if (state === "polling") place = null;
          onState(state, retryAt);
        },
      }),
    reconnect: () => stream.reconnect(),
  };
}

/** When the server has no free stream, it polls: everything is read again at intervals. */
export function createEventStream(): EventStream {
  let attempt = new AbortController();

  async function readStream({ place, listener }: Reading, signal: AbortSignal, onBytes: () => void): Promise<End> {
    const response = await fetch(toAddress(LIVE_URL), {
      headers: place === null ? { accept: STREAM_TYPE } : { accept: STREAM_TYPE, "last-event-id": place },
      cache: "no-store",
      signal,
    });
    if (response.status === 401) listener.onMessage({ id: null, events: [{ type: "signed_out" }], chars: 0 });
    if (!response.ok || response.body === null) {
      if (await isFull(response)) return "full";
      return isAwayStatus(response.status) ? "away" : "ended";
    }
    listener.onState("live");
    const decoder = new TextDecoder();
    let unread = "";
    for await (const chunk of readChunks(response.body)) {
      onBytes();
      unread += decoder.decode(chunk, { stream: true });
      const messages = unread.split("\n\n");
      unread = messages.pop() ?? "";
      for (const text of messages) {
        if (signal.aborted) return "ended";
        const message = parseMessage(text);
        if (message.events.length > 0) listener.onMessage(message);
      }
    }
    return "ended";
  }

  /** One connection, from its beginning to its end. */
  async function connect(reading: Reading, closed: AbortSignal): Promise<End> {
    const silence = new AbortController();
    let timer = setTimeout(() => silence.abort(), SILENCE_MS);
    try {
      return await readStream(reading, AbortSignal.any([closed, silence.signal]), () => {
        clearTimeout(timer);
        timer = setTimeout(() => silence.abort(), SILENCE_MS);
      });
    } catch {
      // A server that is silent may be there: something on the way can hold a stream back.
      return silence.signal.aborted ? "ended" : "away";
    } finally {
      clearTimeout(timer);
    }
  }

  async function run(after: string | null, listener: MessageListener, closed: AbortSignal): Promise<void> {
    let place = after;
    let failures = 0;
    let polled = false;
    listener.onState("connecting");
    while (!closed.aborted) {
      let wasLive = false;
      attempt = new AbortController();
      const over = AbortSignal.any([closed, attempt.signal]);
      const end = await connect({ place, listener: { onMessage, onState } }, over);
      if (closed.aborted) return;
      if (attempt.signal.aborted) continue;
      failures = wasLive ? 0 : failures + 1;
      const ms = getPauseMs(end, failures);
      const retryAt = Date.now() + ms;
      if (end === "full") {
        place = null;
        polled = true;
        listener.onState("polling");
        listener.onMessage({ id: null, events: [{ type: "reset" }], chars: 0 });
      } else if (wasLive) listener.onState("lost", retryAt);
      else listener.onState(end === "away" ? "away" : "offline", retryAt);
      await pause(ms, over);

      function onMessage(message: LiveMessage): void {
        place = message.id ?? place;
        // No source repeats the events between the last reading and the stream.
        if (polled) listener.onMessage({ id: null, events: [{ type: "reset" }], chars: 0 });
        polled = false;
        listener.onMessage(message);
      }
      function onState(state: LiveState): void {
        wasLive = true;
        if (!closed.aborted) listener.onState(state);
      }
    }
  }

  return {
    open(after, listener) {
      const closing = new AbortController();
      void run(after, listener, closing.signal);
      return () => closing.abort();
    },
    reconnect: () => attempt.abort(),
  };
}

/** One connection: the messages it already has, and the receiver of the next ones. */
interface Reading {
  place: string | null;
  listener: MessageListener;
}

/** Adds up to a fifth at random, so that tabs which lost their server together do not reconnect together. */
function getPauseMs(end: End, failures: number): number {
  const ms = end === "full" ? POLL_MS : Math.min(FIRST_RETRY_MS * 2 ** Math.max(0, failures - 1), LONGEST_RETRY_MS);
  return ms * (1 + Math.random() / 5);
}

async function isFull(response: Response): Promise<boolean> {
  const body: unknown = await response.json().catch(() => null);
  return (body as { error?: { code?: unknown } } | null)?.error?.code === "too_many_streams";
}

/** Some browsers cannot iterate over a stream. */
async function* readChunks(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

function parseMessage(text: string): LiveMessage {
  let id: string | null = null;
  let events: LiveEvent[] = [];
  for (const line of text.split("\n")) {
    if (line.startsWith("id: ")) id = line.slice(4);
    else if (line.startsWith("data: ")) events = JSON.parse(line.slice(6)) as LiveEvent[];
  }
  return { id, events, chars: text.length };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
