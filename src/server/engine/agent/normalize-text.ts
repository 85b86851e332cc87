/** Scripts that put no spaces between words: a word may begin and end anywhere in them. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u;
const IN_A_WORD = /[\p{L}\p{N}\p{M}]/u;
const NOT_IN_A_WORD = /[^\p{L}\p{N}\p{M}]/gu;
const ACCENT = /[\u0300-\u036f]/gu;

/** The meaning of a character in a search for spoken phrases. `accent`: a mark of the letter before it, which is ignored. */
export type LetterKind = "letter" | "accent" | "apostrophe" | "break";

export interface NormalizedCharacter {
  kind: LetterKind;
  /** The character without case, accents and width; may be several characters. Empty unless it is a letter. */
  folded: string;
  /** True for a script without spaces between words. */
  unspaced: boolean;
}

const BREAK: NormalizedCharacter = { kind: "break", folded: "", unspaced: false };
const APOSTROPHE: NormalizedCharacter = { kind: "apostrophe", folded: "", unspaced: false };
const ACCENT_ONLY: NormalizedCharacter = { kind: "accent", folded: "", unspaced: false };

/** Text has few different characters, and folding one is slow. */
const MAX_KNOWN = 4096;
const known = new Map<string, NormalizedCharacter>();

/** `char` is one code point. */
export function normalizeCharacter(char: string): NormalizedCharacter {
  const before = known.get(char);
  if (before !== undefined) return before;
  const letter = fold(char);
  if (known.size < MAX_KNOWN) known.set(char, letter);
  return letter;
}

function fold(char: string): NormalizedCharacter {
  if (char === "'" || char === "\u2019") return APOSTROPHE;
  if (!IN_A_WORD.test(char)) return BREAK;
  // Converts to upper case first, which unites letters that lower case distinguishes: ß and ss, both small sigmas.
  const plain = char.normalize("NFKD").replace(ACCENT, "").toUpperCase().toLowerCase().normalize("NFKD");
  const folded = plain.replace(ACCENT, "").replace(NOT_IN_A_WORD, "");
  return folded === "" ? ACCENT_ONLY : { kind: "letter", folded, unspaced: UNSPACED.test(char) };
}

/** Letters and digits of a phrase alone: what two ways of writing it have in common. */
export function normalizePhrase(phrase: string): string {
  let folded = "";
  for (const char of phrase) folded += normalizeCharacter(char).folded;
  return folded;
}
