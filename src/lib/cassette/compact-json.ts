import { findStringEnd, isJsonSpace } from "../json/json-text";

/** Valid JSON text without the spaces between its parts, on one line; every other byte stays. */
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
