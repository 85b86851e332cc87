import type { Actor } from "../../../lib/contract/actor";
import type { LiveEvent } from "../../../lib/contract/live-event";
import type { Problem } from "../../../lib/contract/problem";
import type { RunStatus } from "../../../lib/contract/run";
import type {
  TranscriptDetail,
  TranscriptSegment,
  TranscriptSegmentInput,
  TranscriptSettings,
  TranscriptSummary,
} from "../../../lib/contract/transcript";
import { getMessage } from "../../../lib/get-message";
import { normalizePhrase } from "../../engine/agent/normalize-text";
import type { Clock } from "../../engine/ports";
import { AppError, invalidInput } from "../../platform/shared/app-error";
import { type AnswerFeed, createSharedFeed, type IdentifiedAnswer } from "./answer-feed";
import { createQueryAnswers } from "./query-answers";
import { createTranscriptListeners } from "./transcript-listeners";
import { TRANSCRIPT_LIMITS, type TranscriptServicePorts } from "./transcript-ports";
import type { CountedTranscript, TranscriptRecord, TranscriptStore } from "./transcript-store";

const SHOWN_SEGMENTS = 1000;
const SHOWN_CHARACTERS = 1_000_000;

export type TranscriptService = ReturnType<typeof createTranscriptService>;

/** Transcripts that are searched for queries, which are answered in the background. */
export function createTranscriptService(ports: TranscriptServicePorts) {
  const { store, clock, logger } = ports;
  const publish = createTranscriptPublisher(ports.publish);
  const feed = createSharedFeed(store.answersAfter, ports.bulletin);
  const answers = createQueryAnswers({ ...ports, feed });
  const listeners = createTranscriptListeners({ ...ports, answers, feed, onFound: publish.soon });

  return {
    ...createTranscriptReads({ store, feed, clock }),

    /** Continues what the last process left. After the runs are loaded. */
    load: listeners.load,
    /** After copies of the server ended. */
    settleLost: listeners.settleLost,

    /** @throws AppError INVALID that names each field, CONFLICT when too many are open */
    async create(_actor: Actor, settings: TranscriptSettings): Promise<TranscriptDetail> {
      if ((await store.countOpen()) >= TRANSCRIPT_LIMITS.openTranscripts) {
        const message = `There are ${TRANSCRIPT_LIMITS.openTranscripts} open transcripts already: close one first`;
        throw new AppError("CONFLICT", message);
      }
      await checkSettings(settings, ports);
      const id = `transcript_${ports.newId()}`;
      const record = await store.create({ id, createdAt: clock.now(), settings });
      listeners.open(id);
      publish.now(id);
      return await readDetail(store, record);
    },

    /** @throws AppError for a transcript that is closed, full or unknown */
    async append(_actor: Actor, id: string, given: readonly TranscriptSegmentInput[]): Promise<{ seq: number }> {
      const segments = given.filter(({ text }) => text !== "");
      const added = { segments, receivedAt: clock.now(), limits: TRANSCRIPT_LIMITS };
      const stored = await listeners.append(id, added);
      if (stored === null) return await refuseAppend(store, id, segments);
      publish.soon(id);
      return { seq: (stored.at(-1) ?? (await store.segments(id, 1)).at(0))?.seq ?? 0 };
    },

    /** Queries that were found are still answered. */
    async close(_actor: Actor, id: string): Promise<TranscriptSummary> {
      await listeners.close(await findTranscript(store, id));
      const record = await findTranscript(store, id);
      if (record.status === "open") throw new AppError("UNAVAILABLE", "The transcript could not be closed: try again");
      publish.now(id);
      return toSummary({ ...record, queryCount: await store.countQueries(id) });
    },

    /** Runs stay in the list of runs. */
    async delete(_actor: Actor, id: string): Promise<{ id: string }> {
      await findTranscript(store, id);
      await listeners.forget(id);
      await store.delete(id);
      feed.end(id);
      publish.now(id);
      return { id };
    },

    noteRun({ id, status, transcriptId }: { id: string; status: RunStatus; transcriptId: string | null }): void {
      if (transcriptId === null) return;
      publish.soon(transcriptId);
      if (status === "waiting") answers.noteWaiting(id);
      if (status === "running" || status === "waiting") return;
      answers.noteRun(id).catch((error: unknown) => {
        logger.error({ err: error, runId: id }, "An answer could not be stored");
        listeners.retryAnswer({ id, transcriptId }, error);
      });
    },

    /** Stops searching and asking; before the runs are stopped. */
    async stop(): Promise<void> {
      publish.cancel();
      answers.stop();
      await listeners.stop();
    },
  };
}

