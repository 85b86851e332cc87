import type { LiveEvent } from "../../../lib/contract";

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

const MAX_KEPT = 2000;
/** A tab that reads slower than this many events are made is told to read everything again. */
const MAX_BEHIND = 5000;

/**
 * Keeps the newest events in memory, numbered within this process's life. A listener is subscribed before the past is
 * replayed, so nothing falls between; an id of another life, or one no longer kept, is answered with `reset`.
 */
export function createLiveHub(lifeId: string): LiveHub {
  const kept: IdentifiedEvent[] = [];
  const queues = new Set<Queue>();
  let count = 0;

  /** Begins with an id even where nothing was missed: a tab that heard no event yet must be able to come back too. */
  function replay(lastEventId: string | null): IdentifiedEvent[] {
    if (lastEventId === null) return [{ id: `${lifeId}:${count}`, event: { type: "hello" } }];
    const position = kept.findIndex(({ id }) => id === lastEventId);
    if (position >= 0) return kept.slice(position + 1);
    if (lastEventId === `${lifeId}:0` && (kept[0]?.id ?? `${lifeId}:1`) === `${lifeId}:1`) return [...kept];
    return [{ id: `${lifeId}:${count}`, event: { type: "reset" } }];
  }

  return {
    get listeners() {
      return queues.size;
    },
    publish(event) {
      count += 1;
      const identified = { id: `${lifeId}:${count}`, event };
      kept.push(identified);
      // Taking one away from the front moves all the others: many at once cost the same.
      if (kept.length >= 2 * MAX_KEPT) kept.splice(0, kept.length - MAX_KEPT);
      for (const queue of queues) queue.push(identified);
    },
    async *listen(lastEventId, signal) {
      const queue = new Queue();
      queues.add(queue);
      const wake = (): void => queue.wake();
      signal.addEventListener("abort", wake, { once: true });
      try {
        for (const past of replay(lastEventId)) yield past;
        while (!signal.aborted) {
          if (queue.takeMissed()) yield { id: `${lifeId}:${count}`, event: { type: "reset" } };
          const next = queue.events.shift();
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

class Queue {
  readonly events: IdentifiedEvent[] = [];
  #wake: (() => void) | null = null;

  #missed = false;

  /** Bounded here, since a listener that has stalled does not come to look. */
  push(event: IdentifiedEvent): void {
    if (this.events.length >= MAX_BEHIND) {
      this.events.length = 0;
      this.#missed = true;
    }
    this.events.push(event);
    this.wake();
  }

  /** True once after events had to be dropped. What is queued since is dropped too: everything is read again anyway. */
  takeMissed(): boolean {
    if (!this.#missed) return false;
    this.#missed = false;
    this.events.length = 0;
    return true;
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
