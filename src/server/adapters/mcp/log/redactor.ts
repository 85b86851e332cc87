import { flatHead } from "./cut-text";

/** Shorter values would hide ordinary words. */
const MIN_SECRET_CHARS = 6;
/** Each secret has a few forms. */
const MAX_SECRETS = 500;
const MAX_TEMPORARY_SECRETS = 200;
const REDACTED = "[redacted]";
const SCHEME = /^(?:Bearer|Basic|Token|ApiKey)\s+(\S.*)$/is;

/** Returns a text for people: without secrets, cut to `maxChars`. */
export type Quote = (text: string, maxChars: number) => string;

interface Span {
  start: number;
  end: number;
}

/** Removes one server's secrets from text that people or logs see. */
export class Redactor {
  #permanent: string[] = [];
  /** Newest last. */
  #temporary: string[] = [];
  /** Both lists, longest first. */
  #secrets: string[] = [];

  /** Ignores a bare reference (`${TOKEN}`); its value is added separately. */
  add(value: string | null | undefined): void {
    this.#register(value, (form) => {
      if (this.#permanent.length < MAX_SECRETS) this.#permanent.push(form);
    });
  }

  /** A secret that is replaced over time, such as an access token; the oldest ones are dropped. */
  addTemporary(value: string | null | undefined): void {
    this.#register(value, (form) => {
      this.#temporary = [...this.#temporary, form].slice(-MAX_TEMPORARY_SECRETS);
    });
  }

  /** Length of the longest secret: how far past a cut a text must be known. */
  get maxSecretChars(): number {
    return this.#secrets[0]?.length ?? 0;
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

  #register(value: string | null | undefined, keep: (form: string) => void): void {
    if (value === null || value === undefined || /^\$\{[^}]*\}$/.test(value)) return;
    const bare = SCHEME.exec(value)?.[1];
    let added = false;
    for (const form of [value, bare].flatMap((secret) => (secret === undefined ? [] : listForms(secret)))) {
      if (form.length < MIN_SECRET_CHARS || this.#permanent.includes(form) || this.#temporary.includes(form)) continue;
      keep(form);
      added = true;
    }
    if (!added) return;
    this.#secrets = [...this.#permanent, ...this.#temporary].sort((one, other) => other.length - one.length);
  }
}

/** Plain, and as encoded in JSON, in a URL and in a form. */
function listForms(secret: string): string[] {
  const inForm = new URLSearchParams({ "": secret }).toString().slice(1);
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponentSafely(secret), inForm];
}

function encodeURIComponentSafely(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    // A lone surrogate cannot be encoded.
    return text;
  }
}
