import { REDACTED } from "../../../../lib/masked-value";
import { mergeSpan, type SecretMatcher, type SecretSpan } from "../../../../lib/secret-matcher";
import type { ToolContext } from "../../../engine/ports";
import { type KnownSecrets, SecretValues } from "../../../platform/masking";

/** Returns a text for users: without secrets, cut to `maxChars`. */
export type Quote = (text: string, maxChars: number) => string;

type MaskedOfCall = NonNullable<ToolContext["maskedValues"]>;

/** More calls than a server's recorded messages can belong to. */
const MAX_MASKED_CALLS = 500;

/** Removes secrets from texts of one server: from those that are logged and shown, all known ones, and from those that are passed on its own. */
export class Redactor {
  readonly #own = new SecretValues();
  readonly #known: KnownSecrets | undefined;
  /** The masked values of the newest calls. */
  #masked: MaskedOfCall[] = [];

  /** @param known receives every secret of this server too, and is searched besides them */
  constructor(known?: KnownSecrets) {
    this.#known = known;
  }

  /** Ignores a bare reference (`${TOKEN}`); its value is added separately. */
  add(value: string | null | undefined): void {
    this.#own.add(value);
    this.#known?.add(value);
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
    return redact(text, text.length, this.#matchers()).text;
  }

  /** A text for callers, without this server's own secrets. */
  applyOwn(text: string): string {
    return redact(text, text.length, this.#ownMatchers()).text;
  }

  /** The first `maxChars` characters without secrets, and without a part of one that lies across the cut. */
  head(text: string, maxChars: number): string {
    return redact(this.#readHead(text, maxChars), maxChars, this.#matchers()).text;
  }

  /** Like `head`, with a note of how much is missing. */
  quote(text: string, maxChars: number): string {
    return withNote(text, redact(this.#readHead(text, maxChars), maxChars, this.#matchers()));
  }

  /**
   * Quotes like `quote`, for a text that callers receive: secrets other than this server's own stay whole, or are cut
   * off whole.
   */
  quoteForCaller(text: string, maxChars: number): string {
    const head = this.#readHead(text, maxChars);
    const others = head === text ? [] : findSpans(head, this.#otherMatchers());
    const across = others.find(({ start, end }) => start < maxChars && end > maxChars);
    return withNote(text, redact(head, across?.start ?? maxChars, this.#ownMatchers()));
  }

  #readHead(text: string, maxChars: number): string {
    return text.length <= maxChars ? text : flatHead(text, maxChars + this.maxSecretChars);
  }

  #ownMatchers(): SecretMatcher[] {
    return [this.#own.matcher].filter((matcher) => matcher !== null);
  }

  #otherMatchers(): SecretMatcher[] {
    const ofCalls = this.#masked.map(({ matcher }) => matcher);
    return [this.#known?.matcher ?? null, ...ofCalls].filter((matcher) => matcher !== null);
  }

  #matchers(): SecretMatcher[] {
    return [...this.#ownMatchers(), ...this.#otherMatchers()];
  }
}

interface Redacted {
  text: string;
  /** The number of characters that were read. */
  taken: number;
}

/** Redacts and cuts. */
function redact(text: string, maxChars: number, matchers: readonly SecretMatcher[]): Redacted {
  let redacted = "";
  let at = 0;
  for (const { start, end } of findSpans(text, matchers)) {
    if (start >= maxChars) break;
    redacted += text.slice(at, start) + REDACTED;
    at = end;
  }
  const end = Math.max(at, Math.min(maxChars, text.length));
  return { text: at === 0 && end === text.length ? text : redacted + text.slice(at, end), taken: end };
}

/** Secrets in the text, in order; overlapping ones are merged. */
function findSpans(text: string, matchers: readonly SecretMatcher[]): SecretSpan[] {
  const spans = matchers.flatMap((matcher) => matcher.find(text));
  spans.sort((one, other) => one.start - other.start);
  const merged: SecretSpan[] = [];
  for (const span of spans) mergeSpan(merged, span);
  return merged;
}

function withNote(text: string, { text: head, taken }: Redacted): string {
  return taken >= text.length ? head : `${head}… [${text.length - taken} more characters]`;
}

const OUTSIDE_LATIN1 = /[^\0-\xff]/;

/** Copies the head: a plain slice keeps the whole string in memory. */
export function flatHead(text: string, maxChars: number): string {
  const head = text.slice(0, maxChars);
  const encoding = OUTSIDE_LATIN1.test(head) ? "utf16le" : "latin1";
  return Buffer.from(head, encoding).toString(encoding);
}
