export type JsonTokenKind = "key" | "str" | "num" | "plain";

export interface JsonToken {
  kind: JsonTokenKind;
  text: string;
  /** Offset in the text, which tells tokens apart. */
  at: number;
}

/** A string that is not closed runs to the end: were it no match, every later quote would scan the rest again. */
const TOKEN = /("(?:[^"\\]|\\[\s\S]?)*"?)(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\b(?:true|false|null)\b/g;

/** Cuts text into coloured pieces by its looks alone: broken JSON is coloured as far as it goes, and nothing is lost. */
export function tokenizeJson(text: string): JsonToken[] {
  const tokens: JsonToken[] = [];
  let end = 0;
  const push = (kind: JsonTokenKind, part: string, at: number) => {
    if (part !== "") tokens.push({ kind, text: part, at });
  };
  for (const match of text.matchAll(TOKEN)) {
    const [whole, quoted, colon] = match;
    push("plain", text.slice(end, match.index), end);
    if (quoted === undefined) push("num", whole, match.index);
    else {
      push(colon === undefined ? "str" : "key", quoted, match.index);
      push("plain", colon ?? "", match.index + quoted.length);
    }
    end = match.index + whole.length;
  }
  push("plain", text.slice(end), end);
  return tokens;
}
