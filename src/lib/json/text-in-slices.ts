import { TimeSlice } from "../time-slice";
import { findStringEnd, isJsonSpace, skipSpace } from "./json-text";

/** Characters between two looks at the clock. */
const STEP_CHARS = 65_536;
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

type Slice = Pick<TimeSlice, "pause">;

/** Valid JSON text without the spaces between its parts, on one line; every other byte stays. */
export async function compactInSlices(text: string, slice: Slice = new TimeSlice()): Promise<string> {
  return (await compactValue(text, skipSpace(text, 0), slice)).text;
}

/** The value at `start` of a valid JSON text. */
export async function compactValue(text: string, start: number, slice: Slice): Promise<{ text: string; end: number }> {
  let parts: string[] = [];
  let compact = "";
  let from = start;
  let at = start;
  let depth = 0;
  let lookAt = start + STEP_CHARS;
  for (;;) {
    const code = text.charCodeAt(at);
    if (depth === 0 && (code === COMMA || CLOSING.has(code) || Number.isNaN(code))) break;
    if (code === QUOTE) at = findStringEnd(text, at);
    else if (isJsonSpace(code)) {
      parts.push(text.slice(from, at));
      at = skipSpace(text, at);
      from = at;
    } else {
      if (OPENING.has(code)) depth += 1;
      else if (CLOSING.has(code)) depth -= 1;
      at += 1;
    }
    if (at < lookAt) continue;
    lookAt = at + STEP_CHARS;
    // Millions of parts would be joined in one turn.
    compact += parts.join("");
    parts = [];
    await slice.pause();
  }
  parts.push(text.slice(from, at));
  return { text: compact + parts.join(""), end: at };
}

/** Quotes a string as `JSON.stringify` does, in slices. */
export async function quoteInSlices(text: string, slice: Slice = new TimeSlice()): Promise<string> {
  if (text.length <= STEP_CHARS) return JSON.stringify(text);
  const parts: string[] = [];
  for (let at = 0; at < text.length; ) {
    let end = Math.min(at + STEP_CHARS, text.length);
    // Half a surrogate pair would be escaped.
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end += 1;
    parts.push(JSON.stringify(text.slice(at, end)).slice(1, -1));
    at = end;
    await slice.pause();
  }
  return `"${parts.join("")}"`;
}

const isHighSurrogate = (code: number): boolean => code >= 0xd8_00 && code <= 0xdb_ff;
