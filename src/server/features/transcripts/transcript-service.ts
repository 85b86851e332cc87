import type { Actor } from "../../../lib/contract/actor";
import type { LiveEvent } from "../../../lib/contract/live-event";
import type { Problem } from "../../../lib/contract/problem";
import type { RunStatus } from "../../../lib/contract/run";
import type {
  TranscriptDetail,
  TranscriptSegmentInput,
  TranscriptSettings,
  TranscriptSummary,
} from "../../../lib/contract/transcript";
import { getMessage } from "../../../lib/get-message";
import { normalizePhrase } from "../../engine/agent/normalize-text";
import { AppError, invalidInput } from "../../platform/shared/app-error";
import { createSharedFeed } from "./answer-feed";
import { createQueryAnswers } from "./query-answers";
import { createTranscriptListeners } from "./transcript-listeners";
import { TRANSCRIPT_LIMITS, type TranscriptServicePorts } from "./transcript-ports";
import { createTranscriptReads, findTranscript, readDetail, refuseAppend, toSummary } from "./transcript-reads";

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

    /** The status of a transcript's run changed. */
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
