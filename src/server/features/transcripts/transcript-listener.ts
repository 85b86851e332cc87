import type { TranscriptSegment } from "../../../lib/contract/transcript";
import type { BackgroundQuery } from "../../engine/agent/background-request";
import { BackgroundTranscriber } from "../../engine/agent/background-transcriber";
import { createMutex } from "../../platform/shared/mutex";
import type { QueryAnswers } from "./query-answers";
import type { TranscriptServicePorts } from "./transcript-ports";
import type { AddedSegments, TranscriptRecord } from "./transcript-store";

export interface TranscriptListenerPorts
  extends Pick<TranscriptServicePorts, "store" | "clock" | "logger" | "newId" | "retryMs" | "copies"> {
  answers: QueryAnswers;
  /** Queries were stored. */
  onFound: () => void;
  /** The transcript is closed or deleted and none of its queries is being answered, or another copy of the server owns it. */
  onDone: () => void;
}

interface Search {
  record: TranscriptRecord;
  transcriber: BackgroundTranscriber<void>;
  /** The last segment that was searched. */
  heardSeq: number;
  /** Segments searched since the progress was last stored. */
  unkept: number;
}

/** Searched in one go: some milliseconds. */
const BREATH_CHARACTERS = 100_000;
/** Segments read at once, and searched again at most after a restart. */
const CATCH_UP = 1000;
/** Segments before a query that the model is shown, when the query is asked after a restart. */
const CONTEXT_SEGMENTS = 12;
export const RETRY_MS = 30_000;

/**
 * Searches the stored segments of one transcript and has the queries in them answered. How far the search is gets stored
 * with what it found: after a failure or a restart it continues from there, and no query is lost or asked twice.
 */
