import { type EndMarks, endsSentence, isCloser, isEndMark, isSpace, isWideEndMark } from "./sentence-end";
import { type WakeMatch, WakePhraseMatcher, type WakePhraseState } from "./wake-phrase-matcher";

export interface HeardSegment {
  /** Counts up; need not be without gaps. */
  seq: number;
  text: string;
  /** Null where unknown: then the previous speaker. */
  speaker: string | null;
  /** The beginning in milliseconds from the transcript's beginning; null where it is unknown. */
  atMs: number | null;
}

export interface FoundQuery {
  /** The text without the wake phrase; white space collapsed. */
  text: string;
  wakePhrase: string;
  speaker: string | null;
  /** The segments that the wake phrase begins and the query ends in. */
  fromSeq: number;
  toSeq: number;
}

/**
 * The text between two segments: `words` a space, `verbatim` nothing, `auto` depends on the segments. A sender of
 * pieces of text includes their spaces; a sender of whole utterances does not.
 */
export type SegmentJoin = "auto" | "words" | "verbatim";

export interface QueryFinderOptions {
  wakePhrases: readonly string[];
  silenceMs: number;
  join?: SegmentJoin;
  /** Characters after which a query is over. */
  maxLength?: number;
  /** The value of `state`, to continue where another finder stopped. */
  state?: QueryFinderState | undefined;
}

interface OpenQuery {
  wakePhrase: string;
  wakeStart: number;
  textStart: number;
  speaker: string | null;
  fromSeq: number;
  text: string;
  /** The position of the first letter; -1 until it came. */
  contentAt: number;
  /** The segments of the text: each from its offset on. */
  origins: { offset: number; seq: number }[];
  marks: EndMarks | null;
  /** The end of its sentence, while a wake phrase that began before it may still be going on. */
  endAt: number | null;
}

/** Serializable as plain JSON. */
export interface QueryFinderState {
  phrases: readonly string[];
  matcher: WakePhraseState;
  query: OpenQuery | null;
  position: number;
  seq: number;
  speaker: string | null;
  /** Wall clock of the last segment, epoch milliseconds. */
  heardAt: number;
  spokenUntilMs: number | null;
  /** Above zero, segments bring their own spaces. */
  spacing: number;
  /** The last segment ended in `3.`, which the next one may continue. */
  heldBreak: boolean;
  /** Half of a character that a border cut in two. */
  half: string;
}

const MAX_LENGTH = 4000;
/** After the wake phrase, users may pause for a moment. */
const LEAD_SILENCE_MS = 5000;
/** The pace of speech, for segments that say when they begin and not when they end. */
const MS_PER_CHARACTER = 60;
const MAX_SPACING = 4;
const LEADING = /^(?:[\s,.:;!?…—–，、。！？]|-(?=\s))+/u;
const TRAILING = /[\s,:—–]+$/u;

const fresh = (phrases: readonly string[]): QueryFinderState => ({
  phrases,
  matcher: new WakePhraseMatcher(phrases).state,
  query: null,
  position: 0,
  seq: 0,
  speaker: null,
  heardAt: 0,
  spokenUntilMs: null,
  spacing: 0,
  heldBreak: false,
  half: "",
});

/**
 * Finds queries to the assistant in a transcript that grows. A query begins after a wake phrase, wherever segments are
 * cut, and ends with its sentence, another speaker, silence, the next wake phrase, `close` or its longest length.
 * Memory is bounded by the phrases and the longest query.
 */
export class QueryFinder {
  readonly #options: Required<Omit<QueryFinderOptions, "state">>;
  readonly #matcher: WakePhraseMatcher;
  readonly #state: QueryFinderState;
  #found: FoundQuery[] = [];

  constructor({ state, ...options }: QueryFinderOptions) {
    this.#options = { join: "auto", maxLength: MAX_LENGTH, ...options };
    const phrases = [...options.wakePhrases];
    this.#state = state === undefined ? fresh(phrases) : structuredClone({ ...state, phrases });
    const known = state !== undefined && JSON.stringify(state.phrases) === JSON.stringify(phrases);
    this.#matcher = new WakePhraseMatcher(phrases, known ? state.matcher : undefined);
  }

