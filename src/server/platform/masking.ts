import { createHmac } from "node:crypto";
import { REDACTED, toMask } from "../../lib/masked-value";
import { SecretMatcher, secretForms } from "../../lib/secret-matcher";
import type { Masking } from "../engine/ports";
import type { SecretBox } from "./auth/secret-box";

/** Shorter values would hide ordinary words. */
const MIN_SECRET_CHARS = 6;
/** The limit of forms; each secret has a few. */
const MAX_PERMANENT = 4_000;
const MAX_TEMPORARY = 1_000;
const SCHEME = /^(?:Bearer|Basic|Token|ApiKey)\s+(\S.*)$/is;
/** A part of an address that is long and mixed enough to be a secret. */
const RANDOM_PART = /^(?=.*\d)(?=.*[A-Za-z])[\w.~-]{16,}$/;
/** Matches the login of an address without the rest of it. */
const LOGIN = /^([^\s:/@]+):([^\s/]+)$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Secrets to be found in texts: in every form in which they may occur. */
export class SecretValues {
  readonly #permanent = new Set<string>();
  /** Oldest first. */
  readonly #temporary = new Set<string>();
  readonly #getReplacement: (secret: string) => string;
  /** Masks by the form that they replace. */
  #replacements = new Map<string, string>();
  #matcher: SecretMatcher | null = null;

  /** @param getReplacement returns the text that replaces a secret; it must be safe inside a JSON string */
  constructor(getReplacement: (secret: string) => string = () => REDACTED) {
    this.#getReplacement = getReplacement;
  }

  /** Ignores a bare reference (`${TOKEN}`); its value is added separately. */
  add(value: string | null | undefined): void {
    this.#register(value, (secret) => {
      if (this.#permanent.size < MAX_PERMANENT) this.#permanent.add(secret);
    });
  }

  /** A secret that is replaced over time, such as an access token; the oldest ones are dropped. */
  addTemporary(value: string | null | undefined): void {
    this.#register(value, (secret) => {
      this.#temporary.add(secret);
      const [oldest] = this.#temporary;
      if (this.#temporary.size > MAX_TEMPORARY && oldest !== undefined) this.#temporary.delete(oldest);
    });
  }

  /** The matcher of the secrets; null where there are none. */
  get matcher(): SecretMatcher | null {
    if (this.#matcher === null && this.#permanent.size + this.#temporary.size > 0) {
      this.#replacements = new Map();
      for (const secret of [...this.#permanent, ...this.#temporary]) {
        const replacement = this.#getReplacement(secret);
        for (const form of secretForms(secret)) this.#replacements.set(form, replacement);
      }
      this.#matcher = new SecretMatcher(this.#replacements);
    }
    return this.#matcher;
  }

  #register(value: string | null | undefined, keep: (secret: string) => void): void {
    if (value === null || value === undefined || /^\$\{[^}]*\}$/.test(value)) return;
    for (const secret of listParts(value)) {
      if (secret.length < MIN_SECRET_CHARS || this.#permanent.has(secret) || this.#temporary.has(secret)) continue;
      keep(secret);
      this.#matcher = null;
    }
  }
}

/** Returns the value and its parts that are secret on their own: the token of a header, the password of an address. */
function listParts(value: string): string[] {
  const bare = SCHEME.exec(value)?.[1];
  const parts = [value];
  if (bare !== undefined) parts.push(bare, ...(/^basic/i.test(value) ? basicParts(bare) : []));
  parts.push(...loginParts(value), ...addressParts(value));
  return parts;
}

function basicParts(encoded: string): string[] {
  if (!BASE64.test(encoded)) return [];
  const decoded = Buffer.from(encoded, "base64").toString("utf8");
  const colon = decoded.indexOf(":");
  return colon < 0 ? [] : [decoded, decoded.slice(colon + 1)];
}

function loginParts(value: string): string[] {
  const [, user, password] = LOGIN.exec(value) ?? [];
  if (user === undefined || password === undefined) return [];
  const login = `${decodeSafely(user)}:${decodeSafely(password)}`;
  return [password, decodeSafely(password), login, Buffer.from(login).toString("base64")];
}

function addressParts(value: string): string[] {
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(value) || !URL.canParse(value)) return [];
  const { username, password, pathname, searchParams } = new URL(value);
  const random = [...pathname.split("/"), ...searchParams.values()].filter((part) => RANDOM_PART.test(part));
  if (password === "") return random;
  const user = decodeSafely(username);
  const secret = decodeSafely(password);
  return [...random, secret, `${user}:${secret}`, Buffer.from(`${user}:${secret}`).toString("base64")];
}

function decodeSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The secrets of this installation, as far as this process knows them. */
export interface KnownSecrets {
  add(value: string | null | undefined): void;
  /** Adds a secret that is replaced over time. */
  addTemporary(value: string | null | undefined): void;
  /** The matcher of the secrets; null where none is known. */
  readonly matcher: SecretMatcher | null;
}

export interface InstallationMasking {
  masking: Masking;
  secrets: KnownSecrets;
}

/** Masks are HMACs under a separate key, so that a copy of the database does not allow guessing. */
export function createMasking(secretBox: Pick<SecretBox, "derive">): InstallationMasking {
  const key = Buffer.from(secretBox.derive("masked values"), "hex");
  const getMask = (canonicalJson: string): string =>
    toMask(createHmac("sha256", key).update(canonicalJson).digest("hex"));
  const redacted = new SecretValues();
  const masked = new SecretValues((secret) => getMask(JSON.stringify(secret)));
  return {
    masking: {
      getMask,
      inText: (text, isCut) => redacted.matcher?.replace(text, isCut) ?? text,
      inJson: (text) => redacted.matcher?.replaceInJson(text) ?? text,
      inValue: (value) => redacted.matcher?.replaceInValue(value) ?? value,
      inArguments: (text) => masked.matcher?.replaceInJson(text) ?? text,
    },
    secrets: {
      add(value) {
        redacted.add(value);
        masked.add(value);
      },
      addTemporary(value) {
        redacted.addTemporary(value);
        masked.addTemporary(value);
      },
      get matcher() {
        return redacted.matcher;
      },
    },
  };
}