/** @throws AppError that names each invalid field */
async function checkSettings(
  { wakePhrases, provider }: TranscriptSettings,
  { checkProvider }: Pick<TranscriptServicePorts, "checkProvider">,
): Promise<void> {
  const problems: Problem[] = [];
  const short = wakePhrases.find((phrase) => normalizePhrase(phrase).length < 2);
  if (short !== undefined) {
    problems.push({ path: "wakePhrases", message: `"${short}" needs at least two letters or digits` });
  }
  try {
    await checkProvider(provider);
  } catch (error) {
    problems.push({ path: "provider", message: getMessage(error).replace(/^provider: /, "") });
  }
  if (problems.length > 0) throw invalidInput("", problems, ": ");
}

/** Pages refetch a transcript at most this often. */
const PUBLISH_EVERY_MS = 200;

/** Publishes changes of transcripts; `soon` combines those in quick succession into one event. */
function createTranscriptPublisher(publish: (event: LiveEvent) => void) {
  const timers = new Map<string, NodeJS.Timeout>();
  const now = (transcriptId: string): void => {
    clearTimeout(timers.get(transcriptId));
    timers.delete(transcriptId);
    publish({ type: "transcript", transcriptId });
  };
  return {
    now,
    soon: (transcriptId: string): void => {
      if (timers.has(transcriptId)) return;
      timers.set(
        transcriptId,
        setTimeout(() => now(transcriptId), PUBLISH_EVERY_MS),
      );
    },
    cancel: (): void => {
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
    },
  };
}

interface TranscriptReadPorts {
  store: TranscriptStore;
  feed: AnswerFeed;
  clock: Clock;
}

/** @throws AppError for an unknown transcript */
async function findTranscript(store: TranscriptStore, id: string): Promise<TranscriptRecord> {
  const record = await store.find(id);
  if (record === null) throw new AppError("NOT_FOUND", `Transcript '${id}' not found`);
  return record;
}

/** @throws AppError that says why the transcript takes no more segments */
async function refuseAppend(
  store: TranscriptStore,
  id: string,
  added: readonly TranscriptSegmentInput[],
): Promise<never> {
  const { status, segmentCount } = await findTranscript(store, id);
  if (status !== "open") throw new AppError("CONFLICT", "This transcript is closed: it accepts no more segments");
  const { segments, characters } = TRANSCRIPT_LIMITS;
  const limit = segmentCount + added.length > segments ? `${segments} segments` : `${characters} characters`;
  throw new AppError("CONFLICT", `This transcript is full (${limit}): close it and create another one`);
}

function toSummary(transcript: CountedTranscript): TranscriptSummary {
  const { id, seq, status, createdAt, closedAt, settings, segmentCount, queryCount } = transcript;
  return { id, seq, title: settings.title, status, createdAt, closedAt, segmentCount, queryCount };
}

async function readDetail(store: TranscriptStore, record: TranscriptRecord): Promise<TranscriptDetail> {
  const [queryCount, segments, queries] = await Promise.all([
    store.countQueries(record.id),
    store.segments(record.id, SHOWN_SEGMENTS),
    store.queries(record.id),
  ]);
  return {
    ...toSummary({ ...record, queryCount }),
    settings: record.settings,
    queries,
    segments: newestWithin(segments, SHOWN_CHARACTERS),
  };
}

/** Lists, details and the stream of answers. */
function createTranscriptReads({ store, feed, clock }: TranscriptReadPorts) {
  return {
    list: async (): Promise<{ items: TranscriptSummary[] }> => ({ items: (await store.list()).map(toSummary) }),
    get: async (id: string): Promise<TranscriptDetail> => readDetail(store, await findTranscript(store, id)),

    /**
     * Answers after the one with that id, new ones included. Without an id only new ones, with `0` all.
     * @throws AppError for an unknown transcript
     */
    async *answers(
      id: string,
      lastEventId: string | null,
      signal: AbortSignal,
    ): AsyncGenerator<IdentifiedAnswer, void, undefined> {
      const now = clock.now() - 1;
      await findTranscript(store, id);
      const after = lastEventId === null ? now : Number(lastEventId);
      yield* feed.listen(id, Number.isFinite(after) ? after : now, signal);
    },
  };
}

function newestWithin(segments: readonly TranscriptSegment[], maxCharacters: number): TranscriptSegment[] {
  let characters = 0;
  const from = segments.findLastIndex(({ text }) => {
    characters += text.length;
    return characters > maxCharacters;
  });
  return segments.slice(from + 1);
}
