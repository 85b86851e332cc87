// Parses configurations as users paste them. It is a process, since the YAML parser recurses and can end it: V8 aborts
// while it compiles a regular expression at the end of the stack.
import { type ParseError, parse, printParseErrorCode, visit as visitJson } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import { isScalar, parseDocument, visit } from "yaml";
import { getMessage } from "../../../lib/get-message";
import type { ConfigText, ParsedConfigText } from "../../engine/mcp-ports";
import { serveJobs } from "./serve-jobs";

interface ReadText {
  value: unknown;
  notes: string[];
}

function read({ format, text, bounds }: ConfigText): ParsedConfigText {
  try {
    const { value, notes } = format === "json" ? parseJson(text) : parseMarkup(format, text);
    if (format === "json") notes.push(...noteRepeatedKeys(text));
    if (hasExcessEntries(value, bounds)) return { excess: "entries" };
    const json = JSON.stringify(value);
    return json.length > bounds.maxChars ? { excess: "size" } : { json, notes };
  } catch (error) {
    const message = getMessage(error);
    if (error instanceof RangeError || message.startsWith("Maximum call stack")) return { excess: "depth" };
    // The YAML parser throws it for aliases that expand to too much.
    if (error instanceof ReferenceError) return { excess: "size" };
    return { error: message.replace(/:?\n[\s\S]*|:$/, "").slice(0, 300) };
  }
}

/** @throws RangeError for a value that is too deep, or part of itself */
function hasExcessEntries(value: unknown, bounds: ConfigText["bounds"], depth = 1): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (depth > bounds.maxDepth) throw new RangeError();
  const parts = Object.values(value);
  return parts.length > bounds.maxEntries || parts.some((part) => hasExcessEntries(part, bounds, depth + 1));
}

function parseMarkup(format: "toml" | "yaml", text: string): ReadText {
  if (format === "toml") return { value: parseToml(text), notes: [] };
  // The parser would compare each key with each other one.
  const document = parseDocument(text, { logLevel: "silent", merge: true, uniqueKeys: false });
  for (const error of document.errors) throw error;
  visit(document, {
    Map(_key, { items }) {
      const names = items.map(({ key }) => (isScalar(key) ? key.value : key)).filter((name) => name !== "<<");
      const seen = new Set();
      const repeated = names.find((name) => seen.size === seen.add(name).size);
      if (repeated !== undefined) throw new Error(`the key '${String(repeated).slice(0, 80)}' stands twice in one map`);
    },
  });
  // Without the limit, a few lines of nested aliases would expand to gigabytes.
  return { value: document.toJS({ maxAliasCount: 50 }), notes: [] };
}

/**
 * JSON as users paste it: with comments and trailing commas, a part of a file without its outer braces, or with the
 * typographic quotes of a word processor.
 */
function parseJson(text: string): ReadText {
  try {
    return { value: JSON.parse(text), notes: [] };
  } catch {}
  const whole = parseLoosely(text);
  if (whole.error === undefined) return { value: whole.value, notes: [] };
  const fragment = parseFragment(text);
  if (fragment !== null) return { value: fragment, notes: [] };
  const straight = text.replace(/[“”„‟«»]/g, '"').replace(/[‘’]/g, "'");
  if (straight !== text) {
    const repaired = parseLoosely(straight);
    const value = repaired.error === undefined ? repaired.value : parseFragment(straight);
    if (value !== null) return { value, notes: ["Typographic quotes (“ ”) were read as straight quotes"] };
  }
  throw new Error(describeError(text, whole.error));
}

/** Notes repeated keys: of two members with one name, the last one is read. */
function noteRepeatedKeys(text: string): string[] {
  const repeated = new Set<string>();
  // The text may be a part of a file, without outer braces.
  const open: Set<string>[] = [new Set()];
  visitJson(
    text,
    {
      onObjectBegin: () => void open.push(new Set()),
      onObjectEnd: () => void open.pop(),
      onObjectProperty(name) {
        const names = open.at(-1);
        if (names?.has(name)) repeated.add(name);
        names?.add(name);
      },
    },
    { allowTrailingComma: true },
  );
  return [...repeated]
    .slice(0, MAX_REPEATED)
    .map((name) => `The key '${name.slice(0, 80)}' stands twice in one object: the last one was read`);
}

const MAX_REPEATED = 20;

function parseLoosely(text: string): { value: unknown; error: ParseError | undefined } {
  const errors: ParseError[] = [];
  return { value: parse(text, errors, { allowTrailingComma: true }), error: errors[0] };
}

/** Parses `"files": { … },` as users copy it out of a file; null where the text is not such a part. */
function parseFragment(text: string): unknown {
  const start = text.replace(/^\s*(?:\/\/[^\n]*\s*|\/\*[\s\S]*?\*\/\s*)*/, "");
  if (!start.startsWith('"')) return null;
  const { value, error } = parseLoosely(`{${text}\n}`);
  return error === undefined ? value : null;
}

const EXPLANATIONS: Partial<Record<string, string>> = {
  InvalidSymbol: "this is not JSON; put text in double quotes",
  PropertyNameExpected: "expected a property name in double quotes",
  ValueExpected: "expected a value",
  ColonExpected: "expected a colon",
  CommaExpected: "expected a comma",
  CloseBraceExpected: "expected a closing }",
  CloseBracketExpected: "expected a closing ]",
  EndOfFileExpected: "nothing may follow the end of the object; remove what comes after it",
  UnexpectedEndOfString: "expected a closing quote",
  UnexpectedEndOfComment: "the comment does not end",
  InvalidEscapeCharacter: "this escape is not JSON; write a backslash in a path twice",
  InvalidCharacter: "a line break or control character is inside a text",
};

function describeError(text: string, error: ParseError): string {
  const before = text.slice(0, error.offset);
  const line = before.split("\n").length;
  const column = error.offset - before.lastIndexOf("\n");
  const code = printParseErrorCode(error.error);
  return `line ${line}, column ${column}: ${EXPLANATIONS[code] ?? code}`;
}

serveJobs(read);
