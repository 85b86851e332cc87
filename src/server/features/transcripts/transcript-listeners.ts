import type { TranscriptSegment } from "../../../lib/contract/transcript";
import { type Bulletin, createTopic } from "../../platform/coordination/bulletin";
import type { AnswerFeed } from "./answer-feed";
import type { QueryAnswers } from "./query-answers";
import { RETRY_MS, TranscriptListener } from "./transcript-listener";
import type { TranscriptServicePorts } from "./transcript-ports";
import type { AddedSegments, TranscriptRecord } from "./transcript-store";

interface ListenersPorts extends TranscriptServicePorts {
  answers: QueryAnswers;
  feed: AnswerFeed;
  onFound: (transcriptId: string) => void;
}

type Owned = Pick<TranscriptRecord, "id" | "owner">;

/** Segments were stored: the owner searches them. */
const SEGMENTS = createTopic<string, true | undefined>("transcripts.segments");
const CLOSE = createTopic<string, true | undefined>("transcripts.close");
const DELETE = createTopic<string>("transcripts.delete");
/** A copy that stops leaves its transcripts to the others. */
const RELEASED = createTopic<null>("transcripts.released");
/** How long another copy may take to search segments, or to close. */
const OWNER_LIMIT_MS = 10_000;

/** The transcripts that this copy of the server searches: open ones, and closed ones whose queries are being answered. */
export function createTranscriptListeners(ports: ListenersPorts) {
  const { store, copies, bulletin, answers, feed } = ports;
  const listeners = new Map<string, TranscriptListener>();
  let isLoaded = false;
  let isStopping = false;

  function open(id: string): TranscriptListener {
    const known = listeners.get(id);
    if (known !== undefined) return known;
    const onFound = () => ports.onFound(id);
    const listener = new TranscriptListener(id, { ...ports, onFound, onDone: () => listeners.delete(id) });
    listeners.set(id, listener);
    return listener;
  }

  /** The listener of a transcript that this copy owns, or takes from one that ended; null where another copy was faster. */
  async function claim({ id, owner }: Owned): Promise<TranscriptListener | null> {
    if (isStopping) return null;
    if (owner !== copies.self.id && !(await store.take(id, owner))) return null;
    return open(id);
  }

  async function resumeAll(): Promise<void> {
    for (const unfinished of await store.unfinished()) await (await claim(unfinished))?.resume();
  }

  const isElsewhere = ({ owner }: Owned): boolean =>
    owner !== null && owner !== copies.self.id && copies.isLiving(owner);

  async function forgetHere(id: string): Promise<void> {
    await listeners.get(id)?.stop();
    listeners.delete(id);
    feed.end(id);
  }

  followOthers(bulletin, listeners, forgetHere);
  bulletin.on(RELEASED, async () => {
    if (isLoaded) await resumeAll();
  });

  return {
    open,

    /** The answer of a run could not be stored. */
    retryAnswer(run: { id: string; transcriptId: string }, error: unknown): void {
      // Its search starts again, and finds the run.
      if (listeners.has(run.transcriptId) || copies.list().length < 2) open(run.transcriptId).fail(error);
      else repeat(() => answers.noteRun(run.id), ports.retryMs);
    },

    load(): Promise<void> {
      isLoaded = true;
      return resumeAll();
    },

    settleLost: async () => (isLoaded ? await resumeAll() : undefined),

    /** Resolves once the queries in the segments are stored. Null where the transcript takes no more. */
    async append(id: string, added: AddedSegments): Promise<TranscriptSegment[] | null> {
      const known = listeners.get(id);
      if (known !== undefined) return await known.append(added);
      const record = await store.find(id);
      if (record?.status !== "open") return null;
      const claimed = isElsewhere(record) ? null : await claim(record);
      if (claimed !== null) return await claimed.append(added);
      const stored = await store.append(id, added);
      if (stored !== null) await bulletin.ask(SEGMENTS, id, OWNER_LIMIT_MS, isEnough);
      return stored;
    },

    /** On the copy that searches it. */
    async close(record: TranscriptRecord): Promise<void> {
      const known = listeners.get(record.id);
      if (known === undefined && record.status !== "open") return;
      const listener = known ?? (isElsewhere(record) ? null : await claim(record));
      if (listener === null) await bulletin.ask(CLOSE, record.id, OWNER_LIMIT_MS, isEnough);
      else await listener.close();
    },

    /** On every copy: the transcript is deleted. */
    async forget(id: string): Promise<void> {
      await forgetHere(id);
      await bulletin.ask(DELETE, id, OWNER_LIMIT_MS);
    },

    async stop(): Promise<void> {
      isStopping = true;
      await Promise.all([...listeners.values()].map((listener) => listener.stop()));
      if (copies.list().length < 2) return;
      await store.releaseAll().catch((err: unknown) => ports.logger.warn({ err }, "Transcripts could not be released"));
      bulletin.post(RELEASED, null);
    },
  };
}

const isEnough = (answer: true | undefined): boolean => answer === true;

/** What other copies ask of the one that searches a transcript. */
function followOthers(
  bulletin: Bulletin,
  listeners: ReadonlyMap<string, TranscriptListener>,
  forget: (id: string) => Promise<void>,
): void {
  bulletin.on(SEGMENTS, async (id) => {
    await listeners.get(id)?.resume();
    return listeners.has(id) || undefined;
  });
  bulletin.on(CLOSE, async (id) => {
    const listener = listeners.get(id);
    await listener?.close();
    return listener === undefined ? undefined : true;
  });
  bulletin.on(DELETE, forget);
  bulletin.onGap(() => {
    for (const listener of listeners.values()) void listener.resume();
  });
}

function repeat(work: () => Promise<void>, everyMs = RETRY_MS): void {
  setTimeout(() => {
    work().catch(() => repeat(work, everyMs));
  }, everyMs).unref();
}
