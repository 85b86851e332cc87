import type { TranscriptSegment, TranscriptSegmentInput } from "../../../lib/contract";
import type { Lease } from "../../coordination/locks";
import type { BackgroundQuery } from "../../engine/agent/background-request";
import { BackgroundTranscriber } from "../../engine/agent/background-transcriber";
import { isAppError } from "../../shared/app-error";
import { createMutex } from "../../shared/mutex";
import type { QueryAnswers, QueryOutcome } from "./query-answers";
import { readTranscriptLine } from "./read-transcript-line";
import { type FileTail, TRANSCRIPT_LIMITS, type TranscriptServicePorts } from "./transcript-ports";
import { refuseAppend } from "./transcript-reads";
import type { FilePosition, TranscriptProgress, TranscriptRecord } from "./transcript-record";
import type { ListenerState, NewQuery, TranscriptEnd } from "./transcript-store";

export interface OpenTranscriptPorts extends Pick<TranscriptServicePorts, "store" | "fileTail" | "clock"> {
  newId: () => string;
  answers: QueryAnswers;
  onChange: () => void;
  /** The transcript must end: its file cannot be read any more, or it is full. */
  onFault: (reason: string) => void;
  /** What was heard could not be kept: whoever adopts the transcript next continues from what is kept. */
  onFailure: (error: unknown) => void;
}

const MAX_FAULTS = 100;
/** Searched in one go: some milliseconds. */
const BREATH_CHARACTERS = 100_000;
/** Segments read at once, and searched again at most after a restart. */
const CATCH_UP = 1000;

/**
 * One transcript that this process listens to. Any process stores segments; this one searches them, and keeps how far the
 * search is together with what it found: after a restart, or in the next process, no query is lost or doubled. Each write
 * carries the fence of the lease.
 */
export class OpenTranscript {
  readonly #runExclusive = createMutex();
  readonly #transcriber: BackgroundTranscriber<QueryOutcome>;
  #progress: TranscriptProgress;
  /** Searched since the progress was last stored. */
  #unkept = 0;
  #end: TranscriptEnd | undefined;
  #silence: NodeJS.Timeout | undefined;
  #tail: ReturnType<FileTail["watch"]> | null = null;
  #closed = false;
  #aborted = false;

