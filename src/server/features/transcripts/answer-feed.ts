import type { TranscriptQuery } from "../../../lib/contract";

export interface IdentifiedAnswer {
  /** Of this answer among those of its transcript; grows, also over restarts. */
  id: string;
  query: TranscriptQuery;
}

/** Who listens to a transcript's answers. */
export interface AnswerFeed {
  /** The `answeredAt` of the next answer: the time, epoch milliseconds, and later than every one before. */
  stamp(): number;
  /** In the order of their stamps. */
  publish(transcriptId: string, query: TranscriptQuery): void;
  /** Ends the streams of a transcript that is no more. */
  end(transcriptId: string): void;
  /** Those whose stamp is later than `after`, from the store and then as they come, until `signal` aborts. */
  listen(transcriptId: string, after: number, signal: AbortSignal): AsyncGenerator<IdentifiedAnswer, void, undefined>;
}

interface Listener {
  transcriptId: string;
  waiting: TranscriptQuery[];
  ended: boolean;
  /** More came than is kept. */
  missed: boolean;
  wake: () => void;
}

const MAX_WAITING = 500;

/** `past` reads the answers of a transcript from the store, in order of `answeredAt`. */
export function createAnswerFeed(
  past: (transcriptId: string) => Promise<TranscriptQuery[]>,
  now: () => number,
): AnswerFeed {
  const listeners = new Set<Listener>();
  let issued = 0;

  function push(listener: Listener, query: TranscriptQuery): void {
    if (listener.waiting.length < MAX_WAITING) listener.waiting.push(query);
    else listener.missed = true;
    listener.wake();
  }

  async function* follow(listener: Listener, after: number, signal: AbortSignal) {
    let last = after;
    const isNew = ({ answeredAt }: TranscriptQuery) => (answeredAt ?? 0) > last;
    listener.missed = true;
    while (!signal.aborted && !listener.ended) {
      const wasMissed = listener.missed;
      listener.missed = false;
      const missed = wasMissed ? await past(listener.transcriptId) : [];
      for (const query of [...missed, ...listener.waiting.splice(0)]) {
        if (!isNew(query)) continue;
        last = query.answeredAt ?? last;
        yield query;
      }
      if (listener.waiting.length > 0 || listener.missed) continue;
      await new Promise<void>((resolve) => {
        listener.wake = resolve;
        if (signal.aborted || listener.ended) resolve();
      });
    }
  }

  return {
    stamp() {
      issued = Math.max(now(), issued + 1);
      return issued;
    },
    publish(transcriptId, query) {
      for (const listener of listeners) if (listener.transcriptId === transcriptId) push(listener, query);
    },
    end(transcriptId) {
      for (const listener of listeners) {
        if (listener.transcriptId !== transcriptId) continue;
        listener.ended = true;
        listener.wake();
      }
    },
    async *listen(transcriptId, after, signal) {
      const listener: Listener = { transcriptId, waiting: [], ended: false, missed: false, wake: () => undefined };
      const wake = (): void => listener.wake();
      listeners.add(listener);
      signal.addEventListener("abort", wake, { once: true });
      try {
        for await (const query of follow(listener, after, signal)) {
          yield { id: String(query.answeredAt), query };
        }
      } finally {
        signal.removeEventListener("abort", wake);
        listeners.delete(listener);
      }
    },
  };
}
