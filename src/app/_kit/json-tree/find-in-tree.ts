import { decodeString, type JsonNode } from "@/lib/json-diff/json-node";
import { childAt, countChildren, ROOT_ID } from "./tree-rows";

/** More matches than this are not counted. */
export const MAX_MATCHES = 1_000;

/** Ids of the rows whose key or value holds a text, in any case, from top to bottom. */
export function findInTree(root: JsonNode, text: string): string[] {
  const wanted = text.trim().toLowerCase();
  const found: string[] = [];
  if (wanted === "") return found;
  const holds = (value: string): boolean => value.toLowerCase().includes(wanted);

  function visit(node: JsonNode, id: string, label: string | number | null): void {
    if (found.length >= MAX_MATCHES) return;
    const count = countChildren(node);
    const value = node.kind === "string" ? decodeString(node.raw) : "raw" in node ? node.raw : null;
    if ((typeof label === "string" && holds(label)) || (value !== null && holds(value))) found.push(id);
    for (let index = 0; index < count; index += 1) {
      const child = childAt(node, index);
      if (child) visit(child.node, `${id}.${index}`, child.label);
    }
  }

  visit(root, ROOT_ID, null);
  return found;
}
