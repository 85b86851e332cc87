import type { Actor } from "../../../lib/contract/actor";
import type { Problem } from "../../../lib/contract/problem";
import type { RunStatus } from "../../../lib/contract/run";
import type { TranscriptSegment, TranscriptSettings } from "../../../lib/contract/transcript";
import { getMessage } from "../../../lib/get-message";
import { type BackgroundQuery, backgroundRunRequest } from "../../engine/agent/background-request";
import { BackgroundTranscriber } from "../../engine/agent/background-transcriber";
import { normalizePhrase } from "../../engine/agent/normalize-text";
import type { RunStarter } from "../../engine/agent/run-starter";
import type { Clock, Logger } from "../../engine/ports";
import { AppError, invalidInput } from "../../platform/shared/app-error";
import { createKeyedMutex } from "../../platform/shared/mutex";
import type { TranscriptRecord, TranscriptStore } from "./transcript-store";

export interface TranscriptServicePorts {
  store: TranscriptStore;
  runs: RunStarter;
  /** The author of the runs that answer queries. */
  actor: Actor;
  /** @throws AppError for a model provider that is unknown or has no key */
  checkProvider: (name: string) => Promise<unknown>;
  clock: Clock;
  newId: () => string;
  newRunId: () => string;
  logger: Logger;
}

/** A transcript that this process searches. */
interface OpenTranscript {
  transcriber: BackgroundTranscriber<void>;
  version: number;
  heardSeq: number;
  /** Ends a query after silence. */
  timer?: NodeJS.Timeout;
}

/** Searches transcripts for queries, each of which is answered by a run. */
export function createTranscriptService(ports: TranscriptServicePorts) {
  const { store, clock, logger } = ports;
  const opened = new Map<string, OpenTranscript>();
  const inTurn = createKeyedMutex();
  const { answer, noteRun } = createAnswers(ports);
  let isStopping = false;

  async function keep(id: string, open: OpenTranscript): Promise<void> {
    const progress = { heardSeq: open.heardSeq, transcriber: open.transcriber.state };
    if (!(await store.keep(id, open.version, progress))) {
      const message =
        "Another instance of the server took segments of this transcript at the same time: send them again";
      throw new AppError("CONFLICT", message);
    }
    open.version += 1;
  }

  function openTranscript(record: TranscriptRecord): OpenTranscript {
    const { id, settings, progress, version } = record;
    const transcriber = new BackgroundTranscriber<void>(
      { ...settings, state: progress?.transcriber },
      {
        newId: ports.newRunId,
        now: () => clock.now(),
        keep: () => keep(id, open),
        answer: (query, signal) => answer(record, query, signal),
        onAnswer: () => forgetIdle(id, open),
        onError(query, error) {
          logger.error({ err: error, runId: query.id }, "A query could not be asked");
          forgetIdle(id, open);
        },
      },
    );
    const open: OpenTranscript = { transcriber, version, heardSeq: progress?.heardSeq ?? 0 };
    return open;
  }

  /** Called also for the last query that is still being answered. */
  function forgetIdle(id: string, open: OpenTranscript): void {
    const isIdle = open.transcriber.pending <= 1 && open.transcriber.nextTickAt() === null;
    if (isIdle && opened.get(id) === open) opened.delete(id);
  }

  /** One change of a transcript at a time. @returns the queries that it found */
  function change(
    id: string,
    work: (open: OpenTranscript, record: TranscriptRecord) => Promise<BackgroundQuery[]>,
  ): Promise<BackgroundQuery[]> {
    return inTurn(id, async () => {
      const record = await findTranscript(store, id);
      const known = opened.get(id);
      const open = known?.version === record.version ? known : openTranscript(record);
      clearTimeout(known?.timer);
      opened.delete(id);
      const found = await work(open, record);
      awaitSilence(id, open);
      return found;
    });
  }

  function awaitSilence(id: string, open: OpenTranscript): void {
    const at = open.transcriber.nextTickAt();
    if (at === null && open.transcriber.pending === 0) return;
    opened.set(id, open);
    if (at === null) return;
    const timer = setTimeout(
      () => {
        change(id, ({ transcriber }) => transcriber.tick()).catch((error: unknown) =>
          logger.error({ err: error, transcript: id }, "A transcript could not be searched after silence"),
        );
      },
      Math.max(1, at - clock.now()),
    );
    open.timer = timer.unref();
  }

  return {
    /** @throws AppError INVALID that names each field */
    async create(_actor: Actor, settings: TranscriptSettings): Promise<{ id: string }> {
      await checkSettings(settings, ports);
      const id = `transcript_${ports.newId()}`;
      await store.create({ id, createdAt: clock.now(), settings });
      return { id };
    },

    /**
     * Searches segments in their order. @returns the runs that answer the queries that ended in them; a query that silence
     * ends gets its run later
     * @throws AppError for a transcript that is closed or unknown, and for a provider that cannot be used
     */
    async append(_actor: Actor, id: string, segments: readonly TranscriptSegment[]): Promise<{ runs: string[] }> {
      if (isStopping) throw new AppError("UNAVAILABLE", "The server is stopping: send these segments again afterwards");
      const found = await change(id, async (open, { settings }) => {
        await ports.checkProvider(settings.provider);
        const { transcriber } = open;
        // Silence since the last segments may have passed while no server ran.
        const silent = await transcriber.tick();
        const heard = segments.map(({ text, speaker = null, atMs = null }, at) => {
          return { seq: open.heardSeq + at + 1, text, speaker, atMs };
        });
        open.heardSeq += heard.length;
        const asked = await transcriber.hear(heard);
        if (asked.length === 0) await keep(id, open);
        return [...silent, ...asked];
      });
      return { runs: found.map((query) => query.id) };
    },

    noteRun,

    /** Asks no further queries; before the runs are stopped. */
    async stop(): Promise<void> {
      isStopping = true;
      const transcripts = [...opened.values()];
      for (const { timer } of transcripts) clearTimeout(timer);
      await Promise.all(transcripts.map(({ transcriber }) => transcriber.abort()));
    },
  };
}

/** Answers queries by runs whose ids are those of the queries. */
function createAnswers({ runs, actor }: Pick<TranscriptServicePorts, "runs" | "actor">) {
  /** The callback when a run waits for approval, by run id. */
  const releases = new Map<string, () => void>();
  return {
    /** Resolves when the run has ended, or waits for approval: a wait may take a day and must not block other queries. */
    async answer(transcript: TranscriptRecord, query: BackgroundQuery, signal: AbortSignal): Promise<void> {
      const released = new Promise<void>((resolve) => {
        releases.set(query.id, resolve);
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
      try {
        if (signal.aborted) return;
        const { ended } = await runs.start({ ...backgroundRunRequest(query, transcript, actor), id: query.id });
        await Promise.race([ended, released]);
      } finally {
        releases.delete(query.id);
      }
    },
    noteRun({ id, status }: { id: string; status: RunStatus }): void {
      if (status === "waiting") releases.get(id)?.();
    },
  };
}

/** @throws AppError for a transcript that is closed or unknown */
async function findTranscript(store: TranscriptStore, id: string): Promise<TranscriptRecord> {
  const record = await store.find(id);
  if (record === null) throw new AppError("NOT_FOUND", `Transcript '${id}' not found`);
  if (record.isClosed) throw new AppError("CONFLICT", "This transcript is closed: it accepts no more segments");
  return record;
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
