import { SecretMatcher, secretForms } from "../../../lib/secret-matcher";

/** Shorter values occur in ordinary words and numbers. */
const MIN_CHARS = 4;
const MAX_VALUES = 2_000;
const MAX_DEPTH = 200;
const HIDDEN = "[redacted]";

/** The masked values of one call or run, to be found again in texts that repeat them. */
export class MaskedValues {
  readonly #masks = new Map<string, string>();
  #values = 0;
  #isOverfull = false;
  #matcher: SecretMatcher | null = null;

  /** Adds every text and number in a masked value. @param getMask returns the mask of each of them */
  add(value: unknown, getMask: (value: unknown) => string, depth = 0): void {
    if (this.#values >= MAX_VALUES || depth > MAX_DEPTH) {
      this.#isOverfull = true;
    } else if (typeof value === "object" && value !== null) {
      for (const part of Object.values(value)) this.add(part, getMask, depth + 1);
    } else if (typeof value === "string" || typeof value === "number") {
      const text = String(value);
      if (text.length < MIN_CHARS || this.#masks.has(text)) return;
      this.#values += 1;
      const mask = getMask(value);
      for (const form of secretForms(text)) this.#masks.set(form, mask);
      this.#matcher = null;
    }
  }

  /** Hides whole texts: there are more values than a search can find. */
  hideAll(): void {
    this.#isOverfull = true;
  }

  /** The text without the masked values; a fixed text where there are too many values to search for. */
  inText(text: string, isCut = false): string {
    if (this.#isOverfull) return HIDDEN;
    return this.matcher?.replace(text, isCut) ?? text;
  }

  /** A JSON text without the masked values, still valid. */
  inJson(text: string): string {
    if (this.#isOverfull) return JSON.stringify(HIDDEN);
    return this.matcher?.replaceInJson(text) ?? text;
  }

  /** A copy of a JSON value without the masked values; the value itself where there are none. */
  inValue<T>(value: T): T {
    return this.matcher?.replaceInValue(value) ?? value;
  }

  /** The matcher of the values; null where there are none. */
  get matcher(): SecretMatcher | null {
    if (this.#masks.size === 0) return null;
    this.#matcher ??= new SecretMatcher(this.#masks);
    return this.#matcher;
  }
}
