import { LOCAL_OWNER, type RunStatus, textOfMessage } from "../../../lib/contract";
import { newId } from "../../../lib/execution-id";
import { messageOf } from "../../../lib/message-of";
import { isAppError } from "../../app-error";
import { type BackgroundQuery, backgroundRunRequest } from "../../engine/background-request";
import type { RunOutcome } from "../../engine/run-ports";
import { createTurns } from "../../in-turn";
import type { AnswerFeed } from "./answer-feed";
import type { TranscriptServicePorts } from "./transcript-ports";
import type { TranscriptRecord } from "./transcript-record";
import { type StoredQuery, withoutTranscript } from "./transcript-store";
import type { WebhookDeliveries } from "./webhook-deliveries";

type Answerable = Pick<TranscriptRecord, "id" | "settings">;

export interface QueryAnswersPorts
  extends Pick<TranscriptServicePorts, "store" | "runs" | "getRun" | "logger" | "publish"> {
  feed: AnswerFeed;
  deliveries: WebhookDeliveries;
}

export type QueryAnswers = ReturnType<typeof createQueryAnswers>;

const OVER: readonly RunStatus[] = ["succeeded", "failed", "cancelled", "interrupted"];

/** What became of a query's run, as far as it was waited for: it may wait for a person, or go on elsewhere. */
export type QueryOutcome = Pick<RunOutcome, "status" | "text">;

/** Answers queries by runs, and tells everyone who wants to know. */
export function createQueryAnswers(ports: QueryAnswersPorts) {
  const { store, feed } = ports;
  const inTurn = createTurns();
  /** Runs that are waited for here, and what to call when one waits for a person itself. */
  const awaited = new Map<string, () => void>();
  let stopping = false;

  async function tell(query: StoredQuery): Promise<void> {
    ports.publish({ type: "transcript", transcriptId: query.transcriptId });
    feed.publish(query.transcriptId, withoutTranscript(query));
    const transcript = await store.find(query.transcriptId);
    if (transcript?.settings.webhookUrl != null) ports.deliveries.deliver(transcript.settings.webhookUrl, query);
  }

  /** One at a time, so that listeners hear answers in the order of their `answeredAt`; each outcome is told of once. */
  function settle(queryId: string, answer: string | null): Promise<void> {
    return inTurn(async () => {
      const known = await store.findQuery(queryId);
      if (known === null || known.answer !== null || (answer === null && known.answeredAt !== null)) return;
      if (!(await store.setOutcome(queryId, { answer, answeredAt: feed.stamp() }))) return;
      const query = await store.findQuery(queryId);
      if (query !== null) await tell(query);
    });
  }

  /**
   * Resolves when the run is over, or waits for a person: that may take a day, and others are to be answered meanwhile.
   * The run's id is kept before it begins, so that a query is asked once whenever the process ends.
   */
  async function answer(transcript: Answerable, query: BackgroundQuery, signal: AbortSignal): Promise<QueryOutcome> {
    const runId = query.runId ?? newId("run");
    const waits = new Promise<QueryOutcome>((resolve) => {
      awaited.set(runId, () => {
        // What becomes of it is `noteRun`'s from now on.
        awaited.delete(runId);
        resolve({ status: "waiting", text: "" });
      });
    });
    try {
      await store.setRun(query.id, runId);
      const request = backgroundRunRequest(query, transcript, LOCAL_OWNER);
      const { ended } = await ports.runs.start({ ...request, id: runId });
      ports.publish({ type: "transcript", transcriptId: transcript.id });
      return await untilAborted(Promise.race([ended, waits]), signal);
    } catch (error) {
      if (!signal.aborted && (await ports.getRun(runId)) === null) await store.setRun(query.id, null);
      throw error;
    } finally {
      awaited.delete(runId);
    }
  }

  return {
    answer,

    /** A run that still goes on, or waits for a person, is heard of by `noteRun` when it ends. */
    async onOutcome(queryId: string, { status, text }: QueryOutcome): Promise<void> {
      if (OVER.includes(status)) await settle(queryId, status === "succeeded" ? text : null);
    },

    /** It could not even be asked. Returns why, for people. */
    async onRefusal(queryId: string, error: unknown, keepFault: (fault: string) => Promise<void>): Promise<void> {
      if (!isAppError(error)) ports.logger.error({ err: error, queryId }, "A query could not be answered");
      await keepFault(isAppError(error) ? messageOf(error) : "The query could not be asked: see the server's log");
      await settle(queryId, null);
    },

    /** A run waits for a person: the query it answers keeps no other one from being answered. */
    noteWaiting(runId: string): void {
      awaited.get(runId)?.();
    },

    /** What is not settled from now on is at the next start. */
    stop(): void {
      stopping = true;
    },

    /** What became of a run while nobody waits for it here: after a person's approval, a restart, or resumed by a person. */
    async noteRun(runId: string): Promise<void> {
      if (stopping || awaited.has(runId)) return;
      const query = await store.queryOfRun(runId);
      if (query === null || query.answer !== null) return;
      const run = await ports.getRun(runId);
      // One that ended badly is told of once.
      const isNews = run === null || (OVER.includes(run.status) && (run.status === "succeeded" || !query.answeredAt));
      if (isNews) await settle(query.id, run?.status === "succeeded" ? lastWords(run.events) : null);
    },
  };
}

function lastWords(events: RunOutcome["events"]): string {
  const last = events.findLast((event) => event.type === "model_finished");
  return last?.type === "model_finished" ? textOfMessage(last.message) : "";
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
