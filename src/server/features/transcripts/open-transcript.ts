import type { TranscriptSegment, TranscriptSegmentInput } from "../../../lib/contract";
import { AppError, isAppError } from "../../app-error";
import type { BackgroundQuery } from "../../engine/background-request";
import { BackgroundTranscriber } from "../../engine/background-transcriber";
import { createTurns } from "../../in-turn";
import type { QueryAnswers, QueryOutcome } from "./query-answers";
import { readTranscriptLine } from "./read-transcript-line";
import { type FileTail, TRANSCRIPT_LIMITS, type TranscriptServicePorts } from "./transcript-ports";
import type { FilePosition, TranscriptProgress, TranscriptRecord } from "./transcript-record";
import type { NewQuery } from "./transcript-store";

export interface OpenTranscriptPorts extends Pick<TranscriptServicePorts, "store" | "fileTail" | "clock" | "logger"> {
  newId: () => string;
  answers: QueryAnswers;
  onChange: () => void;
  /** It cannot go on: its file is out of reach for good, or it is full. */
  onFault: (reason: string) => void;
}

const MAX_FAULTS = 100;
/** Searched in one go: some milliseconds. */
const BREATH_CHARACTERS = 100_000;
/** Segments read at once when a search goes on after a restart. */
const CATCH_UP = 1000;

/**
 * One transcript that is listened to. Segments are kept before they are searched, and how far the search is only together
 * with what it found: after a restart, what was kept and not searched is searched again, so no query is lost or doubled.
 */
export class OpenTranscript {
  readonly #inTurn = createTurns();
  readonly #transcriber: BackgroundTranscriber<QueryOutcome>;
  #progress: TranscriptProgress;
  #count = 0;
  /** The last segment that the transcriber has heard; `#progress` says which one is durable. */
  #heardSeq: number;
  #unkept: NewQuery[] = [];
  #silence: NodeJS.Timeout | undefined;
  #tail: ReturnType<FileTail["watch"]> | null = null;
  #closed = false;
  #aborted = false;

