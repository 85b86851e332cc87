import { type Document, isMap, isScalar, isSeq, type Node, type Pair, parseDocument, stringify } from "yaml";
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

/** YAML whose servers are written in separate lines. */
export const YAML_CONFIG: ConfigFormat = {
  parse: (text) => readDocument(text).toJS({ maxAliasCount: 50 }) as unknown,

  listServers(text, path) {
    const document = readDocument(text);
    if (!isMap(findNode(document, path)) && !isSeq(findNode(document, path))) return null;
    let value: unknown = document.toJS({ maxAliasCount: 50 });
    for (const key of path) value = isPlainObject(value) ? value[key] : undefined;
    if (Array.isArray(value)) {
      return value.map((item: unknown) => {
        const name = isPlainObject(item) ? item.name : undefined;
        return { name: typeof name === "string" ? name : null, value: item };
      });
    }
    const section = value as Record<string, unknown>;
    return findBlocks(text, path).map(({ name }) => ({ name, value: name === null ? undefined : section[name] }));
  },

  writeServer(text, path, at, { name, value }) {
    const block = getBlock(findBlocks(text, path), at);
    const written = block.name === null ? [value] : { [name]: value };
    const lines = stringify(written, { indent: block.unit, lineWidth: 0 }).trimEnd().split("\n");
    return lines.map((line) => block.indent + line).join(findEol(text));
  },

  quoteServers(text, path, positions) {
    const blocks = findBlocks(text, path);
    return positions.map((at) => {
      const { start, end } = getBlock(blocks, at);
      return text.slice(start, end).trimEnd();
    });
  },

  replaceServers(text, path, positions, written) {
    const blocks = findBlocks(text, path);
    const [first, ...others] = [...positions].sort((left, right) => left - right).map((at) => getBlock(blocks, at));
    if (first === undefined) return [];
    const eol = findEol(text);
    const ending = /\r?\n$/.exec(text.slice(first.start, first.end))?.[0] ?? "";
    const lines = written.map((item) => shiftLines(item, first.indent, eol));
    const edits: Edit[] = others.map(({ start, end }) => ({ start, end, text: "" }));
    const replacement = lines.length === 0 ? "" : lines.join(eol) + ending;
    return [{ start: first.start, end: first.end, text: replacement }, ...edits];
  },
};

/** The lines of one server. */
interface Block {
  /** The server's name; null in a list. */
  name: string | null;
  start: number;
  end: number;
  indent: string;
  /** The spaces of one level of indentation. */
  unit: number;
}

function readDocument(text: string): Document {
  const document = parseDocument(text, { logLevel: "silent", merge: true });
  const [error] = document.errors;
  if (error !== undefined) {
    const line = error.linePos?.[0].line;
    throw new Error(`${line === undefined ? "" : `line ${line}: `}${error.message.replace(/ at line[\s\S]*$/, "")}`);
  }
  return document;
}

const findNode = (document: Document, path: SectionPath): unknown => document.getIn(path, true);

function findBlocks(text: string, path: SectionPath): Block[] {
  const section = findNode(readDocument(text), path);
  if (!isMap(section) && !isSeq(section)) {
    throw new UneditableText(`has no section ${path.join(".")} any more`);
  }
  if (section.flow === true) {
    throw new UneditableText("has its servers between brackets: give each lines of its own");
  }
  return section.items.map((item) =>
    isMap(section) ? toMapBlock(text, item as Pair) : toListBlock(text, item as Node),
  );
}

function toMapBlock(text: string, { key, value }: Pair): Block {
  const from = (key as Node | null)?.range?.[0];
  if (!isScalar(key) || from === undefined) throw new UneditableText("has a key that is not read");
  const start = findLineStart(text, from);
  const indent = text.slice(start, from);
  if (!isBlank(indent)) throw new UneditableText("has servers that share a line: give each lines of its own");
  const [inner] = isMap(value) ? value.items : [];
  const column = getColumn(text, (inner?.key as Node | undefined)?.range?.[0]);
  const unit = column === null || column <= indent.length ? 2 : column - indent.length;
  return { name: String(key.value), start, end: findBlockEnd(text, value ?? key), indent, unit };
}

function toListBlock(text: string, item: Node): Block {
  const from = item.range?.[0] ?? 0;
  const start = findLineStart(text, from);
  const [, indent] = /^([ \t]*)-[ \t]+$/.exec(text.slice(start, from)) ?? [];
  if (indent === undefined) throw new UneditableText("has servers that share a line: give each lines of its own");
  return { name: null, start, end: findBlockEnd(text, item), indent, unit: 2 };
}

function getColumn(text: string, at: number | undefined): number | null {
  return at === undefined ? null : at - findLineStart(text, at);
}

/** The end of the last line that a node has something on. */
function findBlockEnd(text: string, node: unknown): number {
  const end = findEnd(node);
  return end > 0 && text[end - 1] === "\n" ? end : findLineEnd(text, end);
}

function findEnd(node: unknown): number {
  if ((isMap(node) || isSeq(node)) && node.flow !== true && node.items.length > 0) {
    const last = node.items.at(-1);
    if (isSeq(node)) return findEnd(last);
    const { key, value } = last as Pair;
    return Math.max(findEnd(key), findEnd(value));
  }
  return (node as Node | null)?.range?.[1] ?? 0;
}

function getBlock(blocks: readonly Block[], at: number): Block {
  const block = blocks[at];
  if (block === undefined) throw new UneditableText("has fewer servers than before");
  return block;
}

/** Lines at another indentation; what is nested in them moves with them. */
function shiftLines(written: string, indent: string, eol: string): string {
  const lines = written.split(/\r?\n/);
  const own = /^[ \t]*/.exec(lines[0] ?? "")?.[0] ?? "";
  return lines.map((line) => (line.startsWith(own) ? indent + line.slice(own.length) : line)).join(eol);
}
