import type { Actor, RunStatus, TranscriptDetail, TranscriptQuery, TranscriptSettings } from "../../../lib/contract";
import { AppError } from "../../shared/app-error";
import { createAnswerFeed } from "./answer-feed";
import { checkSettings } from "./check-transcript-input";
import { createOpenTranscripts } from "./open-transcripts";
import { createQueryAnswers } from "./query-answers";
import { TRANSCRIPT_LIMITS, type TranscriptServicePorts } from "./transcript-ports";
import { createTranscriptPublisher } from "./transcript-publisher";
import { createTranscriptReads, findTranscript, readDetail } from "./transcript-reads";
import { toQueryView } from "./transcript-views";
import { createTranscriptWrites } from "./transcript-writes";
import { createWebhookDeliveries } from "./webhook-deliveries";

export type TranscriptService = ReturnType<typeof createTranscriptService>;

/** Transcripts that are listened to for queries, which are answered in the background. */
export function createTranscriptService(ports: TranscriptServicePorts) {
  const { store, clock, logger, calls } = ports;
  const publish = createTranscriptPublisher(ports.publish);
  const feed = createAnswerFeed(store.answersAfter);
  const deliveries = createWebhookDeliveries({ ...ports, onChange: publish.soon });
  const answers = createQueryAnswers({ ...ports, feed, deliveries });
  const open = createOpenTranscripts({ ...ports, answers, publish });
  calls.handle("transcript", (id) => open.end(id, "closed", null));

  return {
    ...createTranscriptReads({ store, feed, clock }),
    ...createTranscriptWrites({ ...ports, open, feed, publish }),

    /** Resumes undelivered answers, and what no process listens to. After the runs are loaded. */
    async load(): Promise<void> {
      for (const { id } of await store.undelivered()) await deliveries.deliver(id);
      await open.sweep();
    },

    sweep: open.sweep,

    /** @throws AppError INVALID that names each field, CONFLICT when too many are open */
    async create(_actor: Actor, settings: TranscriptSettings): Promise<TranscriptDetail> {
      if ((await store.countOpen()) >= TRANSCRIPT_LIMITS.openTranscripts) {
        const message = `There are ${TRANSCRIPT_LIMITS.openTranscripts} open transcripts already: close one first`;
        throw new AppError("CONFLICT", message);
      }
      await checkSettings(settings, ports);
      const id = `transcript_${ports.newId()}`;
      if (settings.webhookUrl != null) ports.onSecret?.(settings.webhookUrl);
      const record = await store.create({ id, createdAt: clock.now(), settings });
      await open.adopt(id);
      publish.now(id);
      return await readDetail(store, record);
    },

    /** Another process changed a transcript; null: it may have changed any. */
    async noteChange(id: string | null): Promise<void> {
      if (id === null) {
        feed.wake(null);
        return await open.sweep();
      }
      const record = await store.find(id);
      if (record === null) {
        feed.end(id);
        return await open.abort(id);
      }
      feed.wake(id);
      if (record.status === "open") await open.hear(id);
    },

    /** @throws AppError without an answer or a webhook */
    async retryWebhook(_actor: Actor, queryId: string): Promise<TranscriptQuery> {
      const query = await store.findQuery(queryId);
      if (query === null) throw new AppError("NOT_FOUND", `Query '${queryId}' not found`);
      const { settings } = await findTranscript(store, query.transcriptId);
      if (settings.webhookUrl == null) throw new AppError("INVALID", "This transcript has no webhook");
      if (query.answeredAt === null) throw new AppError("CONFLICT", "This query is not answered yet");
      await deliveries.deliver(queryId);
      return { ...toQueryView(query), webhook: { state: "pending", attempts: 0, error: null } };
    },

    /** The status of a transcript's run changed, in this process or another one. */
    noteRun({ id, status, transcriptId }: { id: string; status: RunStatus; transcriptId: string | null }): void {
      if (transcriptId === null) return;
      publish.soon(transcriptId);
      if (status === "waiting") answers.noteWaiting(id);
      if (status === "running" || status === "waiting") return;
      answers.noteRun(id).catch((error: unknown) => {
        logger.error({ err: error, runId: id }, "An answer could not be stored");
      });
    },

    /** Stops listening and asking, and leaves both to other processes; before the runs are stopped. */
    async stop(): Promise<void> {
      publish.cancel();
      answers.stop();
      for (const id of await open.stop()) publish.now(id);
    },
  };
}
