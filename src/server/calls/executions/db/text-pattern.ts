import { toSearchable } from "../../../platform/db/sqlite/searchable-text";

/**
 * A text that calls are searched for. Stored texts are JSON as programs wrote it, so one character stands there in several ways:
 * itself, escaped (`\"`, `\u00fc`), escaped again in JSON within JSON, or decomposed.
 */
export interface TextPattern {
  /** Every program writes all of its characters unescaped: `LIKE` is enough. */
  isPlain: boolean;
  /** For `LIKE`, with `!` as the escape character. */
  like: string;
  /** As `like`, for a part of the text that each encoding has unchanged. */
  likePart: string;
  /** A regular expression for JavaScript and PostgreSQL, without case. */
  source: string;
  /** The search text in composed form, and without its invisible characters. */
  given: string;
  text: string;
}

/** The characters that no JSON writer escapes: others write `<`, `&`, `'`, `+`, `=` and `/` in two ways. */
const PLAIN = /^[A-Za-z0-9 .,:;_()[\]{}!?@#$%^*|~-]$/;
/** Characters without width, which programs add and drop. U+FE0F chooses the picture of a symbol. */
const INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufe0f\ufeff";
const ANY_INVISIBLE = String.raw`(?:[${INVISIBLE}]|\\+u(?:00ad|200[bcd]|2060|fe0f|feff))*`;
const LETTERS: Readonly<Record<string, string>> = { "\n": "n", "\t": "t", "\b": "b", "\f": "f" };
const LINE_BREAK = String.raw`\r?\n|\r|\\+n|\\+r\\+n|\\+u000a|\\+u000d\\+u000a`;

export const isPlain = (character: string): boolean => PLAIN.test(character);
export const isInvisible = (character: string): boolean => INVISIBLE.includes(character);

/** Whether invisible characters may follow in a text that does not show them: those of pictures. */
export function isSymbol(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  return code >= 0x1f000 || (code >= 0x2190 && code < 0x2c00);
}

export function createTextPattern(text: string): TextPattern {
  const given = toSearchable(text).replaceAll(/\r\n?/g, "\n").normalize("NFC");
  const visible = [...given].filter((character) => !isInvisible(character)).join("");
  return {
    isPlain: [...given].every(isPlain),
    like: toLike(given),
    likePart: toLike(findPlainRun(given)),
    source: toSource(given),
    given,
    text: visible,
  };
}

const toLike = (text: string): string => `%${text.replaceAll(/[!%_]/g, "!$&")}%`;

/** The longest part of the text that stands as it is in each of its encodings. */
function findPlainRun(given: string): string {
  const runs = [...given]
    .map((character) => (isPlain(character) ? character : "\0"))
    .join("")
    .split("\0");
  return runs.reduce((longest, run) => (run.length > longest.length ? run : longest), "");
}

/**
 * No two repetitions of backslashes follow each other and none begins the expression: both would take long on a text of
 * backslashes alone.
 */
function toSource(given: string): string {
  let source = "";
  let hasBackslash = false;
  let mayHaveInvisible = false;
  for (const character of given) {
    if (character === "\\") hasBackslash = true;
    else if (isInvisible(character)) mayHaveInvisible = true;
    else {
      if (mayHaveInvisible && source !== "") source += ANY_INVISIBLE;
      const run = source === "" ? String.raw`\\` : String.raw`\\+`;
      source += hasBackslash ? `${run}(?:${listEscaped(character).join("|")})` : toPiece(character, run);
      mayHaveInvisible = isSymbol(character);
      hasBackslash = false;
    }
  }
  return hasBackslash || source === "" ? `${source}\\\\` : source;
}

/** A pattern for one character in all of its encodings. */
function toPiece(character: string, run: string): string {
  if (isPlain(character)) return escapeText(character);
  if (character === "\n") return `(?:${LINE_BREAK.replaceAll(String.raw`\\+`, run)})`;
  const forms = toForms(character);
  const written = forms.map((form) => toCodes(form, run));
  const letter = character <= "\u007f" ? [`${run}${LETTERS[character] ?? escapeText(character)}`] : [];
  return `(?:${[...forms.map(escapeText), ...letter, ...written].join("|")})`;
}

/** The characters that may follow the backslashes of a text that has a backslash before this character. */
function listEscaped(character: string): string[] {
  const forms = toForms(character);
  const codes = isPlain(character) ? [] : forms.map((form) => toCodes(form, String.raw`\\+`).replace(/^\\\\\+/, ""));
  const letter = LETTERS[character];
  return [...forms.map(escapeText), ...codes, ...(letter === undefined ? [] : [letter])];
}

/** A character composed and decomposed. Letters other than those of ASCII also in both cases: the expression folds only these. */
export function toForms(character: string): string[] {
  if (character <= "\u007f") return [character];
  const lower = character.toLowerCase();
  const upper = character.toUpperCase();
  const sigmas = lower === "σ" || lower === "ς" ? ["σ", "ς"] : [];
  const cases = [character, lower, upper, upper.toLowerCase(), ...sigmas];
  return [...new Set(cases.flatMap((form) => [form, form.normalize("NFD")]))];
}

/** `\u00fc`, `u\u0308` or `\ud83d\ude00`, each with any number of backslashes. */
function toCodes(form: string, run: string): string {
  const units = form.split("").map((unit, index) => {
    if (isPlain(unit)) return escapeText(unit);
    return `${index === 0 ? run : String.raw`\\+`}${toCode(unit)}`;
  });
  return units.join("");
}

/** The escape's name: `u00fc`. */
export const toCode = (unit: string): string => `u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

const escapeText = (text: string): string => text.replaceAll(/[^A-Za-z0-9\s\u0080-\uffff]/g, "\\$&");

/** Whether a text has the pattern. */
export function createTextTest({ source }: TextPattern): (text: string) => boolean {
  const expression = new RegExp(source, "i");
  return (text) => expression.test(text);
}
