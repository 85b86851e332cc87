import { isAwayStatus } from "@/app/_ui/server-reach";
import type { LiveEvent } from "@/lib/contract/live-event";

/** `lost`: the stream ended a moment ago. `away`: the server does not answer. `offline`: it answers, but with no stream. */
export type LiveState = "connecting" | "live" | "polling" | "lost" | "away" | "offline";

export interface LiveListener {
  onEvent(event: LiveEvent): void;
  /** @param retryAt the next attempt, in epoch milliseconds */
  onState(state: LiveState, retryAt?: number): void;
}

/** Where a tab hears of changes. */
export interface LiveSource {
  /** Connects, and connects again when the connection is lost. @returns closes it */
  open(listener: LiveListener): () => void;
  /** Connects again at once. */
  reconnect(): void;
}

/** The end of a connection; `full`: the server has no stream left. */
type End = "full" | "away" | "ended";

const LIVE_URL = "/api/live";
const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 10_000;
/** How often a page reads everything again while the server has no stream to spare. */
const POLL_MS = 15_000;
/** The server writes something every 15 seconds. */
const SILENCE_MS = 40_000;

/**
 * The server's event stream. It starts after the event `since` and remembers the last id, so a reopened stream replays
 * missed events. When the server has no free stream, it polls: everything is read again at intervals.
 */
export function createLiveSource(since: string | null = null): LiveSource {
  let lastEventId = since;
  let attempt = new AbortController();

  async function readStream(listener: LiveListener, signal: AbortSignal, onBytes: () => void): Promise<End> {
    const response = await fetch(LIVE_URL, {
      headers: { accept: "text/event-stream", ...(lastEventId === null ? {} : { "last-event-id": lastEventId }) },
      cache: "no-store",
      signal,
    });
    if (response.status === 401) listener.onEvent({ type: "signed_out" });
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
      for (const message of messages) {
        const { id, events } = parseMessage(message);
        if (signal.aborted) return "ended";
        lastEventId = id ?? lastEventId;
        for (const event of events) listener.onEvent(event);
      }
    }
    return "ended";
  }

  /** One connection, from its beginning to its end. */
  async function connect(listener: LiveListener, closed: AbortSignal): Promise<End> {
    const silence = new AbortController();
    let timer = setTimeout(() => silence.abort(), SILENCE_MS);
    try {
      return await readStream(listener, AbortSignal.any([closed, silence.signal]), () => {
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

  async function run(listener: LiveListener, closed: AbortSignal): Promise<void> {
    let failures = 0;
    listener.onState("connecting");
    while (!closed.aborted) {
      let wasLive = false;
      const onState = (state: LiveState): void => {
        wasLive = true;
        if (!closed.aborted) listener.onState(state);
      };
      attempt = new AbortController();
      const over = AbortSignal.any([closed, attempt.signal]);
      const end = await connect({ onEvent: listener.onEvent, onState }, over);
      if (closed.aborted) return;
      if (attempt.signal.aborted) continue;
      failures = wasLive ? 0 : failures + 1;
      const ms = getPauseMs(end, failures);
      const retryAt = Date.now() + ms;
      if (end === "full") {
        // The stream is gone for good: an old id would only replay what is read here.
        lastEventId = null;
        listener.onState("polling");
        listener.onEvent({ type: "reset" });
      } else if (wasLive) listener.onState("lost", retryAt);
      else listener.onState(end === "away" ? "away" : "offline", retryAt);
      await pause(ms, over);
    }
  }

  return {
    open(listener) {
      const closing = new AbortController();
      void run(listener, closing.signal);
      return () => closing.abort();
    },
    reconnect: () => attempt.abort(),
  };
}

/** Up to a fifth longer, so that tabs which lost their server together do not come back together. */
function getPauseMs(end: End, failures: number): number {
  const ms = end === "full" ? POLL_MS : Math.min(FIRST_RETRY_MS * 2 ** Math.max(0, failures - 1), LONGEST_RETRY_MS);
  return ms * (1 + Math.random() / 5);
}

async function isFull(response: Response): Promise<boolean> {
  const body: unknown = await response.json().catch(() => null);
  return (body as { error?: { code?: unknown } } | null)?.error?.code === "too_many_streams";
}

/** Not every browser can iterate over a stream. */
async function* readChunks(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

function parseMessage(text: string): { id: string | null; events: LiveEvent[] } {
  let id: string | null = null;
  let events: LiveEvent[] = [];
  for (const line of text.split("\n")) {
    if (line.startsWith("id: ")) id = line.slice(4);
    else if (line.startsWith("data: ")) events = JSON.parse(line.slice(6)) as LiveEvent[];
  }
  return { id, events };
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