export class TranscriptListener {
  readonly #runExclusive = createMutex();
  /** Null until it is loaded, and after a failure, when the state in memory is ahead of what is stored. */
  #search: Search | null = null;
  #closedAt: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(
    readonly id: string,
    private readonly ports: TranscriptListenerPorts,
  ) {}

  /** Asks what was not asked yet, and searches what was not searched. */
  resume(): Promise<void> {
    return this.#runExclusive(() => this.#hear());
  }

  /** Resolves once the queries in it are stored, or the search failed and is repeated later. Null where nothing was stored. */
  append(added: AddedSegments): Promise<TranscriptSegment[] | null> {
    return this.#runExclusive(async () => {
      const stored = await this.ports.store.append(this.id, added);
      if (stored !== null) await this.#hear();
      return stored;
    });
  }

  /** Ends the open query and the transcript. Queries are still answered. */
  close(): Promise<void> {
    return this.#runExclusive(async () => {
      try {
        const search = await this.#catchUp();
        if (search?.record.status !== "open") return;
        clearTimeout(this.#timer);
        this.#closedAt = this.ports.clock.now();
        if ((await search.transcriber.end()).length === 0) await this.#keep(search, []);
        search.record = { ...search.record, status: "closed" };
        this.#awaitAnswers(search);
      } catch (error) {
        this.fail(error);
        throw error;
      }
    });
  }

  /** Starts nothing more. Runs that answer go on; what is stored stays as it is. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#runExclusive(async () => this.#search?.transcriber.abort());
  }

  /** Something could not be stored: it is tried again from what is stored. */
  fail(error: unknown): void {
    if (this.#isStopped) return;
    const { logger, retryMs = RETRY_MS } = this.ports;
    logger.warn({ err: error, transcriptId: this.id }, "The search of a transcript failed and is repeated");
    this.#search?.transcriber
      .abort()
      .catch((failure: unknown) => logger.error({ err: failure }, "A search did not end"));
    this.#search = null;
    this.#closedAt = undefined;
    this.#wake(retryMs, () => this.#hear());
  }

  #wake(afterMs: number, work: () => Promise<void>): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#runExclusive(work), afterMs);
    this.#timer.unref();
  }

  async #hear(): Promise<void> {
    try {
      const search = await this.#catchUp();
      if (search?.record.status === "open") this.#awaitSilence(search);
    } catch (error) {
      this.fail(error);
    }
  }

  /** Null where there is nothing to search: the transcript is deleted, or the server stops. */
  async #catchUp(): Promise<Search | null> {
    if (this.#isStopped) return null;
    const search = this.#search ?? (await this.#load());
    if (search?.record.status !== "open") return search;
    for (let isMore = true; isMore; ) {
      const missed = await this.ports.store.segmentsAfter(this.id, search.heardSeq, CATCH_UP);
      await this.#searchIn(search, missed);
      isMore = missed.length === CATCH_UP;
    }
    return search;
  }

  async #load(): Promise<Search | null> {
    const { id, ports } = this;
    const record = await ports.store.find(id);
    if (record === null || record.owner !== ports.copies.self.id) {
      ports.onDone();
      return null;
    }
    const search: Search = {
      record,
      transcriber: new BackgroundTranscriber<void>(
        { ...record.settings, state: record.progress?.transcriber },
        {
          newId: () => `query_${ports.newId()}`,
          now: () => ports.clock.now(),
          keep: (queries) => this.#keep(search, queries),
          answer: (query, signal) => ports.answers.answer(record, query, signal),
          onAnswer: () => undefined,
          onError: (_query, error) => this.fail(error),
        },
      ),
      heardSeq: record.progress?.heardSeq ?? 0,
      unkept: 0,
    };
    this.#search = search;
    for (const query of await ports.store.unanswered(id)) {
      // A run that does not exist was chosen by a process that ended before the run started.
      if (query.runId !== null && query.runStatus !== null) await this.#settle(query.runId);
      else search.transcriber.ask({ ...query, context: await ports.store.segments(id, CONTEXT_SEGMENTS, query.toSeq) });
    }
    if (record.status === "closed") this.#awaitAnswers(search);
    return search;
  }

  /** A run that cannot be read must not keep the transcript from being searched. */
  async #settle(runId: string): Promise<void> {
    try {
      await this.ports.answers.noteRun(runId);
    } catch (error) {
      this.ports.logger.error({ err: error, runId }, "An answer could not be stored");
    }
  }

  async #searchIn(search: Search, segments: readonly TranscriptSegment[]): Promise<void> {
    let characters = 0;
    for (const segment of segments) {
      characters += segment.text.length;
      if (characters > BREATH_CHARACTERS) {
        // Other work of the process has its turn.
        await new Promise((resolve) => setImmediate(resolve));
        characters = 0;
      }
      search.heardSeq = segment.seq;
      search.unkept += 1;
      await search.transcriber.hear([segment]);
    }
    if (search.unkept >= CATCH_UP) await this.#keep(search, []);
  }

  async #keep(search: Search, queries: readonly BackgroundQuery[]): Promise<void> {
    const { store, clock, onFound } = this.ports;
    const askedAt = clock.now();
    const found = queries.map(({ context: _context, ...query }) => ({ ...query, askedAt }));
    const progress = { heardSeq: search.heardSeq, transcriber: search.transcriber.state };
    await store.keep(this.id, progress, found, this.#closedAt);
    search.unkept = 0;
    if (found.length > 0) onFound();
  }

  #awaitSilence(search: Search): void {
    if (this.#search !== search) return;
    clearTimeout(this.#timer);
    const { clock } = this.ports;
    const at = search.transcriber.nextTickAt();
    if (at === null) return;
    this.#wake(Math.max(1, at - clock.now()), async () => {
      if (this.#search !== search || this.#isStopped) return;
      try {
        // A timer may fire a millisecond early. A silence cannot be searched again: it is stored even where it ended no query.
        if (clock.now() >= at && (await search.transcriber.tick()).length === 0) await this.#keep(search, []);
        this.#awaitSilence(search);
      } catch (error) {
        this.fail(error);
      }
    });
  }

  #awaitAnswers(search: Search): void {
    search.transcriber.close().then(
      () => {
        if (this.#search === search) this.ports.onDone();
      },
      (error: unknown) => this.fail(error),
    );
  }
}
