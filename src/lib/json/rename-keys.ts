import { findStringEnd, skipSpace } from "./json-text";

const QUOTE = 0x22;
const COLON = 0x3a;

/** JSON text with other keys, at every depth; everything else stays as it is written. The text must be valid JSON. */
export function renameKeys(text: string, names: ReadonlyMap<string, string>): string {
  const parts: string[] = [];
  let copied = 0;
  for (let at = 0; at < text.length; ) {
    if (text.charCodeAt(at) !== QUOTE) {
      at += 1;
      continue;
    }
    const end = findStringEnd(text, at);
    const name =
      text.charCodeAt(skipSpace(text, end)) === COLON
        ? names.get(JSON.parse(text.slice(at, end)) as string)
        : undefined;
    if (name !== undefined) {
      parts.push(text.slice(copied, at), JSON.stringify(name));
      copied = end;
    }
    at = end;
  }
  return copied === 0 ? text : parts.join("") + text.slice(copied);
}
