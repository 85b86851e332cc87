import { assertTime } from "./text-search";

/** Values that a path takes and that other texts of the result may repeat. */
const MAX_VALUES = 1_000;
const MIN_CHARS = 4;

/** Values that paths remove from the data of a result: plain text may repeat them. */
export class RepeatedValues {
  readonly #values = new Set<string>();
  readonly #starts = new Set<string>();
  #sorted: readonly string[] | null = null;

  add(value: string): void {
    if (value.length < MIN_CHARS || this.#values.size > MAX_VALUES) return;
    this.#values.add(value);
    this.#starts.add(value.slice(0, MIN_CHARS));
    this.#sorted = null;
  }

  has(value: string): boolean {
    return this.#values.has(value);
  }

  /** Replaces the values, the longest first. Where they are too many, the text is taken whole. @throws SearchTimeout */
  replaceIn(text: string, marker: string, deadline: number): { text: string; count: number } {
    if (this.#values.size > MAX_VALUES || this.#values.has(text)) return { text: marker, count: 1 };
    if (!this.#mayRepeat(text)) return { text, count: 0 };
    this.#sorted ??= [...this.#values].sort((left, right) => right.length - left.length);
    let rewritten = text;
    let count = 0;
    for (const each of this.#sorted) {
      assertTime(deadline);
      if (!rewritten.includes(each)) continue;
      const parts = rewritten.split(each);
      count += parts.length - 1;
      rewritten = parts.join(marker);
    }
    return { text: rewritten, count };
  }

  /** Whether a text may repeat a value; one with fewer characters than there are values is searched by its positions. */
  #mayRepeat(text: string): boolean {
    if (text.length < MIN_CHARS || this.#values.size === 0) return false;
    if (text.length > this.#values.size) return true;
    for (let at = 0; at <= text.length - MIN_CHARS; at += 1) {
      if (this.#starts.has(text.slice(at, at + MIN_CHARS))) return true;
    }
    return false;
  }
}
