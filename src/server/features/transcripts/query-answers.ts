import { readMessageText } from "../../../lib/contract/chat";
import type { RunStatus } from "../../../lib/contract/run";
import { newId } from "../../../lib/execution-id";
import { getMessage } from "../../../lib/get-message";
import { type BackgroundQuery, backgroundRunRequest } from "../../engine/agent/background-request";
import type { RunOutcome } from "../../engine/agent/run-starter";
import { isAppError } from "../../platform/shared/app-error";
import type { AnswerFeed } from "./answer-feed";
import type { TranscriptServicePorts } from "./transcript-ports";
import type { TranscriptRecord } from "./transcript-store";

export interface QueryAnswersPorts
  extends Pick<
    TranscriptServicePorts,
    "store" | "runs" | "actor" | "getRun" | "isPrivateRun" | "clock" | "logger" | "publish"
  > {
  feed: AnswerFeed;
}

export type QueryAnswers = ReturnType<typeof createQueryAnswers>;

const OVER: readonly RunStatus[] = ["succeeded", "failed", "cancelled", "interrupted"];

const PRIVATE_ANSWER =
  "The answer uses a person's own credential: only its participants and admins can read it, in the run.";

/** Answers queries by runs, and publishes the answers to pages and feeds. */
export function createQueryAnswers(ports: QueryAnswersPorts) {
  const { store, clock } = ports;
  /** The callback when a run waits for approval, by run id. */
  const releases = new Map<string, () => void>();
  let stopping = false;

  async function settle(queryId: string, answer: string | null, error: string | null): Promise<void> {
    const transcriptId = await store.setOutcome(queryId, { answer, error, now: clock.now() });
    if (transcriptId === null) return;
    ports.feed.wake(transcriptId);
    ports.publish({ type: "transcript", transcriptId });
  }

  /** Stores and publishes the outcome of a run that has ended: once, however often it is called. */
  async function noteRun(runId: string): Promise<void> {
    if (stopping) return;
    const query = await store.queryOfRun(runId);
    if (query === null || query.answer !== null) return;
    const run = await ports.getRun(runId);
    if (run !== null && !OVER.includes(run.status)) return;
    const text = run?.status === "succeeded" ? lastWords(run.events) : null;
    // Everyone reads a transcript.
    await settle(query.id, text !== null && (await ports.isPrivateRun(runId)) ? PRIVATE_ANSWER : text, null);
  }

  /** A query whose run could not start. */
  async function rejectQuery(queryId: string, error: unknown): Promise<void> {
    if (!isAppError(error)) ports.logger.error({ err: error, queryId }, "A query could not be answered");
    const reason = isAppError(error) ? getMessage(error) : "The query could not be asked: see the server's log";
    await settle(queryId, null, reason);
  }

  return {
    noteRun,

    /**
     * Resolves when the run has ended, or waits for approval: a wait may take a day and must not block other queries. The
     * run's id is stored before the run starts, and a run is created once, so that a restart does not ask the query again.
     */
    async answer(transcript: TranscriptRecord, query: BackgroundQuery, signal: AbortSignal): Promise<void> {
      const runId = query.runId ?? newId("run");
      if (!(await store.claim(query.id, runId)) || signal.aborted) return;
      const released = new Promise<void>((resolve) => {
        releases.set(runId, resolve);
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
      try {
        const request = backgroundRunRequest(query, transcript, ports.actor);
        const { ended } = await ports.runs.start({ ...request, id: runId });
        ports.publish({ type: "transcript", transcriptId: transcript.id });
        await Promise.race([ended, released]);
      } catch (error) {
        if (signal.aborted) return;
        // One that was stored nevertheless is like any other.
        if ((await ports.getRun(runId)) === null) return await rejectQuery(query.id, error);
      } finally {
        releases.delete(runId);
      }
      await noteRun(runId);
    },

    /** The run waits for approval: its query stops blocking the next one. */
    noteWaiting(runId: string): void {
      releases.get(runId)?.();
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
