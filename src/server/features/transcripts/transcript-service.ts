import type {
  LiveEvent,
  RunStatus,
  TranscriptDetail,
  TranscriptQuery,
  TranscriptSegment,
  TranscriptSegmentInput,
  TranscriptSettings,
  TranscriptStatus,
  TranscriptSummary,
} from "../../../lib/contract";
import { transcriptSegmentInputSchema } from "../../../lib/contract/transcript";
import { messageOf } from "../../../lib/message-of";
import { AppError } from "../../app-error";
import { foldPhrase } from "../../engine/fold-letters";
import { createAnswerFeed, type IdentifiedAnswer } from "./answer-feed";
import { OpenTranscript } from "./open-transcript";
import { createQueryAnswers } from "./query-answers";
import { TRANSCRIPT_LIMITS, type TranscriptServicePorts } from "./transcript-ports";
import type { TranscriptRecord } from "./transcript-record";
import { type StoredQuery, summaryOf, withoutTranscript } from "./transcript-store";
import { createWebhookDeliveries } from "./webhook-deliveries";

export type TranscriptService = ReturnType<typeof createTranscriptService>;

const SHOWN_SEGMENTS = 1000;
const SHOWN_CHARACTERS = 1_000_000;
const CONTEXT_SEGMENTS = 12;
/** Pages read again at most this often for one transcript. */
const PUBLISH_EVERY_MS = 200;

