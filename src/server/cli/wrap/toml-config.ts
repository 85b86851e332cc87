import { parse } from "smol-toml";
import { isPlainObject } from "../../../lib/contract/json";
import {
  type ConfigFormat,
  type Edit,
  findEol,
  findLineEnd,
  findLineStart,
  isBlank,
  type SectionPath,
  UneditableText,
} from "./config-format";

/** TOML: a server is the tables and pairs whose keys begin with its own. */
export const TOML_CONFIG: ConfigFormat = {
  parse: (text) => {
    try {
      return parse(text);
    } catch (error) {
      const [first = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
      const line = (error as { line?: unknown }).line;
      throw new Error(
        `${typeof line === "number" ? `line ${line}: ` : ""}${first.replace("Invalid TOML document: ", "")}`,
      );
    }
  },

  listServers(text, path) {
    const servers = findTable(text, path);
    return servers === null ? null : Object.entries(servers).map(([name, value]) => ({ name, value }));
  },

  writeServer(text, path, at, { name, value }) {
    const [{ statement }] = needRuns(text, path, [at]);
    const eol = findEol(text);
    const pairs = Object.entries(value).map(([key, each]) => `${writeKey([key])} = ${writeValue(each)}`);
    if (statement.isHeader) return [`[${writeKey([...path, name])}]`, ...pairs].join(eol);
    return `${writeKey([...path, name].slice(statement.header.length))} = { ${pairs.join(", ")} }`;
  },

  quoteServers: (text, path, positions) =>
    positions.map((at) =>
      needRuns(text, path, [at])
        .map(({ start, end }) => text.slice(start, end).trimEnd())
        .join(findEol(text).repeat(2)),
    ),

  replaceServers(text, path, positions, written) {
    const [first, ...others] = needRuns(text, path, [...positions]);
    const eol = findEol(text);
    const ending = /\r?\n$/.exec(text.slice(first.start, first.end))?.[0] ?? "";
    const separator = first.statement.isHeader ? eol + eol : eol;
    const replacement = written.length === 0 ? "" : written.join(separator) + ending;
    return [
      written.length === 0 ? removeRun(text, first) : { start: first.start, end: first.end, text: replacement },
      ...others.map((run) => removeRun(text, run)),
    ];
  },
};

function findTable(text: string, path: SectionPath): Record<string, unknown> | null {
  let found: unknown = parse(text);
  for (const key of path) found = isPlainObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  return isPlainObject(found) ? found : null;
}

/** Lines that belong to one server and follow each other, with comments between them. */
interface Run {
  start: number;
  end: number;
  /** The first statement of the table. */
  statement: Statement;
}

function needRuns(text: string, path: SectionPath, positions: readonly number[]): [Run, ...Run[]] {
  const names = Object.keys(findTable(text, path) ?? {});
  const wanted = new Set(positions.map((at) => names[at]));
  const statements = readStatements(text);
  const runs: Run[] = [];
  let open: Run | null = null;
  let openName: string | undefined;
  for (const statement of statements) {
    const { path: keys, start, end } = statement;
    const isInSection = path.every((key, index) => keys[index] === key);
    if (isInSection && keys.length === path.length && !statement.isHeader) {
      throw new UneditableText(
        `has its servers in one inline table: give each a table such as [${path.join(".")}.name]`,
      );
    }
    const isWanted = isInSection && keys.length > path.length && wanted.has(keys[path.length]);
    const name = keys[path.length];
    if (!isWanted) open = null;
    else if (open !== null && openName === name) open.end = end;
    else {
      open = { start, end, statement };
      openName = name;
      runs.push(open);
    }
  }
  const [first, ...others] = runs;
  if (first === undefined) throw new UneditableText("has fewer servers than before");
  return [first, ...others];
}

/** Removes a run with the blank lines after it. */
function removeRun(text: string, { start, end }: Run): Edit {
  let until = end;
  while (until < text.length && isBlank(text.slice(until, findLineEnd(text, until)))) until = findLineEnd(text, until);
  return { start, end: until, text: "" };
}

/** Strings, numbers and lists of JSON are valid TOML too. */
function writeValue(value: unknown): string {
  if (!isPlainObject(value)) return JSON.stringify(value);
  const pairs = Object.entries(value).map(([key, each]) => `${writeKey([key])} = ${writeValue(each)}`);
  return pairs.length === 0 ? "{}" : `{ ${pairs.join(", ")} }`;
}

/** A table's header or a pair, with whole lines. */
interface Statement {
  isHeader: boolean;
  /** All keys of the path: those of the table and its own. */
  path: string[];
  /** The keys of the table that it stands in; of a header its own. */
  header: string[];
  start: number;
  end: number;
}

/** The statements of a text that was parsed before, so it is known to be right. */
function readStatements(text: string): Statement[] {
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

/** Skips blank lines and comments. */
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

function writeKey(keys: readonly string[]): string {
  return keys.map((key) => (/^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key))).join(".");
}
