import { type RunStatus, readMessageText } from "../../../lib/contract";
import { newId } from "../../../lib/execution-id";
import { messageOf } from "../../../lib/message-of";
import { type BackgroundQuery, backgroundRunRequest } from "../../engine/agent/background-request";
import type { RunOutcome } from "../../engine/agent/run-ports";
import { isAppError } from "../../shared/app-error";
import type { AnswerFeed } from "./answer-feed";
import type { TranscriptServicePorts } from "./transcript-ports";
import type { TranscriptRecord } from "./transcript-record";
import type { WebhookDeliveries } from "./webhook-deliveries";

type Answerable = Pick<TranscriptRecord, "id" | "settings">;

export interface QueryAnswersPorts
  extends Pick<
    TranscriptServicePorts,
    "store" | "runs" | "actor" | "getRun" | "isPrivateRun" | "clock" | "logger" | "publish"
  > {
  feed: AnswerFeed;
  deliveries: WebhookDeliveries;
}

export type QueryAnswers = ReturnType<typeof createQueryAnswers>;

export const OVER: readonly RunStatus[] = ["succeeded", "failed", "cancelled", "interrupted"];

/** The state of a query's run: ended, or waiting for approval. */
export type QueryOutcome = Pick<RunOutcome, "status" | "text">;

const PRIVATE_ANSWER =
  "The answer uses a person's own credential: only its participants and admins can read it, in the run.";
const SETTLED_ELSEWHERE: QueryOutcome = { status: "waiting", text: "" };

/** Answers queries by runs, and publishes the answers to pages, feeds and webhooks. */
export function createQueryAnswers(ports: QueryAnswersPorts) {
  const { store, clock } = ports;
  /** Runs that are waited for here, and what to call when one waits for a person itself. */
  const awaited = new Map<string, () => void>();
  let stopping = false;

  async function publish(queryId: string): Promise<void> {
    const query = await store.findQuery(queryId);
    if (query === null) return;
    ports.feed.wake(query.transcriptId);
    ports.publish({ type: "transcript", transcriptId: query.transcriptId });
    const transcript = await store.find(query.transcriptId);
    if (transcript?.settings.webhookUrl != null) await ports.deliveries.deliver(query.id);
  }

  /** Each outcome once, in all processes together. */
  async function settle(queryId: string, text: string | null): Promise<void> {
    const runId = text === null ? null : ((await store.findQuery(queryId))?.runId ?? null);
    // Everyone reads a transcript, and its webhook leaves the server.
    const answer = runId !== null && ports.isPrivateRun(runId) ? PRIVATE_ANSWER : text;
    if (await store.setOutcome(queryId, answer, clock.now())) await publish(queryId);
  }

  /** Settles the query of a run that ended outside of `answer`: after an approval, a restart or a resume. */
  async function noteRun(runId: string): Promise<void> {
    if (stopping || awaited.has(runId)) return;
    const query = await store.queryOfRun(runId);
    if (query === null || query.answer !== null) return;
    const run = await ports.getRun(runId);
    // A failure is published once.
    const isNews = run === null || (OVER.includes(run.status) && (run.status === "succeeded" || !query.answeredAt));
    if (isNews) await settle(query.id, run?.status === "succeeded" ? lastWords(run.events) : null);
  }

  /**
   * Resolves when the run has ended, or waits for approval: a wait may take a day and must not block other queries.
   * The run's id is stored before the run starts, and a run is created once: neither a restart nor another process that
   * adopts the transcript asks the query again.
   */
  async function answer(transcript: Answerable, query: BackgroundQuery, signal: AbortSignal): Promise<QueryOutcome> {
    const runId = query.runId ?? newId("run");
    if (!(await store.claim(query.id, runId))) return SETTLED_ELSEWHERE;
    const waits = new Promise<QueryOutcome>((resolve) => {
      awaited.set(runId, () => {
        // What becomes of it is `noteRun`'s from now on.
        awaited.delete(runId);
        resolve(SETTLED_ELSEWHERE);
      });
    });
    try {
      signal.throwIfAborted();
      const request = backgroundRunRequest(query, transcript, ports.actor);
      const { ended } = await ports.runs.start({ ...request, id: runId });
      ports.publish({ type: "transcript", transcriptId: transcript.id });
      return await untilAborted(Promise.race([ended, waits]), signal);
    } catch (error) {
      if (signal.aborted || (await ports.getRun(runId)) === null) throw error;
      // Another process has started it, or it failed after it was stored.
      awaited.delete(runId);
      await noteRun(runId);
      return SETTLED_ELSEWHERE;
    } finally {
      awaited.delete(runId);
    }
  }

  return {
    answer,
    noteRun,

    /** A run that has not ended is settled by `noteRun` later. */
    async onOutcome(queryId: string, { status, text }: QueryOutcome): Promise<void> {
      if (OVER.includes(status)) await settle(queryId, status === "succeeded" ? text : null);
    },

    /** Couldn't start the run. `refuse` stores why, for people; false where another process has the query. */
    async onRefusal(queryId: string, error: unknown, refuse: (fault: string) => Promise<boolean>): Promise<void> {
      if (!isAppError(error)) ports.logger.error({ err: error, queryId }, "A query could not be answered");
      const fault = isAppError(error) ? messageOf(error) : "The query could not be asked: see the server's log";
      if (await refuse(fault)) await publish(queryId);
    },

    /** The run waits for approval: its query stops blocking the next one. */
    noteWaiting(runId: string): void {
      awaited.get(runId)?.();
    },

    /** Unsettled queries are settled at the next start. */
    stop(): void {
      stopping = true;
    },
  };
}

function lastWords(events: RunOutcome["events"]): string {
  const last = events.findLast((event) => event.type === "model_finished");
  return last?.type === "model_finished" ? readMessageText(last.message) : "";
}

/** @throws the signal's reason */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
