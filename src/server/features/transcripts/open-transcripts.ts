import type { Logger } from "../../engine/ports";
import { createMutex } from "../../shared/mutex";
import { OpenTranscript } from "./open-transcript";
import { OVER, type QueryAnswers } from "./query-answers";
import type { TranscriptServicePorts } from "./transcript-ports";
import type { TranscriptPublisher } from "./transcript-publisher";
import type { StoredQuery, TranscriptEnd } from "./transcript-store";

export interface OpenTranscriptsPorts
  extends Pick<TranscriptServicePorts, "store" | "fileTail" | "clock" | "logger" | "newId" | "locks"> {
  answers: QueryAnswers;
  publish: TranscriptPublisher;
}

export type OpenTranscripts = ReturnType<typeof createOpenTranscripts>;

const CONTEXT_SEGMENTS = 12;
const LEASE_MS = 30_000;
/** Segments that other processes store at the same moment keep a transcript from ending. */
const END_ATTEMPTS = 5;

const createFailureReport = (logger: Logger) => (id: string, action: "adopted" | "ended") => (error: unknown) => {
  logger.error({ err: error, transcriptId: id }, `A transcript could not be ${action}`);
  return null;
};

/** The transcripts that this process listens to, and closed ones whose queries it answers: it holds a lease of each. */
export function createOpenTranscripts(ports: OpenTranscriptsPorts) {
  const { store, clock, logger, publish } = ports;
  const reportFailure = createFailureReport(logger);
  const { open, ending, drop, dropFailed, keepUntilAnswered } = createHeldTranscripts(logger);
  const resumeQuery = createQueryResumption(ports);
  const endExclusive = createMutex();
  let isStopped = false;

  /** Listens to a transcript and answers its queries, unless another process does. Null where this process does not. */
  async function adopt(id: string): Promise<OpenTranscript | null> {
    const lease = isStopped ? null : await ports.locks.acquire(`transcript:${id}`, LEASE_MS);
    if (lease === null) return null;
    const record = await store.adopt(id, lease.fence).catch(reportFailure(id, "adopted"));
    if (record === null || isStopped || lease.signal.aborted) {
      await lease.release();
      return null;
    }
    const transcript: OpenTranscript = new OpenTranscript(record, lease, {
      ...ports,
      newId: () => `query_${ports.newId()}`,
      onChange: () => publish.soon(id),
      onFault: (reason) => {
        end(id, "failed", reason).catch(reportFailure(id, "ended"));
      },
      onFailure: (error) => dropFailed(transcript, error),
    });
    const isOpen = record.status === "open";
    if (isOpen) open.set(id, transcript);
    else ending.add(transcript);
    lease.signal.addEventListener("abort", () => {
      if (open.get(id) === transcript || ending.has(transcript)) dropFailed(transcript, lease.signal.reason);
    });
    try {
      for (const query of await store.unanswered(id)) await resumeQuery(query, transcript);
      if (isOpen) await transcript.begin();
      else keepUntilAnswered(transcript);
    } catch (error) {
      dropFailed(transcript, error);
    }
    return transcript;
  }

  /** False where this process does not listen to the transcript and cannot adopt it. */
  async function endHere(id: string, end: TranscriptEnd): Promise<boolean> {
    for (let attempt = 1; ; attempt += 1) {
      const transcript = open.get(id) ?? (await adopt(id));
      if (transcript?.record.status !== "open") return false;
      try {
        await transcript.end(end);
        open.delete(id);
        keepUntilAnswered(transcript);
        publish.now(id);
        return true;
      } catch (error) {
        await drop(transcript);
        if (attempt === END_ATTEMPTS) throw error;
      }
    }
  }

  const end = (id: string, status: TranscriptEnd["status"], error: string | null): Promise<boolean> =>
    endExclusive(() => endHere(id, { status, error, closedAt: clock.now() }));

  return {
    adopt,
    end,

    /** Segments were stored: they are searched here, unless another process listens. */
    async hear(id: string): Promise<void> {
      await (open.get(id)?.hear() ?? adopt(id));
    },

    /** Adopts what no process listens to, and settles queries whose runs ended unnoticed. */
    async sweep(): Promise<void> {
      for (const { id, status } of await store.unfinished()) {
        const queries = await store.unanswered(id);
        const isOpen = status === "open";
        const isWanted = isOpen ? !open.has(id) : queries.some(({ runStatus }) => runStatus === null);
        if (isWanted && (await adopt(id)) !== null) continue;
        for (const query of queries) await resumeQuery(query, null);
      }
    },

    /** Stops listening and answering, for a transcript that is deleted. */
    async abort(id: string): Promise<void> {
      const transcripts = [...ending].filter(({ record }) => record.id === id).concat(open.get(id) ?? []);
      for (const transcript of transcripts) await drop(transcript);
    },

    /** Resolves to the transcripts that other processes can adopt now. */
    async stop(): Promise<string[]> {
      isStopped = true;
      const held = [...open.values(), ...ending];
      await Promise.all(held.map(drop));
      return held.map(({ record }) => record.id);
    },
  };
}

/** The transcripts whose leases this process holds. */
function createHeldTranscripts(logger: Logger) {
  const open = new Map<string, OpenTranscript>();
  const ending = new Set<OpenTranscript>();

  /** Stops listening and answering here, and lets other processes adopt it. */
  async function drop(transcript: OpenTranscript): Promise<void> {
    const { id } = transcript.record;
    if (open.get(id) === transcript) open.delete(id);
    ending.delete(transcript);
    await transcript.abort();
    await transcript.lease.release();
  }

  function dropFailed(transcript: OpenTranscript, error: unknown): void {
    const { id } = transcript.record;
    logger.warn({ err: error, transcriptId: id }, "A transcript is adopted again, by this process or another one");
    drop(transcript).catch((failure: unknown) => {
      logger.error({ err: failure, transcriptId: id }, "The lease of a transcript could not be released");
    });
  }

  function keepUntilAnswered(transcript: OpenTranscript): void {
    ending.add(transcript);
    transcript
      .answered()
      .then(() => drop(transcript))
      .catch((error: unknown) => dropFailed(transcript, error));
  }

  return { open, ending, drop, dropFailed, keepUntilAnswered };
}

/** Continues a query that an earlier process left without an outcome; without a transcript only where its run has ended. */
function createQueryResumption({ store, answers, logger }: OpenTranscriptsPorts) {
  return async (query: StoredQuery, transcript: OpenTranscript | null): Promise<void> => {
    try {
      if (query.runId !== null && query.runStatus !== null) {
        if (OVER.includes(query.runStatus)) await answers.noteRun(query.runId);
        return;
      }
      // A run that does not exist was chosen by a process that ended before the run started.
      const context = await store.segments(query.transcriptId, CONTEXT_SEGMENTS, query.toSeq);
      transcript?.ask({ ...query, context });
    } catch (error) {
      logger.error({ err: error, queryId: query.id }, "A query could not be picked up");
    }
  };
}
