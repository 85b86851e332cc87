import type { ResultPreset } from "../../../lib/contract/call-rule-words";

/** A part of a text; `end` is exclusive. */
export interface FoundText {
  start: number;
  end: number;
}

/** Finds one kind of text. Each is linear in the text, up to a constant. */
export const PRESETS: Readonly<Record<ResultPreset, (text: string) => FoundText[]>> = {
  email: findEmails,
  card: findCards,
  iban: findIbans,
  api_key: findKeys,
};

/** Whether a JSON text may hold a kind of text: what has none of these has none, unless letters of it are escaped. */
export const PRESET_SIGNS: Readonly<Record<ResultPreset, RegExp>> = {
  email: /@/,
  card: /\d(?:[ -]?\d){12}/,
  iban: /[A-Za-z]{2}\d{2}[ -]?[A-Za-z0-9]/,
  api_key: /(?:sk|pk|rk)[-_]|gh[a-z]_|github_pat_|glpat-|xox[a-z]-|AKIA|ASIA|AIza|ya29\.|npm_|hf_|SG\.|eyJ|-----BEGIN/,
};

const MAX_LOCAL_CHARS = 64;
const LOCAL_CHAR = /[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-]/u;
const DOMAIN = /(?:[\p{L}\p{N}][\p{L}\p{N}-]{0,62}\.){1,8}\p{L}{2,24}/uy;

function findEmails(text: string): FoundText[] {
  const found: FoundText[] = [];
  let from = 0;
  for (let at = text.indexOf("@"); at >= 0; at = text.indexOf("@", at + 1)) {
    let start = at;
    while (start > from && at - start < MAX_LOCAL_CHARS && LOCAL_CHAR.test(text[start - 1] ?? "")) start -= 1;
    DOMAIN.lastIndex = at + 1;
    if (start === at || !DOMAIN.test(text)) continue;
    from = DOMAIN.lastIndex;
    found.push({ start, end: from });
  }
  return found;
}

/** Digits with single spaces or hyphens between them. */
const DIGIT_RUN = /\d(?:[ -]?\d){12,}/g;
const CARD_DIGITS = { least: 13, most: 19 };

function findCards(text: string): FoundText[] {
  const found: FoundText[] = [];
  for (const { 0: run, index } of text.matchAll(DIGIT_RUN)) {
    let from = 0;
    while (from < run.length) {
      const isStart = from === 0 || !isDigit(run[from - 1]);
      const end = isStart ? findCardEnd(run, from) : null;
      if (end !== null) found.push({ start: index + from, end: index + end });
      from = end ?? from + 1;
    }
  }
  return found;
}

const isDigit = (letter: string | undefined): boolean => letter !== undefined && letter >= "0" && letter <= "9";

/** The end of the longest card number that begins here. Cards of networks begin with 2 to 6. */
function findCardEnd(run: string, from: number): number | null {
  const first = run[from] ?? "";
  if (first < "2" || first > "6") return null;
  // Luhn's sums where the digits at even or at odd positions are doubled: which one counts follows from their number.
  const sums: [even: number, odd: number] = [0, 0];
  let digits = 0;
  let end: number | null = null;
  for (let at = from; at < run.length && digits < CARD_DIGITS.most; at += 1) {
    if (!isDigit(run[at])) continue;
    const digit = Number(run[at]);
    const doubled = digit > 4 ? digit * 2 - 9 : digit * 2;
    sums[0] += digits % 2 === 0 ? doubled : digit;
    sums[1] += digits % 2 === 1 ? doubled : digit;
    digits += 1;
    const sum = digits % 2 === 0 ? sums[0] : sums[1];
    if (digits >= CARD_DIGITS.least && !isDigit(run[at + 1]) && sum % 10 === 0) end = at + 1;
  }
  return end;
}

const IBAN_START = /(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?=[ -]?[A-Za-z0-9])/g;
const IBAN_CHARS = { least: 15, most: 34 };
const isAlphanumeric = (letter: string | undefined): boolean => letter !== undefined && /^[A-Za-z0-9]$/.test(letter);

function findIbans(text: string): FoundText[] {
  const found: FoundText[] = [];
  for (const { index } of text.matchAll(IBAN_START)) {
    const end = index < (found.at(-1)?.end ?? 0) ? null : findIbanEnd(text, index);
    if (end !== null) found.push({ start: index, end });
  }
  return found;
}

/** The end of the longest account number that begins here and whose check digits are right. */
function findIbanEnd(text: string, start: number): number | null {
  let letters = "";
  let end: number | null = null;
  for (let at = start; letters.length < IBAN_CHARS.most; at += 1) {
    const letter = text[at];
    if (letter === undefined) break;
    if (!isAlphanumeric(letter)) {
      if ((letter !== " " && letter !== "-") || !isAlphanumeric(text[at + 1])) break;
      continue;
    }
    letters += letter.toUpperCase();
    if (letters.length >= IBAN_CHARS.least && !isAlphanumeric(text[at + 1]) && isIban(letters)) end = at + 1;
  }
  return end;
}

/** Checks the digits by ISO 7064, modulo 97. */
function isIban(letters: string): boolean {
  let rest = 0;
  for (let at = 0; at < letters.length; at += 1) {
    const code = letters.charCodeAt((at + 4) % letters.length);
    const value = code > 64 ? code - 55 : code - 48;
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}

/** Forms of keys that services publish, and PEM blocks of private keys. */
const KEYS =
  /(?<![A-Za-z0-9_-])(?:(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,200}|gh[a-z]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{20,255}|glpat-[A-Za-z0-9_-]{16,200}|xox[a-z]-[A-Za-z0-9-]{10,250}|(?:AKIA|ASIA)[A-Z0-9]{16}|AIza[A-Za-z0-9_-]{35}|ya29\.[A-Za-z0-9_-]{20,500}|npm_[A-Za-z0-9]{30,50}|hf_[A-Za-z0-9]{20,60}|SG\.[A-Za-z0-9_-]{16,40}\.[A-Za-z0-9_-]{16,80}|eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{8,2000})/g;
const PEM_START = /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----/g;
const PEM_END = /-----END [A-Z ]{0,30}PRIVATE KEY-----/g;

function findKeys(text: string): FoundText[] {
  const found = Array.from(text.matchAll(KEYS), ({ 0: key, index }) => ({ start: index, end: index + key.length }));
  PEM_START.lastIndex = 0;
  for (let begun = PEM_START.exec(text); begun !== null; begun = PEM_START.exec(text)) {
    PEM_END.lastIndex = PEM_START.lastIndex;
    // A key whose end is missing reaches to the end of the text.
    const end = PEM_END.exec(text) === null ? text.length : PEM_END.lastIndex;
    found.push({ start: begun.index, end });
    PEM_START.lastIndex = end;
  }
  return found.sort((left, right) => left.start - right.start);
}

/** @param found in their order, without overlaps */
export function replaceFound(text: string, found: readonly FoundText[], marker: string): string {
  if (found.length === 0) return text;
  const parts: string[] = [];
  let at = 0;
  for (const { start, end } of found) {
    parts.push(text.slice(at, start), marker);
    at = end;
  }
  parts.push(text.slice(at));
  return parts.join("");
}
