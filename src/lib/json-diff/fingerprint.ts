import { decodeString, type JsonNode } from "./json-node";

/** Digits that a double always keeps. Longer numbers are compared as text. */
const EXACT_DIGITS = 15;

export interface Fingerprints {
  /** Returns the same number for equal values, regardless of the order of their keys. */
  of(node: JsonNode): number;
}

/** Numbers values by content, children first, so that two subtrees are compared in one step. */
export function createFingerprints(): Fingerprints {
  const byContent = new Map<string, number>();
  const byNode = new WeakMap<JsonNode, number>();

  function of(node: JsonNode): number {
    const known = byNode.get(node);
    if (known !== undefined) return known;
    const content = formatContent(node);
    const id = byContent.get(content) ?? byContent.size;
    byContent.set(content, id);
    byNode.set(node, id);
    return id;
  }

  function formatContent(node: JsonNode): string {
    if (node.kind === "array") return `[${node.items.map(of).join(",")}]`;
    if (node.kind === "object") {
      const parts = node.entries.map((entry) => `${JSON.stringify(entry.key)}:${of(entry.value)}`);
      return `{${parts.sort().join(",")}}`;
    }
    if (node.kind === "number") return `n${canonicalNumber(node.raw)}`;
    return node.kind === "string" ? `s${decodeString(node.raw)}` : node.raw;
  }

  return { of };
}

function canonicalNumber(raw: string): string {
  const digits = raw.replace(/[eE].*$/, "").replace(/\D/g, "").length;
  const value = Number(raw);
  return digits <= EXACT_DIGITS && Number.isFinite(value) ? String(value) : raw;
}
