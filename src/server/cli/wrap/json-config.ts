import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import {
  type ConfigFormat,
  type Edit,
  findEol,
  findLineStart,
  getIndent,
  isBlank,
  type SectionPath,
  UneditableText,
} from "./config-format";

/** JSON with comments and trailing commas, which most clients read. */
export const JSON_CONFIG: ConfigFormat = {
  parse: (text) => getNodeValue(readTree(text)),

  listServers(text, path) {
    const section = findSection(text, path);
    if (section === null) return null;
    return listItems(section).map((item) => {
      if (item.type === "property") {
        const [key, value] = item.children ?? [];
        return { name: String(key?.value), value: value === undefined ? undefined : getNodeValue(value) };
      }
      const value: unknown = getNodeValue(item);
      const name = typeof value === "object" && value !== null ? (value as { name?: unknown }).name : undefined;
      return { name: typeof name === "string" ? name : null, value };
    });
  },

  writeServer(text, path, at, { name, value }) {
    const section = needSection(text, path);
    const item = getItem(listItems(section), at);
    const write = (indent: string | number) => JSON.stringify(value, null, indent);
    const isOwnLine = isBlank(text.slice(findLineStart(text, item.offset), item.offset));
    const indent = getIndent(text, item.offset);
    const written = isOwnLine
      ? write(findUnit(text, section, indent)).replaceAll("\n", findEol(text) + indent)
      : write(0);
    return item.type === "property" ? `${JSON.stringify(name)}: ${written}` : written;
  },

  quoteServers(text, path, positions) {
    const items = listItems(needSection(text, path));
    return positions.map((at) => {
      const { offset, length } = getItem(items, at);
      return text.slice(offset, offset + length);
    });
  },

  replaceServers(text, path, positions, written) {
    const items = listItems(needSection(text, path));
    const [first] = [...positions].sort((left, right) => left - right);
    if (first === undefined) return [];
    const commas = items.map((item, index) => findComma(text, item, items[index + 1]));
    const isRemoved = (index: number): boolean => positions.has(index) && (index !== first || written.length === 0);
    const edits: Edit[] = [];
    for (const [index, { offset, length }] of items.entries()) {
      if (isRemoved(index)) edits.push(...removeItem(text, offset, offset + length, commas[index] ?? null));
    }
    const anchor = getItem(items, first);
    if (written.length > 0) {
      const separator = `,${findEol(text)}${getIndent(text, anchor.offset)}`;
      edits.push({ start: anchor.offset, end: anchor.offset + anchor.length, text: written.join(separator) });
    }
    // The last item had no comma, so the new last one must have none.
    const last = items.length - 1;
    const left = items.findLastIndex((_, index) => !isRemoved(index));
    const comma = left < 0 || left === last || commas[last] !== null ? null : (commas[left] ?? null);
    if (comma !== null) edits.push({ start: comma, end: comma + 1, text: "" });
    return edits;
  },
};

/** A file may have megabytes and many sections, which are read one after the other. */
let lastRead: { text: string; tree: Node } | null = null;

function readTree(text: string): Node {
  if (lastRead?.text === text) return lastRead.tree;
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined || tree === undefined) {
    const line = text.slice(0, error?.offset ?? 0).split("\n").length;
    const code = error === undefined ? "nothing stands there" : printParseErrorCode(error.error);
    throw new Error(`line ${line}: ${code.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`).toLowerCase()}`);
  }
  lastRead = { text, tree };
  return tree;
}

function findSection(text: string, path: SectionPath): Node | null {
  const tree = readTree(text);
  const section = findNodeAtLocation(tree, [...path]);
  if (section?.type !== "object" && section?.type !== "array") return null;
  for (let node: Node | undefined = section; node !== undefined; node = node.parent) rejectRepeatedKeys(node);
  return section;
}

function needSection(text: string, path: SectionPath): Node {
  const section = findSection(text, path);
  if (section === null) throw new UneditableText(`has no section ${path.join(".")} any more`);
  return section;
}

/** Rejects repeated keys, since programs disagree about which value counts. */
function rejectRepeatedKeys(node: Node): void {
  if (node.type !== "object") return;
  const seen = new Set<unknown>();
  for (const { children: [key] = [] } of node.children ?? []) {
    if (seen.size === seen.add(key?.value).size) {
      throw new UneditableText(`has the key "${String(key?.value).slice(0, 80)}" twice in one object`);
    }
  }
}

const listItems = (section: Node): Node[] => section.children ?? [];

function getItem(items: readonly Node[], at: number): Node {
  const item = items[at];
  if (item === undefined) throw new UneditableText("has fewer servers than before");
  return item;
}

/** One level of indentation in the section. */
function findUnit(text: string, section: Node, indent: string): string {
  const outer = getIndent(text, section.offset);
  return indent.startsWith(outer) && indent.length > outer.length ? indent.slice(outer.length) : "  ";
}

/** Finds the comma after an item and skips comments; null where there is none. */
function findComma(text: string, item: Node, next: Node | undefined): number | null {
  const end = next?.offset ?? text.length;
  for (let at = item.offset + item.length; at < end; at += 1) {
    const two = text.slice(at, at + 2);
    if (two === "//") at = (text.indexOf("\n", at) + 1 || end) - 1;
    else if (two === "/*") at = text.indexOf("*/", at + 2) + 1;
    else if (text[at] === ",") return at;
    else if (text[at] === "}" || text[at] === "]") return null;
  }
  return null;
}

/** Removes an item with its comma, and its lines where nothing else is on them. Comments beside it stay. */
function removeItem(text: string, start: number, end: number, comma: number | null): Edit[] {
  const isTight = comma !== null && isBlank(text.slice(end, comma));
  const until = isTight ? comma + 1 : end;
  const rest: Edit[] = comma === null || isTight ? [] : [{ start: comma, end: comma + 1, text: "" }];
  const line = findLineStart(text, start);
  const after = /^[ \t]*(?=\r?\n|$)/.exec(text.slice(until));
  if (after !== null && line > 0 && isBlank(text.slice(line, start))) {
    const lineBreak = text[line - 2] === "\r" ? 2 : 1;
    return [{ start: line - lineBreak, end: until + after[0].length, text: "" }, ...rest];
  }
  const spaces = /^[ \t]*/.exec(text.slice(until))?.[0].length ?? 0;
  return [{ start, end: isTight ? until + spaces : until, text: "" }, ...rest];
}
