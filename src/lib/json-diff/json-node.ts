import { findStringEnd, findValueEnd } from "../json/json-text";
import { hasMoreValuesThan, isTextNestedDeeperThan } from "../json/limits";

/**
 * JSON text as a tree that keeps the digits of large numbers and repeated keys, which `JSON.parse` loses. Keys are data, never
 * property names, so `__proto__` is an ordinary key.
 */
export type JsonNode = JsonObjectNode | JsonArrayNode | JsonScalarNode;

export interface JsonObjectNode extends NodeExtent {
  kind: "object";
  entries: { key: string; value: JsonNode }[];
}

export interface JsonArrayNode extends NodeExtent {
  kind: "array";
  items: JsonNode[];
}

export interface JsonScalarNode extends NodeExtent {
  kind: "string" | "number" | "boolean" | "null";
  /** The value as it stands in the text; strings keep their quotes and escapes. */
  raw: string;
}

interface NodeExtent {
  /** Values in this subtree, itself included. */
  size: number;
  /** Levels below this one; 0 for scalars and empty containers. */
  height: number;
}

type ContainerNode = JsonObjectNode | JsonArrayNode;
interface OpenContainer {
  node: ContainerNode;
  key: string | null;
}

export interface NodeLimits {
  /** Values of the text, its containers included. */
  maxValues?: number;
  maxHeight?: number;
}

/** Null if the text is not JSON, or beyond the limits. Iterative, so that depth is limited by memory and not by the stack. */
export function parseJsonNode(text: string, limits: NodeLimits = {}): JsonNode | null {
  if (isBeyond(text, limits)) return null;
  try {
    JSON.parse(text);
  } catch {
    return null;
  }
  // The text is well formed from here on, so only the positions of tokens matter.
  const open: OpenContainer[] = [];
  let root: JsonNode | null = null;
  let at = 0;

  function attach(node: JsonNode): void {
    const parent = open.at(-1);
    if (!parent) {
      root = node;
      return;
    }
    if (parent.node.kind === "array") parent.node.items.push(node);
    else parent.node.entries.push({ key: parent.key ?? "", value: node });
    parent.key = null;
    parent.node.size += node.size;
    parent.node.height = Math.max(parent.node.height, node.height + 1);
  }

  while (at < text.length) {
    const char = text.charAt(at);
    if (char === "{" || char === "[") {
      open.push({ node: emptyContainer(char), key: null });
      at += 1;
    } else if (char === "}" || char === "]") {
      const closed = open.pop();
      if (closed) attach(closed.node);
      at += 1;
    } else if (char === '"') {
      const end = findStringEnd(text, at);
      const raw = text.slice(at, end);
      const parent = open.at(-1);
      if (parent?.node.kind === "object" && parent.key === null) parent.key = decodeString(raw);
      else attach({ kind: "string", raw, size: 1, height: 0 });
      at = end;
    } else if (isBetweenTokens(char)) {
      at += 1;
    } else {
      const end = findValueEnd(text, at);
      attach(wordNode(text.slice(at, end)));
      at = end;
    }
  }
  return root;
}

/** A node takes up to a microsecond, and its text a few nanoseconds per character: counted before it is parsed. */
const isBeyond = (text: string, { maxValues, maxHeight }: NodeLimits): boolean =>
  (maxValues !== undefined && hasMoreValuesThan(text, maxValues)) ||
  (maxHeight !== undefined && isTextNestedDeeperThan(text, maxHeight));

export function decodeString(raw: string): string {
  const value: unknown = JSON.parse(raw);
  return typeof value === "string" ? value : raw;
}

function emptyContainer(bracket: "{" | "["): ContainerNode {
  return bracket === "{"
    ? { kind: "object", entries: [], size: 1, height: 0 }
    : { kind: "array", items: [], size: 1, height: 0 };
}

function isBetweenTokens(char: string): boolean {
  return char === "," || char === ":" || char === " " || char === "\n" || char === "\r" || char === "\t";
}

function wordNode(raw: string): JsonScalarNode {
  const kind = raw === "null" ? "null" : raw === "true" || raw === "false" ? "boolean" : "number";
  return { kind, raw, size: 1, height: 0 };
}
