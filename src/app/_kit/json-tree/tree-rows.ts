import { decodeString, type JsonNode } from "@/lib/json-diff/json-node";

/** The open nodes: containers by id, children shown of large ones, long strings in full. Ids are positions: `0.2.1`. */
interface TreeOpening {
  open: ReadonlySet<string>;
  shown: ReadonlyMap<string, number>;
}

interface RowPlace {
  id: string;
  level: number;
  position: number;
  siblings: number;
  parentId: string | null;
}

export interface ValueRow extends RowPlace {
  type: "value";
  node: JsonNode;
  /** Key, index, or null for the root. */
  label: string | number | null;
  /** The path of the row: `$.items[2].price`. */
  path: string;
  /** Null where there is nothing to open. */
  expanded: boolean | null;
}

/** Stands for the children of a large container that are not shown yet. */
interface MoreRow extends RowPlace {
  type: "more";
  hidden: number;
}

export type TreeRow = ValueRow | MoreRow;

export const ROOT_ID = "0";
/** Children of one container shown at once. */
export const PAGE_SIZE = 100;
/** Characters of a string shown until it is opened. */
export const CLIP_CHARS = 200;

export function listVisibleRows(root: JsonNode, opening: TreeOpening): TreeRow[] {
  const rows: TreeRow[] = [];
  appendRows(rows, root, opening, { id: ROOT_ID, level: 1, position: 1, siblings: 1, parentId: null }, null, "$");
  return rows;
}

function appendRows(
  rows: TreeRow[],
  node: JsonNode,
  opening: TreeOpening,
  place: RowPlace,
  label: string | number | null,
  path: string,
): void {
  const expanded = isExpandable(node) ? opening.open.has(place.id) : null;
  rows.push({ type: "value", ...place, node, label, path, expanded });
  const total = countChildren(node);
  if (!expanded || total === 0) return;
  const shown = Math.min(total, opening.shown.get(place.id) ?? PAGE_SIZE);
  const siblings = shown < total ? shown + 1 : total;
  const level = place.level + 1;
  for (let index = 0; index < shown; index += 1) {
    const child = childAt(node, index);
    if (!child) continue;
    const childPlace = { id: `${place.id}.${index}`, level, position: index + 1, siblings, parentId: place.id };
    appendRows(rows, child.node, opening, childPlace, child.label, path + pathStep(child.label));
  }
  if (shown < total) {
    const morePlace = { id: `${place.id}.more`, level, position: siblings, siblings, parentId: place.id };
    rows.push({ type: "more", ...morePlace, hidden: total - shown });
  }
}

/** `.price`, `[2]`, or `["odd key"]`. */
function pathStep(label: string | number): string {
  if (typeof label === "number") return `[${label}]`;
  return /^[A-Za-z_$][\w$]*$/.test(label) ? `.${label}` : `[${JSON.stringify(label)}]`;
}

export function countChildren(node: JsonNode): number {
  if (node.kind === "object") return node.entries.length;
  return node.kind === "array" ? node.items.length : 0;
}

function isExpandable(node: JsonNode): boolean {
  return countChildren(node) > 0 || (node.kind === "string" && node.raw.length > CLIP_CHARS);
}

export function childAt(node: JsonNode, index: number): { node: JsonNode; label: string | number } | null {
  if (node.kind === "object") {
    const entry = node.entries[index];
    return entry ? { node: entry.value, label: entry.key } : null;
  }
  const item = node.kind === "array" ? node.items[index] : undefined;
  return item ? { node: item, label: index } : null;
}

/** Ids of containers to open, nearest to the root first, until about `maxRows` rows are in sight. */
export function openUntil(root: JsonNode, maxRows: number): Set<string> {
  const open = new Set<string>();
  const queue: { node: JsonNode; id: string }[] = [{ node: root, id: ROOT_ID }];
  let rows = 1;
  for (const { node, id } of queue) {
    const children = Math.min(countChildren(node), PAGE_SIZE);
    if (children === 0) continue;
    if (id !== ROOT_ID && rows + children > maxRows) continue;
    open.add(id);
    rows += children;
    for (let index = 0; index < children; index += 1) {
      const child = childAt(node, index);
      if (child && countChildren(child.node) > 0) queue.push({ node: child.node, id: `${id}.${index}` });
    }
  }
  return open;
}

const IMAGE_DATA = /^data:image\/(?:png|jpeg|gif|webp|avif);base64,[A-Za-z0-9+/=\s]+$/;

/** The data URL of a picture of a kind that cannot carry a script, else null. */
export function imageDataUrl(node: JsonNode): string | null {
  if (node.kind !== "string" || !node.raw.startsWith('"data:image/')) return null;
  const value = decodeString(node.raw);
  return IMAGE_DATA.test(value) ? value : null;
}
