import { findLineEnd, findLineStart, UneditableText } from "./config-format";

/** A table's header or a pair, with whole lines. */
export interface Statement {
  isHeader: boolean;
  /** All keys that lead to it: those of its table and its own. */
  path: string[];
  /** The keys of the table that it stands in; of a header its own. */
  header: string[];
  start: number;
  end: number;
}

/** The statements of a text that was parsed before, so it is known to be right. */
export function readStatements(text: string): Statement[] {
  const statements: Statement[] = [];
  let header: string[] = [];
  for (let at = skipToStatement(text, 0); at < text.length; at = skipToStatement(text, findLineEnd(text, at))) {
    const start = findLineStart(text, at);
    const isHeader = text[at] === "[";
    if (isHeader) {
      const isList = text.startsWith("[[", at);
      const key = readKey(text, at + (isList ? 2 : 1), "]");
      header = key.keys;
      at = key.end;
    }
    const key = isHeader ? null : readKey(text, at, "=");
    if (key !== null) at = skipValue(text, key.end + 1);
    const end = findLineEnd(text, at);
    statements.push({ isHeader, path: [...header, ...(key?.keys ?? [])], header, start, end });
    at = Math.max(at, end - 1);
  }
  return statements;
}

/** Over blank lines and comments. */
function skipToStatement(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    if (text[at] === "#") at = findLineEnd(text, at);
    else if (/\s/.test(text[at] ?? "")) at += 1;
    else break;
  }
  return at;
}

/** A dotted key up to the character that ends it. */
function readKey(text: string, from: number, closing: string): { keys: string[]; end: number } {
  const keys: string[] = [];
  let at = from;
  while (at < text.length && text[at] !== closing) {
    const sign = text[at] ?? "";
    if (sign === '"' || sign === "'") {
      const end = skipString(text, at);
      keys.push(sign === "'" ? text.slice(at + 1, end - 1) : readBasicString(text.slice(at, end)));
      at = end;
    } else if (/[\s.]/.test(sign)) at += 1;
    else {
      const bare = /^[^\s.=\]"']+/.exec(text.slice(at, at + 1000))?.[0] ?? sign;
      keys.push(bare);
      at += bare.length;
    }
  }
  return { keys, end: at };
}

function readBasicString(quoted: string): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    throw new UneditableText(`has a key that is not read: ${quoted.slice(0, 80)}`);
  }
}

/** The end of a value, before a comment. */
function skipValue(text: string, from: number): number {
  let depth = 0;
  let at = from;
  while (at < text.length) {
    const sign = text[at];
    if (sign === '"' || sign === "'") {
      at = skipString(text, at);
      continue;
    }
    if (sign === "#") {
      at = findLineEnd(text, at) - 1;
      if (text[at] !== "\n") return text.length;
    }
    if (text[at] === "\n" && depth === 0) return at;
    if (sign === "[" || sign === "{") depth += 1;
    if (sign === "]" || sign === "}") depth -= 1;
    at += 1;
  }
  return at;
}

function skipString(text: string, from: number): number {
  const sign = text[from] ?? "";
  const isLong = text.startsWith(sign.repeat(3), from);
  const closing = isLong ? sign.repeat(3) : sign;
  let at = from + closing.length;
  while (at < text.length && !text.startsWith(closing, at)) at += sign === '"' && text[at] === "\\" ? 2 : 1;
  at += closing.length;
  // A long string may end in two more quotes of its own.
  while (isLong && text[at] === sign) at += 1;
  return at;
}

export function writeKey(keys: readonly string[]): string {
  return keys.map((key) => (/^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key))).join(".");
}
