import { isPlainObject, type JsonValue } from "../../../lib/contract/json";

/** Quoted text or JSON: nothing inside it separates requests or names a tool. */
export interface Literal {
  /** The value as it was written. */
  raw: string;
  value: JsonValue;
}

export interface MaskedText {
  /** Blanks collapsed; each literal replaced by its index between two private-use characters. */
  text: string;
  literals: Literal[];
}

const OPEN = "\uE000";
const CLOSE = "\uE001";
const PRIVATE = /[\uE000\uE001]/g;
const MASK = /\uE000(\d+)\uE001/g;
const OPENING = /[[{"'`“]/g;
const QUOTED = /"([^"]+)"|'([^']+)'(?![\p{L}\p{N}])|`([^`]+)`|“([^”]+)”/uy;
/** Each attempt to read a literal may scan the rest of the text. */
const MAX_ATTEMPTS = 200;
const MAX_DEPTH = 64;

export function maskLiterals(given: string): MaskedText {
  const source = given.replace(PRIVATE, " ");
  const literals: Literal[] = [];
  let text = "";
  let end = 0;
  let attempts = 0;
  for (const { index } of source.matchAll(OPENING)) {
    if (index < end) continue;
    attempts += 1;
    if (attempts > MAX_ATTEMPTS) break;
    const literal = readLiteral(source, index);
    if (literal === null) continue;
    text += `${source.slice(end, index)}${OPEN}${literals.length}${CLOSE}`;
    literals.push(literal);
    end = index + literal.raw.length;
  }
  text += source.slice(end);
  return { text: text.replace(/[^\S\n]+/g, " ").replace(/ ?\n\s*/g, "\n"), literals };
}

/** The text with its literals in their original form. */
export function unmask(masked: string, literals: readonly Literal[]): string {
  return masked.replace(MASK, (_, index: string) => literals[Number(index)]?.raw ?? "");
}

/** The first JSON object in a masked text. */
export function findObject(masked: string, literals: readonly Literal[]): Literal | undefined {
  return [...masked.matchAll(MASK)]
    .flatMap(([, index]) => literals[Number(index)] ?? [])
    .find(({ value }) => isPlainObject(value));
}

/** The literal that a masked text consists of. */
export function asLiteral(masked: string, literals: readonly Literal[]): Literal | undefined {
  const [, index] = /^\uE000(\d+)\uE001$/.exec(masked) ?? [];
  return index === undefined ? undefined : literals[Number(index)];
}

function readLiteral(source: string, at: number): Literal | null {
  if (source[at] === "{" || source[at] === "[") return readJson(source, at);
  // An apostrophe inside a word opens nothing.
  if (/[\p{L}\p{N}]/u.test(source[at - 1] ?? "")) return null;
  QUOTED.lastIndex = at;
  const match = QUOTED.exec(source);
  return match === null ? null : { raw: match[0], value: match[0].slice(1, -1) };
}

function readJson(source: string, at: number): Literal | null {
  const raw = source.slice(at, findClosingBracket(source, at) + 1);
  try {
    return { raw, value: JSON.parse(raw) as JsonValue };
  } catch {
    return null;
  }
}

/** -1 where no bracket closes it, or where it is nested too deeply. */
function findClosingBracket(source: string, from: number): number {
  let depth = 0;
  for (const { 0: token, index } of source.slice(from).matchAll(/"(?:[^"\\]|\\.)*"|[[{]|[\]}]/gs)) {
    if (token === "{" || token === "[") depth += 1;
    else if (token === "}" || token === "]") depth -= 1;
    if (depth === 0) return from + index;
    if (depth > MAX_DEPTH) return -1;
  }
  return -1;
}
