import { mergeSpan, type SecretMatcher, type SecretSpan } from "../../../../lib/secret-matcher";
import type { ToolContext } from "../../../engine/ports";
import { REDACTED, SecretValues } from "../../../platform/auth/secret-values";
import type { KnownSecrets } from "../../../platform/masking";

/** Returns a text for people: without secrets, cut to `maxChars`. */
export type Quote = (text: string, maxChars: number) => string;

type MaskedOfCall = NonNullable<ToolContext["maskedValues"]>;

/** More than a server's recorded messages can be of. */
const MAX_MASKED_CALLS = 500;

/** Removes one server's secrets from text that people or logs see. */
export class Redactor {
  readonly #own = new SecretValues();
  readonly #known: KnownSecrets | undefined;
  /** The masked values of the newest calls. */
  #masked: MaskedOfCall[] = [];

  /** @param known receives every secret of this server too, and is searched besides them */
  constructor(known?: KnownSecrets) {
    this.#known = known;
  }

  /** Ignores a bare reference (`${TOKEN}`); its value is added separately. @param isPlain only this server's texts hide it */
  add(value: string | null | undefined, isPlain = false): void {
    this.#own.add(value);
    if (!isPlain) this.#known?.add(value);
  }

  /** A secret that is replaced over time, such as an access token; the oldest ones are dropped. */
  addTemporary(value: string | null | undefined): void {
    this.#own.addTemporary(value);
    this.#known?.addTemporary(value);
  }

  /** The masked values of a call, which its messages repeat. */
  addMasked(values: MaskedOfCall): void {
    if (!this.#masked.includes(values)) this.#masked = [...this.#masked, values].slice(-MAX_MASKED_CALLS);
  }

  /** Length of the longest secret: how far past a cut a text must be known. */
  get maxSecretChars(): number {
    return Math.max(0, ...this.#matchers().map(({ longest }) => longest));
  }

  apply(text: string): string {
    return this.#replace(text, text.length).text;
  }

  /** The first `maxChars` characters without secrets, nor the part of one that lies across the cut. */
  head(text: string, maxChars: number): string {
    return this.#cut(text, maxChars).text;
  }

  /** Like `head`, with a note of how much is missing. */
  quote(text: string, maxChars: number): string {
    const { text: head, taken } = this.#cut(text, maxChars);
    return taken >= text.length ? head : `${head}… [${text.length - taken} more characters]`;
  }

  #cut(text: string, maxChars: number): { text: string; taken: number } {
    if (text.length <= maxChars) return this.#replace(text, maxChars);
    return this.#replace(flatHead(text, maxChars + this.maxSecretChars), maxChars);
  }

  /** Redacts and cuts. `taken` counts characters of `text`. */
  #replace(text: string, maxChars: number): { text: string; taken: number } {
    let redacted = "";
    let at = 0;
    for (const { start, end } of this.#spansIn(text)) {
      if (start >= maxChars) break;
      redacted += text.slice(at, start) + REDACTED;
      at = end;
    }
    const end = Math.max(at, Math.min(maxChars, text.length));
    return { text: at === 0 && end === text.length ? text : redacted + text.slice(at, end), taken: end };
  }

  /** Secrets in the text, in order; overlapping ones are merged. */
  #spansIn(text: string): SecretSpan[] {
    const spans = this.#matchers().flatMap((matcher) => matcher.find(text));
    spans.sort((one, other) => one.start - other.start);
    const merged: SecretSpan[] = [];
    for (const span of spans) mergeSpan(merged, span);
    return merged;
  }

  #matchers(): SecretMatcher[] {
    const ofCalls = this.#masked.map(({ matcher }) => matcher);
    return [this.#own.matcher, this.#known?.matcher ?? null, ...ofCalls].filter((matcher) => matcher !== null);
  }
}

const OUTSIDE_LATIN1 = /[^\0-\xff]/;

/** A copy: a plain slice keeps the whole string in memory. */
export function flatHead(text: string, maxChars: number): string {
  const head = text.slice(0, maxChars);
  const encoding = OUTSIDE_LATIN1.test(head) ? "utf16le" : "latin1";
  return Buffer.from(head, encoding).toString(encoding);
}
