import type { LiveEvent } from "../../../lib/contract";
import { eventSize } from "./event-size";

export interface IdentifiedEvent {
  id: string;
  event: LiveEvent;
}

/** Where changes are published and tabs listen. A port: several copies of the server will need one that they share. */
export interface LiveHub {
  publish(event: LiveEvent): void;
  /** Events after `lastEventId` in order, then those to come, until `signal` aborts. */
  listen(lastEventId: string | null, signal: AbortSignal): AsyncGenerator<IdentifiedEvent, void, undefined>;
  readonly listeners: number;
}

export interface LiveHubLimits {
  /** Kept for tabs that come back: this many events at least, twice as many at most. */
  keptEvents: number;
  /** Of them together, about. */
  keptCharacters: number;
  /** A tab that reads slower than events are made is told to read everything again past either of these. */
  queuedEvents: number;
  queuedCharacters: number;
}

const LIMITS: LiveHubLimits = {
  keptEvents: 2000,
  keptCharacters: 32 * 1024 * 1024,
  queuedEvents: 5000,
  queuedCharacters: 16 * 1024 * 1024,
};

interface SizedEvent {
  identified: IdentifiedEvent;
  /** Characters, about. */
  size: number;
}

/**
 * Keeps the newest events in memory, numbered within this process's life. A listener is subscribed in the same moment as
 * it is given the past, so nothing falls between; an id of another life, or one no longer kept, is answered with `reset`.
 */
export function createLiveHub(lifeId: string, limits: LiveHubLimits = LIMITS): LiveHub {
  const kept = new KeptEvents(limits);
  const queues = new Set<Queue>();
  let count = 0;

  const now = (type: "hello" | "reset"): SizedEvent => ({
    identified: { id: `${lifeId}:${count}`, event: { type } },
    size: 0,
  });

  /** Begins with an id even where nothing was missed: a tab that heard no event yet must be able to come back too. */
  function replay(lastEventId: string | null): SizedEvent[] {
    if (lastEventId === null) return [now("hello")];
    const missed = kept.after(lastEventId);
    if (missed !== null) return missed;
    const isBeginning = lastEventId === `${lifeId}:0`;
    return isBeginning && kept.holdsAll(count) ? kept.all() : [now("reset")];
  }

  return {
    get listeners() {
      return queues.size;
    },
    publish(event) {
      count += 1;
      const size = eventSize(event, limits.keptCharacters);
      const sized = { identified: { id: `${lifeId}:${count}`, event }, size };
      kept.push(sized);
      for (const queue of queues) queue.push(sized);
    },
    async *listen(lastEventId, signal) {
      const queue = new Queue(limits);
      for (const past of replay(lastEventId)) queue.push(past);
      queues.add(queue);
      const wake = (): void => queue.wake();
      signal.addEventListener("abort", wake, { once: true });
      try {
        while (!signal.aborted) {
          if (queue.takeMissed()) yield now("reset").identified;
          const next = queue.take();
          if (next) yield next;
          else await queue.more();
        }
      } finally {
        signal.removeEventListener("abort", wake);
        queues.delete(queue);
      }
    },
  };
}

class KeptEvents {
  #events: SizedEvent[] = [];
  #characters = 0;
  readonly #limits: LiveHubLimits;

  constructor(limits: LiveHubLimits) {
    this.#limits = limits;
  }

  push(event: SizedEvent): void {
    this.#events.push(event);
    this.#characters += event.size;
    const { keptEvents, keptCharacters } = this.#limits;
    // Taking one away from the front moves all the others: many at once cost the same.
    let dropped = this.#events.length >= 2 * keptEvents ? this.#events.length - keptEvents : 0;
    for (let at = 0; at < dropped; at += 1) this.#characters -= this.#events[at]?.size ?? 0;
    for (; this.#characters > keptCharacters; dropped += 1) this.#characters -= this.#events[dropped]?.size ?? 0;
    if (dropped > 0) this.#events.splice(0, dropped);
  }

  /** Null where that event is not kept any more. */
  after(id: string): SizedEvent[] | null {
    const position = this.#events.findIndex(({ identified }) => identified.id === id);
    return position < 0 ? null : this.#events.slice(position + 1);
  }

  holdsAll(count: number): boolean {
    return this.#events.length === count;
  }

  all(): SizedEvent[] {
    return [...this.#events];
  }
}

class Queue {
  #events: SizedEvent[] = [];
  #characters = 0;
  #missed = false;
  #wake: (() => void) | null = null;
  readonly #limits: LiveHubLimits;

  constructor(limits: LiveHubLimits) {
    this.#limits = limits;
  }

  /** Bounded here, since a listener that has stalled does not come to look. */
  push(event: SizedEvent): void {
    // Everything is read again anyway.
    if (this.#missed) return;
    this.#events.push(event);
    this.#characters += event.size;
    const { queuedEvents, queuedCharacters } = this.#limits;
    if (this.#events.length > queuedEvents || this.#characters > queuedCharacters) {
      this.#events = [];
      this.#characters = 0;
      this.#missed = true;
    }
    this.wake();
  }

  take(): IdentifiedEvent | undefined {
    const next = this.#events.shift();
    this.#characters -= next?.size ?? 0;
    return next?.identified;
  }

  /** True once after events had to be dropped. */
  takeMissed(): boolean {
    const missed = this.#missed;
    this.#missed = false;
    return missed;
  }

  more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  wake(): void {
    this.#wake?.();
    this.#wake = null;
  }
}