  constructor(
    readonly record: TranscriptRecord,
    private readonly ports: OpenTranscriptPorts,
  ) {
    const { settings, progress } = record;
    this.#progress = progress;
    this.#heardSeq = progress.heardSeq;
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
    const { id, settings } = this.record;
    this.#count = (await this.ports.store.counts(id)).segmentCount;
    for (;;) {
      const missed = await this.ports.store.segmentsAfter(id, this.#heardSeq, CATCH_UP);
      if (missed.length === 0) break;
      await this.#inTurn(() => this.#hear(missed));
    }
    this.#awaitSilence();
    if (settings.source.kind === "file") {
      this.#tail = this.ports.fileTail.watch(settings.source.path, this.#progress.file, {
        onLines: (lines, position) => this.#onLines(lines, position),
        onTrouble: (reason) => void this.#onTrouble(reason),
        onFault: (reason) => this.ports.onFault(reason),
      });
    }
  }

  /** @throws AppError for one that is closed or full */
  append(segments: readonly TranscriptSegmentInput[], file?: FilePosition): Promise<number> {
    return this.#inTurn(async () => {
      if (this.#closed) throw new AppError("CONFLICT", "This transcript is closed: it takes no more segments");
      const taken = segments.filter(({ text }) => text !== "");
      this.#refuseTooMuch(taken);
      const characters = this.#progress.characters + taken.reduce((sum, { text }) => sum + text.length, 0);
      this.#progress = { ...this.#progress, characters, ...(file === undefined ? {} : { file }) };
      const kept = await this.ports.store.append(this.record.id, taken, this.ports.clock.now(), this.#progress);
      this.#count += kept.length;
      await this.#hear(kept);
      this.#awaitSilence();
      this.ports.onChange();
      return this.#heardSeq;
    });
  }

  /** A query that an earlier process kept and nobody asked yet. */
  ask(query: BackgroundQuery): void {
    this.#transcriber.ask(query);
  }

  /** Ends the open query and hears no more; what is found is answered still. */
  async end(): Promise<void> {
    await this.#tail?.close({ handOver: true });
    await this.#inTurn(async () => {
      this.#closed = true;
      clearTimeout(this.#silence);
      await this.#transcriber.end();
    });
  }

  /** Resolves when nothing of it is being answered any more. Only after `end`, or for one that is closed. */
  answered(): Promise<void> {
    return this.#transcriber.close();
  }

  /** For the end of the process: everything stays as it is kept. */
  async abort(): Promise<void> {
    this.#closed = true;
    this.#aborted = true;
    clearTimeout(this.#silence);
    await this.#tail?.close({ handOver: false });
    await this.#inTurn(() => this.#transcriber.abort());
  }

  #refuseTooMuch(segments: readonly TranscriptSegmentInput[]): void {
    const { segments: maxSegments, characters: maxCharacters } = TRANSCRIPT_LIMITS;
    const full = (what: string) =>
      new AppError("CONFLICT", `This transcript is full (${what}): close it and begin another one`);
    if (this.#count + segments.length > maxSegments) throw full(`${maxSegments} segments`);
    const characters = segments.reduce((sum, { text }) => sum + text.length, this.#progress.characters);
    if (characters > maxCharacters) throw full(`${maxCharacters} characters`);
  }

  async #hear(segments: readonly TranscriptSegment[]): Promise<void> {
    let characters = 0;
    for (const segment of segments) {
      characters += segment.text.length;
      if (characters > BREATH_CHARACTERS) {
        // Other work of the process has its turn.
        await new Promise((resolve) => setImmediate(resolve));
        characters = 0;
      }
      this.#heardSeq = segment.seq;
      await this.#transcriber.hear([segment]);
    }
    this.#advance();
  }

  /** The search is this far, and everything it found is kept. */
  #advance(): void {
    if (this.#unkept.length > 0) return;
    this.#progress = { ...this.#progress, heardSeq: this.#heardSeq, transcriber: this.#transcriber.state };
  }

  async #keep(queries: readonly BackgroundQuery[]): Promise<void> {
    const askedAt = this.ports.clock.now();
    this.#unkept.push(...queries.map(({ context: _context, ...query }) => ({ ...query, askedAt })));
    const reached = { ...this.#progress, heardSeq: this.#heardSeq, transcriber: this.#transcriber.state };
    await this.ports.store.keep(this.record.id, this.#unkept, reached);
    this.#unkept = [];
    this.#progress = { ...this.#progress, heardSeq: reached.heardSeq, transcriber: reached.transcriber };
    this.ports.onChange();
  }

  #awaitSilence(): void {
    clearTimeout(this.#silence);
    const at = this.#closed ? null : this.#transcriber.nextTickAt();
    if (at === null) return;
    this.#silence = setTimeout(
      () => {
        this.#inTurn(async () => {
          if (this.#closed) return;
          await this.#transcriber.tick();
          this.#advance();
          this.#awaitSilence();
        }).catch((error: unknown) => this.#log(error, "A query of a transcript could not be kept"));
      },
      Math.max(1, at - this.ports.clock.now()),
    );
    this.#silence.unref();
  }

  async #onLines(lines: readonly string[], position: FilePosition): Promise<void> {
    const { wakePhrases } = this.record.settings;
    try {
      // One commit with the position: a line is kept once.
      await this.append(
        lines.flatMap((line) => readTranscriptLine(line, wakePhrases) ?? []),
        position,
      );
    } catch (error) {
      if (!isAppError(error)) throw error;
      if (!this.#closed) this.ports.onFault(error.message);
    }
  }

  async #onTrouble(reason: string | null): Promise<void> {
    try {
      await this.ports.store.setTrouble(this.record.id, reason);
      this.ports.onChange();
    } catch (error) {
      this.#log(error, "A transcript's state could not be kept");
    }
  }

  async #onError(query: BackgroundQuery, error: unknown): Promise<void> {
    // Given up because the process ends, or not kept: the next one goes on.
    if (this.#aborted || this.#unkept.some(({ id }) => id === query.id)) return;
    try {
      await this.ports.answers.onRefusal(query.id, error, (fault) => this.#keepFault(query.id, fault));
    } catch (failure) {
      this.#log(failure, "A query's outcome could not be kept");
    }
  }

  #keepFault(queryId: string, fault: string): Promise<void> {
    return this.#inTurn(async () => {
      const faults = Object.entries({ ...this.#progress.faults, [queryId]: fault }).slice(-MAX_FAULTS);
      this.#progress = { ...this.#progress, faults: Object.fromEntries(faults) };
      await this.ports.store.keep(this.record.id, [], this.#progress);
    });
  }

  #log(error: unknown, message: string): void {
    this.ports.logger.error({ err: error, transcriptId: this.record.id }, message);
  }
}
