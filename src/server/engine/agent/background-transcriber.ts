import type { BackgroundQuery, TranscriptLine } from "./background-request";
import {
  type FoundQuery,
  type HeardSegment,
  QueryFinder,
  type QueryFinderOptions,
  type QueryFinderState,
} from "./query-finder";

export interface BackgroundTranscriberPorts<Answer> {
  newId(): string;
  /** Epoch milliseconds. */
  now(): number;
  /** Keeps what was found; a query is answered once this resolves, so that none is answered that could be lost. */
  keep?(queries: readonly BackgroundQuery[]): Promise<void>;
  /**
   * Answers one query. Called for several at a time, up to the limit: an answer that may wait for a user resolves early
   * and is settled elsewhere. `signal` aborts with `abort`.
   */
  answer(query: BackgroundQuery, signal: AbortSignal): Promise<Answer>;
  onAnswer(query: BackgroundQuery, answer: Answer): void | Promise<void>;
  /** Receives errors of `keep`, `answer` or `onAnswer`. Other queries continue. */
  onError(query: BackgroundQuery, error: unknown): void;
}

export interface BackgroundTranscriberOptions extends Omit<QueryFinderOptions, "state"> {
  /** The number of queries answered at the same time; the rest wait in order. */
  maxInFlight?: number;
  state?: BackgroundTranscriberState | undefined;
}

/** Plain JSON: how far the search is, and the last lines. Not the queries in flight, which `keep` was given. */
export interface BackgroundTranscriberState {
  finder: QueryFinderState;
  recent: TranscriptLine[];
}

const MAX_IN_FLIGHT = 4;
const CONTEXT_LINES = 12;
const CONTEXT_LINE_LENGTH = 500;

/**
 * Listens to a transcript and answers, in the background, what is asked of the assistant in it. There is no audio:
 * something else writes down what was said.
 *
 * @example
 * const transcriber = new BackgroundTranscriber(
 *   { wakePhrases: ["hey toolroom"], silenceMs: 1500 },
 *   {
 *     newId: () => crypto.randomUUID(),
 *     now: Date.now,
 *     answer: async (query) => (await (await runs.start(backgroundRunRequest(query, transcript, actor))).ended).text,
 *     onAnswer: (query, text) => console.log(`${query.text} → ${text}`),
 *     onError: (query, error) => console.error(query.text, error),
 *   },
 * );
 * await transcriber.hear([{ seq: 1, text: "Hey Tool", speaker: "Ana", atMs: 0 }]);
 * await transcriber.hear([{ seq: 2, text: "room, what is 2 + 2?", speaker: "Ana", atMs: 900 }]);
 * await transcriber.close(); // waits for the answer
 */
export class BackgroundTranscriber<Answer> {
  readonly #finder: QueryFinder;
  readonly #maxInFlight: number;
  readonly #aborting = new AbortController();
  readonly #waiting: BackgroundQuery[] = [];
  readonly #running = new Set<Promise<void>>();
  #recent: TranscriptLine[];
  #closed = false;

  constructor(
    { maxInFlight = MAX_IN_FLIGHT, state, ...options }: BackgroundTranscriberOptions,
    private readonly ports: BackgroundTranscriberPorts<Answer>,
  ) {
    this.#finder = new QueryFinder({ ...options, state: state?.finder });
    this.#recent = [...(state?.recent ?? [])];
    this.#maxInFlight = maxInFlight;
  }

  get state(): BackgroundTranscriberState {
    return { finder: this.#finder.state, recent: this.#recent.map((line) => ({ ...line })) };
  }

  /** Queries being answered or waiting for their turn. */
  get pending(): number {
    return this.#running.size + this.#waiting.length;
  }

  /**
   * Takes segments in order; resolves once the queries they ended are kept, not when they are answered.
   * @throws Error after `close`, and what `keep` throws
   */
  async hear(segments: readonly HeardSegment[]): Promise<BackgroundQuery[]> {
    if (this.#closed) throw new Error("The transcript is closed");
    const found: BackgroundQuery[] = [];
    for (const segment of segments) {
      const before = this.#finder.feed(segment, this.ports.now());
      this.#remember(segment);
      found.push(...before.map((query) => this.#identified(query)));
    }
    return await this.#begin(found);
  }

  /** When `tick` may find the end of a query, epoch milliseconds; null while none is open. */
  nextTickAt(): number | null {
    return this.#closed ? null : this.#finder.nextTickAt();
  }

  /** Ends the open query if it has been silent for long enough. */
  async tick(): Promise<BackgroundQuery[]> {
    if (this.#closed) return [];
    return await this.#begin(this.#finder.tick(this.ports.now()).map((query) => this.#identified(query)));
  }

  /** Answers a query that was kept earlier, by this process or an earlier one. */
  ask(query: BackgroundQuery): void {
    this.#waiting.push(query);
    this.#next();
  }

  /**
   * Ends and keeps the open query, as the end of the transcript does. Answers continue; no further segment is accepted.
   */
  async end(): Promise<BackgroundQuery[]> {
    if (this.#closed) return [];
    this.#closed = true;
    return await this.#begin(this.#finder.close().map((query) => this.#identified(query)));
  }

  /** Ends the transcript and resolves when every query is answered. */
  async close(): Promise<void> {
    await this.end();
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** Gives up what is not answered yet, for an end of the process; the open query stays in `state`. */
  async abort(): Promise<void> {
    this.#closed = true;
    this.#waiting.length = 0;
    this.#aborting.abort();
    await Promise.all(this.#running);
  }

  #remember({ speaker, text }: HeardSegment): void {
    const line = text.trim();
    if (line === "") return;
    const last = this.#recent.at(-1);
    // Pieces of one line are joined: the context counts lines.
    const goesOn = last !== undefined && last.speaker === speaker && (/^\s/u.test(text) || /\s$/u.test(last.text));
    if (goesOn && last.text.length < CONTEXT_LINE_LENGTH) {
      last.text = `${last.text}${text}`.slice(0, CONTEXT_LINE_LENGTH);
    } else this.#recent.push({ speaker, text: text.trimStart().slice(0, CONTEXT_LINE_LENGTH) });
    this.#recent = this.#recent.slice(-CONTEXT_LINES);
  }

  #identified(query: FoundQuery): BackgroundQuery {
    return { ...query, id: this.ports.newId(), context: this.#recent.map((line) => ({ ...line })) };
  }

  async #begin(queries: BackgroundQuery[]): Promise<BackgroundQuery[]> {
    if (queries.length === 0) return queries;
    try {
      await this.ports.keep?.(queries);
    } catch (error) {
      for (const query of queries) this.ports.onError(query, error);
      throw error;
    }
    for (const query of queries) this.ask(query);
    return queries;
  }

  #next(): void {
    while (this.#running.size < this.#maxInFlight) {
      const query = this.#waiting.shift();
      if (query === undefined) return;
      const running = this.#answer(query).finally(() => {
        this.#running.delete(running);
        this.#next();
      });
      this.#running.add(running);
    }
  }

  async #answer(query: BackgroundQuery): Promise<void> {
    try {
      await this.ports.onAnswer(query, await this.ports.answer(query, this.#aborting.signal));
    } catch (error) {
      this.ports.onError(query, error);
    }
  }
}
