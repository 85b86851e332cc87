import { applyEdits, findNodeAtLocation, type JSONPath, modify, type Node, parseTree } from "jsonc-parser";
import { locateFault } from "@/app/_kit/arguments-editor/locate-fault";
import { isPlainObject } from "@/lib/contract/json";
import { getMessage } from "@/lib/get-message";

/**
 * The text of a definition is the truth; the form changes it place by place, so unknown keys, their order and the way
 * numbers are written stay as they are.
 */
const OPTIONS = { formattingOptions: { tabSize: 2, insertSpaces: true, eol: "\n" } };

export type ReadText = { ok: true; value: Record<string, unknown> } | { ok: false; message: string };

/** Returns the fault of a JSON text and its position; null for valid JSON. */
export function jsonFault(text: string): string | null {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    const { line, column, message } = locateFault(text, getMessage(error));
    return `Invalid JSON at line ${line}, column ${column}: ${message}`;
  }
}

export function readDefinition(text: string): ReadText {
  const fault = jsonFault(text);
  if (fault !== null) return { ok: false, message: fault };
  const value: unknown = JSON.parse(text);
  if (!isPlainObject(value)) return { ok: false, message: "The definition must be a JSON object" };
  return { ok: true, value };
}

/** The text with one value changed; `undefined` removes the key. A parent that is no object is replaced. */
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

/** The JSON text at a path, moved to the left margin; null where the path has no value. */
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
