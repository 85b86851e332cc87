import {
  applyEdits,
  findNodeAtLocation,
  type JSONPath,
  modify,
  type Node,
  type ParseError,
  type ParseErrorCode,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import { isPlainObject } from "@/lib/contract/json";
import { messageOf } from "@/lib/message-of";

/**
 * The text of a definition is the truth; the form changes it place by place, so unknown keys, their order and the way
 * numbers are written stay as they are.
 */
const OPTIONS = { formattingOptions: { tabSize: 2, insertSpaces: true, eol: "\n" } };
const STRICT = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false };

export type ReadText = { ok: true; value: Record<string, unknown> } | { ok: false; message: string };

const FAULT_WORDS = new Map<string, string>([
  ["PropertyNameExpected", "a property name in double quotes is expected"],
  ["ValueExpected", "a value is expected"],
  ["ColonExpected", "a colon is expected"],
  ["CommaExpected", "a comma is expected"],
  ["CloseBraceExpected", "a closing brace is missing"],
  ["CloseBracketExpected", "a closing bracket is missing"],
  ["EndOfFileExpected", "nothing may follow the end"],
  ["UnexpectedEndOfString", "a string is not closed"],
  ["InvalidCommentToken", "JSON has no comments"],
  ["InvalidNumberFormat", "the number is not a JSON number"],
  ["InvalidSymbol", "a word that JSON does not know"],
]);

function placeOf(text: string, offset: number): string {
  const lines = text.slice(0, offset).split("\n");
  return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}

/** What is wrong with JSON text and where; null for valid JSON. */
export function jsonFault(text: string): string | null {
  const errors: ParseError[] = [];
  parseTree(text, errors, STRICT);
  const [first] = errors;
  if (first !== undefined) {
    const name = printParseErrorCode(first.error as ParseErrorCode);
    return `not valid JSON at ${placeOf(text, first.offset)}: ${FAULT_WORDS.get(name) ?? name}`;
  }
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    // The tolerant parser lets a few things pass, such as raw control characters.
    return `not valid JSON: ${messageOf(error)}`;
  }
}

export function readDefinition(text: string): ReadText {
  const fault = jsonFault(text);
  if (fault !== null) return { ok: false, message: `The definition is ${fault}` };
  const value: unknown = JSON.parse(text);
  if (!isPlainObject(value)) return { ok: false, message: "The definition must be a JSON object" };
  return { ok: true, value };
}

/** The text with one place changed; `undefined` takes the key out. What stands in the way and is no object gives way. */
export function setValue(text: string, path: JSONPath, value: unknown): string {
  for (let depth = 1; depth < path.length; depth += 1) {
    const node = nodeAt(text, path.slice(0, depth));
    if (node === undefined) break;
    if (node.type === "object") continue;
    if (value === undefined) return text;
    const rest = path.slice(depth).reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
    return setValue(text, path.slice(0, depth), rest);
  }
  return applyEdits(text, modify(text, path, value, OPTIONS));
}

function nodeAt(text: string, path: JSONPath): Node | undefined {
  const root = parseTree(text);
  return root === undefined ? undefined : findNodeAtLocation(root, path);
}

function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  return /^\s*/.exec(line)?.[0] ?? "";
}

/** The JSON text at a place, moved to the left margin; null where there is none. */
export function rawAt(text: string, path: JSONPath): string | null {
  const node = nodeAt(text, path);
  if (node === undefined) return null;
  const indent = indentAt(text, node.offset);
  const raw = text.slice(node.offset, node.offset + node.length);
  // A JSON string holds no line break, so every line start is between tokens.
  return indent === "" ? raw : raw.replaceAll(`\n${indent}`, "\n");
}

/** The text with valid JSON put in at a place, as it was written. */
export function setRaw(text: string, path: JSONPath, raw: string): string {
  const holder = nodeAt(text, path) === undefined ? setValue(text, path, null) : text;
  const node = nodeAt(holder, path);
  if (node === undefined) return text;
  const indented = raw.trim().replaceAll("\n", `\n${indentAt(holder, node.offset)}`);
  return holder.slice(0, node.offset) + indented + holder.slice(node.offset + node.length);
}

/** An own property, found step by step; undefined where the way ends. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  let at = value;
  for (const key of path) {
    if (!isPlainObject(at) || !Object.hasOwn(at, key)) return undefined;
    at = at[key];
  }
  return at;
}