  get state(): QueryFinderState {
    return structuredClone({ ...this.#state, matcher: this.#matcher.state });
  }

  /** `now` is the wall clock, epoch milliseconds. Returns the queries that this segment ended. */
  feed(segment: HeardSegment, now: number): FoundQuery[] {
    const state = this.#state;
    this.#beforeSegment(segment);
    const text = state.half + segment.text;
    const cut = /[\ud800-\udbff]$/.test(text);
    state.half = cut ? text.slice(-1) : "";
    state.seq = segment.seq;
    state.heardAt = now;
    if (segment.atMs !== null) {
      state.spokenUntilMs = segment.atMs + segment.text.length * MS_PER_CHARACTER;
    }
    for (const char of cut ? text.slice(0, -1) : text) this.#take(char);
    this.#noteSpacing(segment.text);
    if (text !== "" && !cut && this.#joinsWords && !isSpace(text.slice(-1))) {
      state.heldBreak = /\p{N}[.,]$/u.test(text);
      if (!state.heldBreak) this.#take(" ");
    }
    return this.#taken();
  }

  /** Passes the current time. Returns the query that silence ended. */
  tick(now: number): FoundQuery[] {
    const dueAt = this.nextTickAt();
    if (dueAt !== null && now >= dueAt) this.#onSilence(now - this.#state.heardAt);
    return this.#taken();
  }

  /** When `tick` may find a query, in epoch milliseconds; null while none waits. */
  nextTickAt(): number | null {
    const { query, heardAt } = this.#state;
    if (this.#matcher.awaitsEnd) return heardAt + this.#options.silenceMs;
    return query === null ? null : heardAt + this.#silenceLimitMs(query);
  }

  /** Called when the transcript has ended. */
  close(): FoundQuery[] {
    this.#onSilence(Infinity);
    this.#matcher.reset();
    return this.#taken();
  }

  #taken(): FoundQuery[] {
    const found = this.#found;
    this.#found = [];
    return found;
  }

  get #joinsWords(): boolean {
    const { join } = this.#options;
    return join === "words" || (join === "auto" && this.#state.spacing <= 0);
  }

  #silenceLimitMs(query: OpenQuery): number {
    return query.contentAt < 0 ? Math.max(LEAD_SILENCE_MS, this.#options.silenceMs) : this.#options.silenceMs;
  }

  #beforeSegment({ text, speaker, atMs }: HeardSegment): void {
    const state = this.#state;
    if (speaker !== null && state.speaker !== null && speaker !== state.speaker) {
      this.#onSilence(Infinity);
      this.#matcher.reset();
      state.spokenUntilMs = null;
    }
    state.speaker = speaker ?? state.speaker;
    const silenceMs = atMs === null || state.spokenUntilMs === null ? 0 : atMs - state.spokenUntilMs;
    if (silenceMs >= this.#options.silenceMs) this.#onSilence(silenceMs);
    if (state.heldBreak && !/^\p{N}/u.test(text)) this.#take(" ");
    state.heldBreak = false;
  }

  #onSilence(lastedMs: number): void {
    const state = this.#state;
    state.heldBreak = false;
    this.#take(" ");
    if (state.query !== null && lastedMs >= this.#silenceLimitMs(state.query)) this.#finish();
  }

  #noteSpacing(text: string): void {
    const state = this.#state;
    if (/^\s|\s$/u.test(text)) state.spacing = Math.min(MAX_SPACING, state.spacing + 2);
    else if (/\s/u.test(text)) state.spacing = Math.max(-MAX_SPACING, state.spacing - 1);
  }

  #take(char: string): void {
    const state = this.#state;
    const match = this.#matcher.step(char, state.position, state.seq);
    if (match !== null) this.#begin(match);
    const { query } = state;
    if (query?.endAt != null && !this.#matcher.hasStartIn(query.textStart, query.textStart + query.endAt)) {
      this.#finish();
    }
    if (state.query !== null) this.#extend(state.query, char);
    state.position += char.length;
  }

  #begin({ phrase, start, seq }: WakeMatch): void {
    const state = this.#state;
    // The same words match a longer phrase: `hey tool` and then `hey toolroom`.
    if (state.query !== null && state.query.wakeStart !== start) this.#finish(start - state.query.textStart);
    state.query = {
      wakePhrase: phrase,
      wakeStart: start,
      textStart: state.position,
      speaker: state.speaker,
      fromSeq: seq,
      text: "",
      contentAt: -1,
      origins: [],
      marks: null,
      endAt: null,
    };
  }

  #extend(query: OpenQuery, char: string): void {
    if (query.contentAt < 0) {
      if (!/[\p{L}\p{N}]/u.test(char)) {
        // Only a sign directly before the first word can belong to it.
        query.text = char;
        query.textStart = this.#state.position;
        query.origins = [{ offset: 0, seq: this.#state.seq }];
        return;
      }
      query.contentAt = query.text.length;
    }
    if (query.origins.at(-1)?.seq !== this.#state.seq) {
      query.origins.push({ offset: query.text.length, seq: this.#state.seq });
    }
    query.text += char;
    this.#lookForEnd(query, char);
    if (this.#state.query === query && query.text.length >= this.#options.maxLength) this.#finish();
  }

  #lookForEnd(query: OpenQuery, char: string): void {
    const { marks, text } = query;
    const length = text.length;
    if (isEndMark(char)) {
      query.marks = { from: marks?.to === length - 1 ? marks.from : length - 1, to: length };
      if (isWideEndMark(char)) this.#endSentence(query, length);
    } else if (marks !== null && isCloser(char)) {
      marks.to = length;
    } else if (marks !== null) {
      query.marks = null;
      if (isSpace(char) && endsSentence(text, marks)) this.#endSentence(query, marks.to);
    }
  }

  #endSentence(query: OpenQuery, length: number): void {
    query.endAt ??= length;
    if (!this.#matcher.hasStartIn(query.textStart, query.textStart + query.endAt)) this.#finish();
  }

  /** `length`: how much of the text is the query's, where that is less than what came. */
  #finish(length?: number): void {
    const { query } = this.#state;
    this.#state.query = null;
    if (query === null) return;
    const taken = query.text.slice(0, Math.max(0, Math.min(length ?? Infinity, query.endAt ?? Infinity)));
    const text = taken.replace(LEADING, "").replace(TRAILING, "").replace(/\s+/gu, " ");
    if (!/[\p{L}\p{N}]/u.test(text)) return;
    const lastAt = taken.trimEnd().length - 1;
    const toSeq = query.origins.findLast(({ offset }) => offset <= lastAt)?.seq ?? query.fromSeq;
    const { wakePhrase, speaker, fromSeq } = query;
    this.#found.push({ text, wakePhrase, speaker, fromSeq, toSeq });
  }
}
