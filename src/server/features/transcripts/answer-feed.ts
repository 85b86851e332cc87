import type { TranscriptQuery } from "../../../lib/contract/transcript";
import { type Bulletin, createTopic } from "../../platform/coordination/bulletin";
import type { TranscriptStore } from "./transcript-store";

export interface IdentifiedAnswer {
  /** The answer's number in its transcript; grows, also over restarts. */
  id: string;
  query: TranscriptQuery;
}

export interface AnswerFeed {
  /** The transcript has new answers. */
  wake(transcriptId: string): void;
  /** Ends the streams of a transcript that is no more. */
  end(transcriptId: string): void;
  /** Yields the answers with an `answeredAt` later than `after`, from the store and then as they come, until `signal` aborts. */
  listen(transcriptId: string, after: number, signal: AbortSignal): AsyncGenerator<IdentifiedAnswer, void, undefined>;
}

interface Listener {
  transcriptId: string;
  ended: boolean;
  /** The store may have more than was read. */
  isStale: boolean;
  wake: () => void;
}

/** `readAfter` reads the answers of a transcript that are later than a time, in order of `answeredAt`. */
function createAnswerFeed(
  readAfter: (transcriptId: string, answeredAt: number) => Promise<TranscriptQuery[]>,
): AnswerFeed {
  const listeners = new Set<Listener>();

  async function* follow(listener: Listener, after: number, signal: AbortSignal) {
    let last = after;
    while (!signal.aborted && !listener.ended) {
      if (!listener.isStale) {
        await new Promise<void>((resolve) => {
          listener.wake = resolve;
        });
        continue;
      }
      listener.isStale = false;
      for (const query of await readAfter(listener.transcriptId, last)) {
        last = query.answeredAt ?? last;
        // A read is limited.
        listener.isStale = true;
        yield { id: String(last), query };
      }
    }
  }

  return {
    wake(transcriptId) {
      for (const listener of listeners) {
        if (listener.transcriptId !== transcriptId) continue;
        listener.isStale = true;
        listener.wake();
      }
    },
    end(transcriptId) {
      for (const listener of listeners) {
        if (listener.transcriptId !== transcriptId) continue;
        listener.ended = true;
        listener.wake();
      }
    },
    async *listen(transcriptId, after, signal) {
      const listener: Listener = { transcriptId, ended: false, isStale: true, wake: () => undefined };
      const wake = (): void => listener.wake();
      listeners.add(listener);
      signal.addEventListener("abort", wake, { once: true });
      try {
        yield* follow(listener, after, signal);
      } finally {
        signal.removeEventListener("abort", wake);
        listeners.delete(listener);
      }
    },
  };
}

/** The answers of a transcript were stored, maybe by another copy. */
const ANSWERED = createTopic<string>("transcripts.answered");

/** A feed that other copies of the server wake too. */
export function createSharedFeed(readAfter: TranscriptStore["answersAfter"], bulletin: Bulletin): AnswerFeed {
  const feed = createAnswerFeed(readAfter);
  bulletin.on(ANSWERED, feed.wake);
  return {
    ...feed,
    wake(transcriptId) {
      feed.wake(transcriptId);
      bulletin.post(ANSWERED, transcriptId);
    },
  };
}
