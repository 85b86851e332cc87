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
  const at = skipSpace(text, from);
  if (text.charCodeAt(at) !== OPEN_BRACE) return null;
  let found: TextSpan | null = null;
  walkMembers(text, at, (quotedKey, start) => {
    const end = findValueEnd(text, start);
    if (isKey(quotedKey, key)) found = { start, end };
    return end;
  });
  return found;
}

/** The start of each element of the array at the beginning of a text. */
export function findElements(text: string): number[] {
  const starts: number[] = [];
  walkElements(text, skipSpace(text, 0), (_index, start) => {
    starts.push(start);
    return findValueEnd(text, start);
  });
  return starts;
}

/**
 * Every member of the object at its opening brace, duplicate keys included. Returns where the object ends.
 * @param visit gets the key as written, in quotes, and where its value starts; returns where that ends
 */
export function walkMembers(text: string, open: number, visit: (quotedKey: string, start: number) => number): number {
  let at = skipSpace(text, open + 1);
  while (text.charCodeAt(at) === QUOTE) {
    const keyEnd = findStringEnd(text, at);
    const start = skipSpace(text, skipSpace(text, keyEnd) + 1);
    at = skipComma(text, visit(text.slice(at, keyEnd), start));
  }
  return at + 1;
}

/** Every element of the array at its opening bracket. Returns where the array ends. */
export function walkElements(text: string, open: number, visit: (index: number, start: number) => number): number {
  let at = skipSpace(text, open + 1);
  for (let index = 0; text.charCodeAt(at) !== CLOSE_BRACKET; index += 1) at = skipComma(text, visit(index, at));
  return at + 1;
}

function isKey(quoted: string, key: string): boolean {
  return quoted.includes("\\") ? JSON.parse(quoted) === key : quoted === `"${key}"`;
}

export function findValueEnd(text: string, start: number): number {
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
export function findStringEnd(text: string, at: number): number {
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

export function skipSpace(text: string, from: number): number {
  let at = from;
  while (isJsonSpace(text.charCodeAt(at))) at += 1;
  return at;
}

/** True for the characters that JSON allows as space. */
export function isJsonSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function isScalarEnd(code: number): boolean {
  return code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET || isJsonSpace(code);
}
