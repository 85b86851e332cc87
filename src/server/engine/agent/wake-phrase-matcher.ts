import { normalizeCharacter, normalizePhrase } from "./normalize-text";

/** A phrase that has matched in part. Plain JSON. */
interface PartialMatch {
  phrase: number;
  /** The number of matched characters of the folded phrase. */
  matched: number;
  /** The position of its first letter, and its segment. */
  start: number;
  seq: number;
  /**
   * `whole`: matched, if the word ends here. `apostrophe`: matched, followed by an apostrophe, which may continue the
   * word.
   */
  state: "open" | "whole" | "apostrophe";
}

export interface WakeMatch {
  phrase: string;
  start: number;
  seq: number;
}

export interface WakePhraseState {
  partials: PartialMatch[];
  before: { kind: "letter" | "apostrophe" | "break"; unspaced: boolean };
}

const BREAK: WakePhraseState["before"] = { kind: "break", unspaced: false };
const APOSTROPHE: WakePhraseState["before"] = { kind: "apostrophe", unspaced: false };
const LETTER: WakePhraseState["before"] = { kind: "letter", unspaced: false };
const UNSPACED_LETTER: WakePhraseState["before"] = { kind: "letter", unspaced: true };

/**
 * Finds phrases in text that comes character by character. Only letters and digits count, without case and accents; a
 * match begins and ends where words do. What it remembers is bounded by the phrases, not by the text.
 */
export class WakePhraseMatcher {
  readonly #folded: readonly string[];
  #partials: PartialMatch[] = [];
  #before: WakePhraseState["before"] = BREAK;

  constructor(
    readonly phrases: readonly string[],
    state?: WakePhraseState,
  ) {
    this.#folded = phrases.map(normalizePhrase);
    if (state === undefined) return;
    this.#partials = state.partials.filter(({ phrase, matched }) => matched <= (this.#folded[phrase]?.length ?? -1));
    this.#before = state.before;
  }

  get state(): WakePhraseState {
    return { partials: this.#partials.map((partial) => ({ ...partial })), before: { ...this.#before } };
  }

  /** Whether a phrase has matched whole and waits for its word to end. */
  get awaitsEnd(): boolean {
    return this.#partials.some(({ state }) => state !== "open");
  }

  /** Whether a phrase that may still match has begun there. */
  hasStartIn(from: number, to: number): boolean {
    return this.#partials.some(({ start }) => start >= from && start < to);
  }

  reset(): void {
    this.#partials = [];
    this.#before = BREAK;
  }

  /** The phrase that ended before this code point; the longest where there are several. */
  step(char: string, position: number, seq: number): WakeMatch | null {
    const { kind, folded, unspaced } = normalizeCharacter(char);
    if (kind === "accent") return null;
    if (kind === "break") return this.#onBreak();
    if (kind === "apostrophe") {
      for (const partial of this.#partials) if (partial.state === "whole") partial.state = "apostrophe";
      if (this.#before.kind === "letter") this.#before = APOSTROPHE;
      return null;
    }
    const beginsWord = this.#before.kind !== "letter" || unspaced || this.#before.unspaced;
    const match = beginsWord && this.#before.kind === "letter" ? this.#takeWhole("whole") : null;
    if (this.#partials.length > 0) {
      this.#partials = this.#partials.filter((partial) => partial.state === "open" && this.#advance(partial, folded));
    }
    if (beginsWord) this.#begin(folded, position, seq);
    this.#before = unspaced ? UNSPACED_LETTER : LETTER;
    return match;
  }

  #onBreak(): WakeMatch | null {
    this.#before = BREAK;
    return this.#takeWhole();
  }

  #takeWhole(only?: PartialMatch["state"]): WakeMatch | null {
    if (this.#partials.length === 0) return null;
    const isWhole = ({ state }: PartialMatch) => (only === undefined ? state !== "open" : state === only);
    const length = ({ phrase }: PartialMatch) => this.#folded[phrase]?.length ?? 0;
    const longest = this.#partials.filter(isWhole).sort((a, b) => length(b) - length(a) || a.start - b.start)[0];
    if (longest === undefined) return null;
    this.#partials = this.#partials.filter((partial) => !isWhole(partial));
    return { phrase: this.phrases[longest.phrase] ?? "", start: longest.start, seq: longest.seq };
  }

  #advance(partial: PartialMatch, folded: string): boolean {
    const phrase = this.#folded[partial.phrase] ?? "";
    if (!phrase.startsWith(folded, partial.matched)) return false;
    partial.matched += folded.length;
    if (partial.matched === phrase.length) partial.state = "whole";
    return true;
  }

  #begin(folded: string, position: number, seq: number): void {
    for (const [index, phrase] of this.#folded.entries()) {
      if (phrase === "" || !phrase.startsWith(folded)) continue;
      const state = folded.length === phrase.length ? "whole" : "open";
      this.#partials.push({ phrase: index, matched: folded.length, start: position, seq, state });
    }
  }
}