/** Transcripts that are listened to for queries, which are answered in the background. */
export function createTranscriptService(ports: TranscriptServicePorts) {
  const { store, clock, logger } = ports;
  const open = new Map<string, OpenTranscript>();
  /** Closed ones whose queries are being answered. */
  const ending = new Set<OpenTranscript>();
  const publish = publishSeldom(ports.publish);
  const feed = createAnswerFeed(
    async (id) => (await store.queries(id)).filter(isSettled).sort((a, b) => a.answeredAt - b.answeredAt),
    () => clock.now(),
  );
  const deliveries = createWebhookDeliveries({ ...ports, onChange: publish.soon });
  const answers = createQueryAnswers({ ...ports, feed, deliveries });

  async function find(id: string): Promise<TranscriptRecord> {
    const record = await store.find(id);
    if (record === null) throw new AppError("NOT_FOUND", `Transcript '${id}' not found`);
    return record;
  }

  async function detail(record: TranscriptRecord): Promise<TranscriptDetail> {
    const [counts, segments, queries] = await Promise.all([
      store.counts(record.id),
      store.segments(record.id, SHOWN_SEGMENTS),
      store.queries(record.id),
    ]);
    return {
      ...{ ...summaryOf(record), ...counts, settings: record.settings, queries },
      segments: newestWithin(segments, SHOWN_CHARACTERS),
      webSocketPath: `/transcripts/${record.id}`,
    };
  }

  function listenTo(record: TranscriptRecord): OpenTranscript {
    return new OpenTranscript(record, {
      ...ports,
      answers,
      newId: () => `query_${ports.newId()}`,
      onChange: () => publish.soon(record.id),
      onFault: (reason) => {
        end(record.id, "failed", reason).catch((error: unknown) => {
          logger.error({ err: error, transcriptId: record.id }, "A transcript could not be ended");
        });
      },
    });
  }

  async function end(id: string, status: Exclude<TranscriptStatus, "open">, error: string | null): Promise<void> {
    const transcript = open.get(id);
    open.delete(id);
    if (transcript === undefined) return;
    await transcript.end();
    await store.setStatus(id, status, error, clock.now());
    keepUntilAnswered(transcript);
    publish.now(id);
  }

  function keepUntilAnswered(transcript: OpenTranscript): void {
    ending.add(transcript);
    void transcript.answered().finally(() => ending.delete(transcript));
  }

  async function checkSettings({ wakePhrases, webhookUrl, source, provider }: TranscriptSettings): Promise<void> {
    const problems: string[] = [];
    const short = wakePhrases.find((phrase) => foldPhrase(phrase).length < 2);
    if (short !== undefined) problems.push(`wakePhrases: "${short}" needs at least two letters or digits`);
    if (webhookUrl != null) {
      const { username, password } = new URL(webhookUrl);
      if (username !== "" || password !== "") problems.push("webhookUrl: must not hold a user name or a password");
    }
    if (source.kind === "file") await ports.fileTail.check(source.path).catch(noted("source.path", problems));
    await ports.checkProvider(provider).catch(noted("provider", problems));
    if (problems.length > 0) throw new AppError("INVALID", problems.join("; "), problems);
  }

  /** Goes on with what earlier processes left without an outcome. */
  async function pickUp(query: StoredQuery): Promise<void> {
    // A run that does not exist was chosen by a process that ended before it began.
    if (query.runId !== null && (await ports.getRun(query.runId)) !== null) return await answers.noteRun(query.runId);
    const record = await store.find(query.transcriptId);
    if (record === null) return;
    const context = await store.segments(record.id, CONTEXT_SEGMENTS, query.toSeq);
    const transcript = open.get(record.id) ?? listenTo(record);
    transcript.ask({ ...query, context });
    if (!open.has(record.id)) keepUntilAnswered(transcript);
  }

  return {
    /** Goes on with open transcripts, unfinished queries and undelivered answers. After the runs are loaded. */
    async load(): Promise<void> {
      for (const record of await store.open()) {
        const transcript = listenTo(record);
        open.set(record.id, transcript);
      }
      for (const query of await store.unanswered()) {
        await pickUp(query).catch((error: unknown) => {
          logger.error({ err: error, queryId: query.id }, "A query could not be picked up");
        });
      }
      for (const query of await store.undelivered()) {
        const record = await store.find(query.transcriptId);
        if (record?.settings.webhookUrl != null) deliveries.deliver(record.settings.webhookUrl, query);
      }
      for (const transcript of [...open.values()]) {
        await transcript.begin().catch((error: unknown) => {
          logger.error({ err: error, transcriptId: transcript.record.id }, "A transcript could not go on");
        });
      }
    },

    list: async (): Promise<{ items: TranscriptSummary[] }> => ({ items: await store.list() }),
    get: async (id: string): Promise<TranscriptDetail> => detail(await find(id)),
    exists: async (id: string): Promise<boolean> => (await store.find(id)) !== null,

    /** @throws AppError INVALID that names each field, CONFLICT when too many are open */
    async create(settings: TranscriptSettings): Promise<TranscriptDetail> {
      if (open.size >= TRANSCRIPT_LIMITS.openTranscripts) {
        const message = `There are ${TRANSCRIPT_LIMITS.openTranscripts} open transcripts already: close one first`;
        throw new AppError("CONFLICT", message);
      }
      await checkSettings(settings);
      const id = `transcript_${ports.newId()}`;
      const record = await store.create({ id, createdAt: clock.now(), settings });
      const transcript = listenTo(record);
      open.set(id, transcript);
      await transcript.begin();
      publish.now(id);
      return await detail(record);
    },

    /** @throws AppError for a transcript that is closed, full or unknown, and for segments that are too long or too many */
    async append(id: string, segments: readonly TranscriptSegmentInput[]): Promise<{ seq: number }> {
      const transcript = open.get(id);
      if (transcript === undefined) {
        const { status } = await find(id);
        const now = status === "open" ? "being closed" : status;
        throw new AppError("CONFLICT", `This transcript is ${now}: it takes no more segments`);
      }
      refuseUnfit(segments);
      return { seq: await transcript.append(segments) };
    },

    /** Queries that are asked already are answered still. */
    async close(id: string): Promise<TranscriptSummary> {
      await find(id);
      await end(id, "closed", null);
      return { ...summaryOf(await find(id)), ...(await store.counts(id)) };
    },

    /** Runs stay in the list of runs. */
    async delete(id: string): Promise<{ id: string }> {
      await find(id);
      const live = [...ending].filter(({ record }) => record.id === id).concat(open.get(id) ?? []);
      open.delete(id);
      for (const transcript of live) {
        ending.delete(transcript);
        await transcript.abort();
      }
      await store.delete(id);
      feed.end(id);
      publish.now(id);
      return { id };
    },

    /**
     * Answers after the one with that id, those that come included; without an id those that come from now on, with `0`
     * all. @throws AppError for an unknown transcript
     */
    async *answers(
      id: string,
      lastEventId: string | null,
      signal: AbortSignal,
    ): AsyncGenerator<IdentifiedAnswer, void, undefined> {
      const now = clock.now() - 1;
      await find(id);
      const after = lastEventId === null ? now : Number(lastEventId);
      yield* feed.listen(id, Number.isFinite(after) ? after : now, signal);
    },

    /** @throws AppError where there is nothing to tell, or nobody */
    async retryWebhook(queryId: string): Promise<TranscriptQuery> {
      const query = await store.findQuery(queryId);
      if (query === null) throw new AppError("NOT_FOUND", `Query '${queryId}' not found`);
      const { settings } = await find(query.transcriptId);
      if (settings.webhookUrl == null) throw new AppError("INVALID", "This transcript has no webhook");
      if (query.answeredAt === null) throw new AppError("CONFLICT", "This query is not answered yet");
      deliveries.deliver(settings.webhookUrl, query);
      return { ...withoutTranscript(query), webhook: { state: "pending", attempts: 0, error: null } };
    },

    /** A run of a transcript has another state, wherever it goes on. */
    noteRun({ id, status, transcriptId }: { id: string; status: RunStatus; transcriptId: string | null }): void {
      if (transcriptId === null) return;
      publish.soon(transcriptId);
      if (status === "waiting") answers.noteWaiting(id);
      if (status === "running" || status === "waiting") return;
      answers.noteRun(id).catch((error: unknown) => {
        logger.error({ err: error, runId: id }, "An answer could not be kept");
      });
    },

    /** Stops listening and asking; before the runs are stopped. */
    async stop(): Promise<void> {
      publish.cancel();
      answers.stop();
      await Promise.all([...open.values(), ...ending].map((transcript) => transcript.abort()));
      await deliveries.close();
    },
  };
}