  constructor(
    readonly record: TranscriptRecord,
    readonly lease: Lease,
    private readonly ports: OpenTranscriptPorts,
  ) {
    const { settings, progress } = record;
    this.#progress = progress;
    this.#transcriber = new BackgroundTranscriber(
      {
        wakePhrases: settings.wakePhrases,
        silenceMs: settings.silenceMs,
        join: settings.source.kind === "file" ? "words" : "auto",
        state: progress.transcriber ?? undefined,
      },
      {
        newId: ports.newId,
        now: () => ports.clock.now(),
        keep: (queries) => this.#keep(queries),
        answer: (query, signal) => ports.answers.answer(record, query, signal),
        onAnswer: (query, outcome) => ports.answers.onOutcome(query.id, outcome),
        onError: (query, error) => void this.#onError(query, error),
      },
    );
  }

  /** Goes on where the last process stopped. */
  async begin(): Promise<void> {
    const { source } = this.record.settings;
    await this.hear();
    if (source.kind !== "file" || this.#closed || this.#aborted) return;
    this.#tail = this.ports.fileTail.watch(source.path, this.#progress.file, {
      onLines: (lines, position) => this.#onLines(lines, position),
      onTrouble: (reason) => void this.#onTrouble(reason),
      onFault: (reason) => this.ports.onFault(reason),
    });
  }

  /** Searches what was stored since. Resolves once the queries in it are kept, or `onFailure` was called. */
  hear(): Promise<void> {
    return this.#attempt(async () => {
      await this.#catchUp();
      this.#awaitSilence();
    });
  }

  /** A query that an earlier process stored without asking it. */
  ask(query: BackgroundQuery): void {
    this.#transcriber.ask(query);
  }

  /**
   * Ends the open query and the transcript, and hears no more; what is found is answered still.
   * @throws where segments were appended concurrently, or another process listens now: it must be adopted again
   */
  async end(end: TranscriptEnd): Promise<void> {
    await this.#tail?.close({ handOver: true });
    await this.#runExclusive(async () => {
      this.#demandIntact();
      await this.#catchUp();
      this.#closed = true;
      this.#end = end;
      clearTimeout(this.#silence);
      if ((await this.#transcriber.end()).length === 0) await this.#keep([]);
    });
  }

  /** Resolves when nothing of it is being answered any more. Only after `end`, or for one that is closed. */
  answered(): Promise<void> {
    return this.#transcriber.close();
  }

  /** Stops listening and answering; everything stays as it is kept. */
  async abort(): Promise<void> {
    this.#closed = true;
    this.#aborted = true;
    clearTimeout(this.#silence);
    await this.#tail?.close({ handOver: false });
    await this.#runExclusive(() => this.#transcriber.abort());
  }

  get #state(): ListenerState {
    return { fence: this.lease.fence, progress: { ...this.#progress, transcriber: this.#transcriber.state } };
  }

  #attempt(work: () => Promise<void>): Promise<void> {
    return this.#runExclusive(async () => {
      if (!this.#closed && !this.#aborted) await work();
    }).catch((error: unknown) => {
      this.#aborted = true;
      this.ports.onFailure(error);
    });
  }

  /** After a failure the state in memory is ahead of what is kept, and must not be kept. */
  #demandIntact(): void {
    if (this.#closed || this.#aborted) throw new Error("This process has stopped listening to the transcript");
  }

  async #catchUp(): Promise<void> {
    for (let isMore = true; isMore && !this.#aborted; ) {
      const missed = await this.ports.store.segmentsAfter(this.record.id, this.#progress.heardSeq, CATCH_UP);
      await this.#search(missed);
      this.#unkept += missed.length;
      if (this.#unkept >= CATCH_UP) await this.#keep([]);
      isMore = missed.length === CATCH_UP;
    }
  }

  async #search(segments: readonly TranscriptSegment[]): Promise<void> {
    let characters = 0;
    for (const segment of segments) {
      characters += segment.text.length;
      if (characters > BREATH_CHARACTERS) {
        // Other work of the process has its turn.
        await new Promise((resolve) => setImmediate(resolve));
        characters = 0;
      }
      this.#progress = { ...this.#progress, heardSeq: segment.seq };
      await this.#transcriber.hear([segment]);
    }
  }

  async #keep(queries: readonly BackgroundQuery[]): Promise<void> {
    const askedAt = this.ports.clock.now();
    const found: NewQuery[] = queries.map(({ context: _context, ...query }) => ({ ...query, askedAt }));
    try {
      if (!(await this.ports.store.keep(this.record.id, this.#state, found, this.#end))) {
        throw new Error("Segments were appended concurrently, or another process listens to this transcript");
      }
    } catch (error) {
      this.#aborted = true;
      throw error;
    }
    this.#unkept = 0;
    if (found.length > 0) this.ports.onChange();
  }

  #awaitSilence(): void {
    clearTimeout(this.#silence);
    const at = this.#closed ? null : this.#transcriber.nextTickAt();
    if (at === null) return;
    this.#silence = setTimeout(
      () => {
        void this.#attempt(async () => {
          // A timer may fire a millisecond early. A silence cannot be searched again: it is kept even where it ended no query.
          if (this.ports.clock.now() >= at && (await this.#transcriber.tick()).length === 0) await this.#keep([]);
          this.#awaitSilence();
        });
      },
      Math.max(1, at - this.ports.clock.now()),
    );
    this.#silence.unref();
  }

  async #onLines(lines: readonly string[], file: FilePosition): Promise<void> {
    const { wakePhrases } = this.record.settings;
    const segments = lines
      .flatMap((line) => readTranscriptLine(line, wakePhrases) ?? [])
      .filter(({ text }) => text !== "");
    try {
      await this.#append(segments, file);
      await this.hear();
      this.ports.onChange();
    } catch (error) {
      if (this.#closed || this.#aborted) return;
      if (isAppError(error)) return this.ports.onFault(error.message);
      this.ports.onFailure(error);
      throw error;
    }
  }

  /** In one commit with the position: a line is kept once. */
  async #append(segments: readonly TranscriptSegmentInput[], file: FilePosition): Promise<void> {
    const { id } = this.record;
    await this.#runExclusive(async () => {
      this.#demandIntact();
      const { fence, progress } = this.#state;
      const listener = { fence, progress: { ...progress, file } };
      const receivedAt = this.ports.clock.now();
      const added = { segments, receivedAt, limits: TRANSCRIPT_LIMITS, listener };
      if ((await this.ports.store.append(id, added)) === null) await refuseAppend(this.ports.store, id, segments);
      this.#progress = { ...this.#progress, file };
    });
  }

  async #onTrouble(reason: string | null): Promise<void> {
    try {
      await this.ports.store.setTrouble(this.record.id, this.lease.fence, reason);
      this.ports.onChange();
    } catch (error) {
      this.ports.onFailure(error);
    }
  }

  async #onError(query: BackgroundQuery, error: unknown): Promise<void> {
    // What is not settled is continued by the next process.
    if (this.#aborted) return;
    try {
      await this.ports.answers.onRefusal(query.id, error, (fault) => this.#refuse(query.id, fault));
    } catch (failure) {
      this.ports.onFailure(failure);
    }
  }

  #refuse(queryId: string, fault: string): Promise<boolean> {
    return this.#runExclusive(async () => {
      if (this.#aborted) return false;
      const faults = Object.entries({ ...this.#progress.faults, [queryId]: fault }).slice(-MAX_FAULTS);
      this.#progress = { ...this.#progress, faults: Object.fromEntries(faults) };
      return await this.ports.store.refuse(this.record.id, this.#state, queryId, this.ports.clock.now());
    });
  }
}
