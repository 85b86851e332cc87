import type { JsonNode } from "./json-node";

export interface FormattedLine {
  text: string;
  depth: number;
}

/**
 * The indented lines of a value. `before` precedes it on its line (a key), `after` follows it (a comma). Recursive: the
 * caller limits the height.
 */
export function formatLines(node: JsonNode, depth = 0, before = "", after = ""): FormattedLine[] {
  const lines: FormattedLine[] = [];
  appendLines(lines, node, depth, before, after);
  return lines;
}

export function listChildren(node: JsonNode): { before: string; value: JsonNode }[] {
  if (node.kind === "object") {
    return node.entries.map((entry) => ({ before: keyPrefix(entry.key), value: entry.value }));
  }
  return node.kind === "array" ? node.items.map((value) => ({ before: "", value })) : [];
}

const keyPrefix = (key: string): string => `${JSON.stringify(key)}: `;

/** The value alone as indented JSON text. */
export function formatNode(node: JsonNode): string {
  return formatLines(node)
    .map((line) => "  ".repeat(line.depth) + line.text)
    .join("\n");
}

function appendLines(lines: FormattedLine[], node: JsonNode, depth: number, before: string, after: string): void {
  if (node.kind !== "object" && node.kind !== "array") {
    lines.push({ text: before + node.raw + after, depth });
    return;
  }
  const [opening, closing] = node.kind === "object" ? ["{", "}"] : ["[", "]"];
  const children = listChildren(node);
  if (children.length === 0) {
    lines.push({ text: before + opening + closing + after, depth });
    return;
  }
  lines.push({ text: before + opening, depth });
  children.forEach((child, index) => {
    appendLines(lines, child.value, depth + 1, child.before, index < children.length - 1 ? "," : "");
  });
  lines.push({ text: closing + after, depth });
}
