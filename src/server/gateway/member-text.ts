/** Positions in valid JSON text. Every function is linear in the text that it passes, and none recurses. */
export interface TextSpan {
  start: number;
  end: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** The value of a member of the object at `from`; of duplicate keys the last one, as `JSON.parse` has it. */
export function findMember(text: string, from: number, key: string): TextSpan | null {
  let at = skipSpace(text, from);
  if (text.charCodeAt(at) !== OPEN_BRACE) return null;
  let found: TextSpan | null = null;
  at = skipSpace(text, at + 1);
  while (text.charCodeAt(at) === QUOTE) {
    const keyEnd = findStringEnd(text, at);
    const start = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const end = findValueEnd(text, start);
    if (isKey(text.slice(at, keyEnd), key)) found = { start, end };
    at = skipComma(text, end);
  }
  return found;
}

/** Where the elements of the array at the beginning of a text start. */
export function findElements(text: string): number[] {
  const starts: number[] = [];
  let at = skipSpace(text, skipSpace(text, 0) + 1);
  while (text.charCodeAt(at) !== CLOSE_BRACKET) {
    starts.push(at);
    at = skipComma(text, findValueEnd(text, at));
  }
  return starts;
}

function isKey(quoted: string, key: string): boolean {
  return quoted.includes("\\") ? JSON.parse(quoted) === key : quoted === `"${key}"`;
}

function findValueEnd(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === QUOTE) return findStringEnd(text, start);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return findContainerEnd(text, start);
  let end = start;
  while (end < text.length && !isScalarEnd(text.charCodeAt(end))) end += 1;
  return end;
}

function findContainerEnd(text: string, start: number): number {
  let at = start;
  let depth = 0;
  do {
    const code = text.charCodeAt(at);
    if (code === OPEN_BRACE || code === OPEN_BRACKET) depth += 1;
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth -= 1;
    at = code === QUOTE ? findStringEnd(text, at) : at + 1;
  } while (depth > 0);
  return at;
}

/** @param at the opening quote */
function findStringEnd(text: string, at: number): number {
  for (let end = text.indexOf('"', at + 1); ; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end + 1;
  }
}

function skipComma(text: string, from: number): number {
  const at = skipSpace(text, from);
  return text.charCodeAt(at) === COMMA ? skipSpace(text, at + 1) : at;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function isScalarEnd(code: number): boolean {
  return code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET || isSpace(code);
}
