import type { JsonValue } from "../../../../lib/contract";

/** Quoted text and JSON stand for themselves: nothing inside them separates requests or names a tool. */
export type Literal = { raw: string } & ({ kind: "json"; value: JsonValue } | { kind: "text"; value: string });

export interface MaskedText {
  /** Runs of blanks are one blank, each literal replaced by a word of private-use characters around its index. */
  text: string;
  literals: Literal[];
}

const OPEN = "\uE000";
const CLOSE = "\uE001";
const PRIVATE = /[\uE000\uE001]/g;
export const MASK = /\uE000(\d+)\uE001/g;
/** Of literals, and of brackets that turn out to open none: each costs a look at the rest of the text. */
const MAX_LITERALS = 200;
const MAX_DEPTH = 64;
const OPENING = /[[{"'`“«]/;
const QUOTES = new Map([
  ['"', '"'],
  ["'", "'"],
  ["`", "`"],
  ["“", "”"],
  ["«", "»"],
]);

export function maskLiterals(given: string): MaskedText {
  const source = given.replace(PRIVATE, " ");
  const literals: Literal[] = [];
  let text = "";
  let at = 0;
  let tries = 0;
  while (at < source.length) {
    if (OPENING.test(source[at] ?? "")) tries += 1;
    const literal = tries <= MAX_LITERALS ? literalAt(source, at) : null;
    if (literal === null) {
      text += source[at];
      at += 1;
      continue;
    }
    text += `${OPEN}${literals.length}${CLOSE}`;
    literals.push(literal);
    at += literal.raw.length;
  }
  return { text: text.replace(/[^\S\n]+/g, " ").replace(/ ?\n\s*/g, "\n"), literals };
}

/** The text as it was written. */
export function unmask(masked: string, literals: readonly Literal[]): string {
  return masked.replace(MASK, (_, index: string) => literals[Number(index)]?.raw ?? "");
}

/** The literal that a word stands for, where it is one as a whole. */
export function literalOf(word: string, literals: readonly Literal[]): Literal | null {
  const [, index] = /^\uE000(\d+)\uE001$/.exec(word) ?? [];
  return index === undefined ? null : (literals[Number(index)] ?? null);
}

function literalAt(source: string, at: number): Literal | null {
  const first = source[at] ?? "";
  if (first === "{" || first === "[") return jsonAt(source, at);
  const closing = QUOTES.get(first);
  if (closing === undefined) return null;
  // An apostrophe inside a word opens nothing, and a closing one is followed by no letter.
  if (/[\p{L}\p{N}]/u.test(source[at - 1] ?? "")) return null;
  let end = source.indexOf(closing, at + 1);
  while (end !== -1 && closing === "'" && /[\p{L}\p{N}]/u.test(source[end + 1] ?? "")) {
    end = source.indexOf(closing, end + 1);
  }
  if (end <= at + 1) return null;
  return { kind: "text", value: source.slice(at + 1, end), raw: source.slice(at, end + 1) };
}

function jsonAt(source: string, at: number): Literal | null {
  const end = closingBracket(source, at);
  if (end === null) return null;
  const raw = source.slice(at, end + 1);
  try {
    return { kind: "json", value: JSON.parse(raw) as JsonValue, raw };
  } catch {
    return null;
  }
}

function closingBracket(source: string, from: number): number | null {
  let depth = 0;
  let quoted = false;
  for (let at = from; at < source.length; at += 1) {
    const char = source[at];
    if (quoted) {
      if (char === "\\") at += 1;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === "{" || char === "[") {
      depth += 1;
      if (depth > MAX_DEPTH) return null;
    } else if (char === "}" || char === "]") {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return null;
}
