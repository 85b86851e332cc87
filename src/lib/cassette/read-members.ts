import { findStringEnd, isJsonSpace, skipSpace } from "../json/json-text";
import { compactValue } from "../json/text-in-slices";
import type { TimeSlice } from "../time-slice";

const QUOTE = 0x22;
const COMMA = 0x2c;

/** Valid JSON text without the spaces between its parts, on one line; every other byte is unchanged. */
export function compactJson(text: string): string {
  const parts: string[] = [];
  let from = 0;
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = findStringEnd(text, at);
    else if (isJsonSpace(code)) {
      parts.push(text.slice(from, at));
      while (isJsonSpace(text.charCodeAt(at))) at += 1;
      from = at;
    } else at += 1;
  }
  return from === 0 ? text : parts.join("") + text.slice(from);
}

/** The members of a valid JSON text of an object, each as compact text. Long texts are read in slices. */
export async function readMembers(text: string, slice: TimeSlice): Promise<Map<string, string>> {
  const members = new Map<string, string>();
  let at = skipSpace(text, skipSpace(text, 0) + 1);
  while (text.charCodeAt(at) === QUOTE) {
    const keyEnd = findStringEnd(text, at);
    const key = JSON.parse(text.slice(at, keyEnd)) as string;
    const value = await compactValue(text, skipSpace(text, skipSpace(text, keyEnd) + 1), slice);
    members.set(key, value.text);
    at = skipSpace(text, value.end);
    if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1);
  }
  return members;
}
