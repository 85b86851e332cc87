import { flatHead } from "./cut-text";

/** Shorter values would hide ordinary words. */
const MIN_SECRET_CHARS = 6;
/** Of those that stay, and of those that come and go; each has a few forms. */
const MAX_SECRETS = 500;
const MAX_PASSING_SECRETS = 200;
const REDACTED = "[redacted]";
const SCHEME = /^(?:Bearer|Basic|Token|ApiKey)\s+(\S.*)$/is;

/** A text for people: without secrets, and not longer than so many characters. */
export type Quote = (text: string, maxChars: number) => string;

interface Span {
  start: number;
  end: number;
}

/** Knows what one server's secrets are and takes them out of text that a person or a log may see. */
export class Redactor {
  #lasting: string[] = [];
  /** Newest last. */
  #passing: string[] = [];
  /** Both, longest first. */
  #secrets: string[] = [];

  /** Values that are nothing but a reference (`${TOKEN}`) tell no secret; what they stand for is added by itself. */
  add(value: string | null | undefined): void {
    this.#learn(value, (form) => {
      if (this.#lasting.length < MAX_SECRETS) this.#lasting.push(form);
    });
  }

  /** A secret that is replaced in time, such as an access token: the oldest of them make room for the newest. */
  addPassing(value: string | null | undefined): void {
    this.#learn(value, (form) => {
      this.#passing = [...this.#passing, form].slice(-MAX_PASSING_SECRETS);
    });
  }

  /** So many characters behind a cut have to be known to tell a secret that lies across it. */
  get longest(): number {
    return this.#secrets[0]?.length ?? 0;
  }

  apply(text: string): string {
    return this.#replace(text, text.length).text;
  }

  /** The head of a text without its secrets, also without the part of one that lies across the cut. */
  head(text: string, maxChars: number): string {
    return this.#cut(text, maxChars).text;
  }

  /** The same, saying how much is missing. Of a very long text only what matters is looked at. */
  quote(text: string, maxChars: number): string {
    const { text: head, taken } = this.#cut(text, maxChars);
    return taken >= text.length ? head : `${head}… [${text.length - taken} more characters]`;
  }

  #cut(text: string, maxChars: number): { text: string; taken: number } {
    if (text.length <= maxChars) return this.#replace(text, maxChars);
    return this.#replace(flatHead(text, maxChars + this.longest), maxChars);
  }

  /** Replaces what begins before `maxChars` and leaves the rest out. `taken` counts characters of `text`. */
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

  /** Where secrets stand, in order; those that touch are one. */
  #spansIn(text: string): Span[] {
    const spans: Span[] = [];
    for (const secret of this.#secrets) {
      for (let start = text.indexOf(secret); start !== -1; start = text.indexOf(secret, start + secret.length)) {
        spans.push({ start, end: start + secret.length });
      }
    }
    spans.sort((one, other) => one.start - other.start);
    const merged: Span[] = [];
    for (const span of spans) {
      const last = merged.at(-1);
      if (last === undefined || span.start >= last.end) merged.push(span);
      else last.end = Math.max(last.end, span.end);
    }
    return merged;
  }

  #learn(value: string | null | undefined, keep: (form: string) => void): void {
    if (value === null || value === undefined || /^\$\{[^}]*\}$/.test(value)) return;
    const bare = SCHEME.exec(value)?.[1];
    let learned = false;
    for (const form of [value, bare].flatMap((secret) => (secret === undefined ? [] : formsOf(secret)))) {
      if (form.length < MIN_SECRET_CHARS || this.#lasting.includes(form) || this.#passing.includes(form)) continue;
      keep(form);
      learned = true;
    }
    if (!learned) return;
    this.#secrets = [...this.#lasting, ...this.#passing].sort((one, other) => other.length - one.length);
  }
}

/** As it is, as it stands in JSON text, in an address and in a form. */
function formsOf(secret: string): string[] {
  const inForm = new URLSearchParams({ "": secret }).toString().slice(1);
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponentSafely(secret), inForm];
}

function encodeURIComponentSafely(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    // Half a surrogate pair has no form in an address.
    return text;
  }
}
