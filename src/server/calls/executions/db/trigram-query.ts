import { isInvisible, isPlain, isSymbol, type TextPattern, toCode, toForms } from "./text-pattern";

/** The number of trigrams that identify a text; each costs a list of rows. */
const MAX_TRIGRAMS = 64;

/**
 * A query of the trigram table for the rows that may have a text, and perhaps others: each stored form of the text has its
 * trigrams, which a row must have all of.
 * @param pickRare drops trigrams of a text that most rows have, since reading the list of each takes longer than it saves
 */
export function toTrigramQuery(
  pattern: TextPattern,
  pickRare: (trigrams: readonly string[]) => readonly string[] = (trigrams) => trigrams,
): string {
  const { text, given, isPlain: isSimple } = pattern;
  const toQuery = (runs: readonly string[]): string => allOf(pickRare(listTrigrams(runs)));
  if (isSimple) return toQuery([text]);
  const hasLetters = [...text].some((character) => character > "\u007f");
  const composed = toQuery(splitRuns(given));
  const forms = hasLetters ? [composed, toQuery(splitRuns(given.normalize("NFD"))), toEscapedQuery(text)] : [composed];
  const exact = forms.includes("") ? [...new Set([given, text])].flatMap(listEncodings) : [];
  const queries = [...forms, ...exact.map((encoded) => allOf(listTrigrams([encoded])))];
  return [...new Set(queries.filter((query) => query !== ""))].map((query) => `(${query})`).join(" OR ");
}

/** Parts of a text that stand together in each stored form that does not escape letters. */
function splitRuns(text: string): string[] {
  const runs = [""];
  for (const character of text) {
    const isApart = isInvisible(character) || (character <= "\u007f" && !isPlain(character));
    if (!isApart) runs.push(`${runs.pop() ?? ""}${character}`);
    if (isApart || isSymbol(character)) runs.push("");
  }
  return runs;
}

/** For writers that escape every letter outside of ASCII. */
function toEscapedQuery(text: string): string {
  const runs = [""];
  const letters = new Set<string>();
  for (const character of text) {
    if (isPlain(character)) runs.push(`${runs.pop() ?? ""}${character}`);
    else runs.push("");
    if (character > "\u007f") letters.add(character);
  }
  const codes = [...letters].slice(0, MAX_TRIGRAMS / 4).map((letter) => {
    const forms = toForms(letter).map((form) =>
      allOf(listTrigrams(form.split("").map((unit) => (unit > "\u007f" ? toCode(unit) : "")))),
    );
    return `(${[...new Set(forms.filter((form) => form !== ""))].map((form) => `(${form})`).join(" OR ")})`;
  });
  return [allOf(listTrigrams(runs)), ...codes].filter((part) => part !== "").join(" AND ");
}

/**
 * The text's encodings: unchanged, as JSON, as JSON whose writer escapes quotation marks as `\u0022`, and the last two
 * in JSON again.
 */
function listEncodings(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1);
  const coded = json.replaceAll(/\\?["<>&'+=/`]/g, (found) => `\\${toCode(found.slice(-1))}`);
  const again = [json, coded].map((written) => JSON.stringify(written).slice(1, -1));
  return [text, json, coded, ...again];
}

function listTrigrams(runs: readonly string[]): string[] {
  const trigrams = new Set<string>();
  for (const run of runs) {
    const characters = [...run];
    for (let start = 0; start + 3 <= characters.length; start += 1) {
      trigrams.add(characters.slice(start, start + 3).join(""));
    }
  }
  const all = [...trigrams];
  const step = all.length / MAX_TRIGRAMS;
  return step <= 1 ? all : Array.from({ length: MAX_TRIGRAMS }, (_, index) => all[Math.floor(index * step)] ?? "");
}

function allOf(trigrams: readonly string[]): string {
  return trigrams.map(quoteTrigram).join(" AND ");
}

const quoteTrigram = (trigram: string): string => `"${trigram.replaceAll('"', '""')}"`;