const isSettled = (query: TranscriptQuery): query is TranscriptQuery & { answeredAt: number } =>
  query.answeredAt !== null;

function noted(field: string, problems: string[]): (error: unknown) => void {
  return (error) => {
    const message = messageOf(error);
    problems.push(message.startsWith(`${field}:`) ? message : `${field}: ${message}`);
  };
}

/** For callers that no schema has looked at before, as the WebSocket's. */
function refuseUnfit(segments: readonly TranscriptSegmentInput[]): void {
  const { segmentsAtOnce } = TRANSCRIPT_LIMITS;
  if (segments.length > segmentsAtOnce) {
    throw new AppError("INVALID", `segments: at most ${segmentsAtOnce} at once, these are ${segments.length}`);
  }
  for (const [index, segment] of segments.entries()) {
    const { error } = transcriptSegmentInputSchema.safeParse(segment);
    if (error === undefined) continue;
    const problems = error.issues.map(({ path, message }) => `segments[${index}].${path.join(".")}: ${message}`);
    throw new AppError("INVALID", problems.join("; "), problems);
  }
}

function newestWithin(segments: readonly TranscriptSegment[], maxCharacters: number): TranscriptSegment[] {
  let characters = 0;
  const from = segments.findLastIndex(({ text }) => {
    characters += text.length;
    return characters > maxCharacters;
  });
  return segments.slice(from + 1);
}

/** Events of one transcript, at most one in a while: segments come in quick succession. */
function publishSeldom(publish: (event: LiveEvent) => void) {
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
