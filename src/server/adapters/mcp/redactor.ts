/** Shorter values would hide ordinary words. */
const MIN_SECRET_CHARS = 6;
const MAX_SECRETS = 500;
const REDACTED = "[redacted]";
const SCHEME = /^(?:Bearer|Basic|Token|ApiKey)\s+(\S.*)$/is;

/** Knows what one server's secrets are and takes them out of text that a person or a log may see. */
export class Redactor {
  /** Longest first, so that a secret that holds another one is replaced whole. */
  #secrets: string[] = [];

  /** Values that are nothing but a reference (`${TOKEN}`) tell no secret; what they stand for is added by itself. */
  add(value: string | null | undefined): void {
    if (value === null || value === undefined || /^\$\{[^}]*\}$/.test(value)) return;
    const bare = SCHEME.exec(value)?.[1];
    for (const secret of bare === undefined ? [value] : [value, bare]) this.#addForms(secret);
  }

  apply(text: string): string {
    let redacted = text;
    for (const secret of this.#secrets) {
      if (redacted.includes(secret)) redacted = redacted.replaceAll(secret, REDACTED);
    }
    return redacted;
  }

  /** As it is, as it stands in JSON text and as it stands in an address. */
  #addForms(secret: string): void {
    const forms = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponentSafely(secret)];
    for (const form of forms) {
      if (form.length < MIN_SECRET_CHARS || this.#secrets.includes(form)) continue;
      if (this.#secrets.length < MAX_SECRETS) this.#secrets.push(form);
    }
    this.#secrets.sort((one, other) => other.length - one.length);
  }
}

function encodeURIComponentSafely(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    // Half a surrogate pair has no form in an address.
    return text;
  }
}
