import { findCommonPairs } from "./common-pairs";
import type { Fingerprints } from "./fingerprint";
import type { JsonArrayNode, JsonNode, JsonObjectNode } from "./json-node";

/** A position in the merged order: both indexes for a pair of children, one index for a child without a partner. */
export type Aligned =
  | { left: number; right: number }
  | { left: number; right?: undefined }
  | { left?: undefined; right: number };

const MAX_ITEM_EDITS = 1_000;
const MAX_GAP_CELLS = 2_500;
/** Less similar array items are unrelated: one was removed, another added. */
const RELATED = 0.2;

/** Pairs equal items, and between them the most similar ones. */
export function alignItems(left: JsonArrayNode, right: JsonArrayNode, fingerprints: Fingerprints): Aligned[] {
  const leftIds = left.items.map(fingerprints.of);
  const rightIds = right.items.map(fingerprints.of);
  const equal = findCommonPairs(leftIds, rightIds, MAX_ITEM_EDITS) ?? [];
  const aligned: Aligned[] = [];
  let nextLeft = 0;
  let nextRight = 0;
  for (const pair of [...equal, { left: left.items.length, right: right.items.length }]) {
    for (const place of alignGap(left, right, nextLeft, pair.left, nextRight, pair.right, fingerprints)) {
      aligned.push(place);
    }
    if (pair.left < left.items.length) aligned.push(pair);
    nextLeft = pair.left + 1;
    nextRight = pair.right + 1;
  }
  return aligned;
}

function alignGap(
  left: JsonArrayNode,
  right: JsonArrayNode,
  leftFrom: number,
  leftTo: number,
  rightFrom: number,
  rightTo: number,
  fingerprints: Fingerprints,
): Aligned[] {
  const rows = leftTo - leftFrom;
  const columns = rightTo - rightFrom;
  const pairs =
    rows * columns > MAX_GAP_CELLS
      ? Array.from({ length: Math.min(rows, columns) }, (_, index) => ({ left: index, right: index }))
      : bestPairs(rows, columns, (i, j) =>
          similarity(left.items[leftFrom + i], right.items[rightFrom + j], fingerprints),
        );
  const aligned: Aligned[] = [];
  let i = 0;
  let j = 0;
  for (const pair of [...pairs, { left: rows, right: columns }]) {
    while (i < pair.left) aligned.push({ left: leftFrom + i++ });
    while (j < pair.right) aligned.push({ right: rightFrom + j++ });
    if (i < rows && j < columns) aligned.push({ left: leftFrom + i++, right: rightFrom + j++ });
  }
  return aligned;
}

/** Pairs with rising indexes and the highest total similarity. */
function bestPairs(
  rows: number,
  columns: number,
  score: (i: number, j: number) => number,
): { left: number; right: number }[] {
  const width = columns + 1;
  const scores = new Float64Array(rows * columns);
  const best = new Float64Array((rows + 1) * width);
  const bestAt = (i: number, j: number): number => best[i * width + j] ?? 0;
  for (let i = rows - 1; i >= 0; i -= 1) {
    for (let j = columns - 1; j >= 0; j -= 1) {
      const own = score(i, j);
      scores[i * columns + j] = own;
      const paired = own >= RELATED ? own + bestAt(i + 1, j + 1) : 0;
      best[i * width + j] = Math.max(paired, bestAt(i + 1, j), bestAt(i, j + 1));
    }
  }
  const pairs: { left: number; right: number }[] = [];
  let i = 0;
  let j = 0;
  while (i < rows && j < columns) {
    const own = scores[i * columns + j] ?? 0;
    if (own >= RELATED && bestAt(i, j) === own + bestAt(i + 1, j + 1)) pairs.push({ left: i++, right: j++ });
    else if (bestAt(i + 1, j) >= bestAt(i, j + 1)) i += 1;
    else j += 1;
  }
  return pairs;
}

/** 0 for unrelated items, below 1 for similar ones; not for equal items. */
function similarity(left: JsonNode | undefined, right: JsonNode | undefined, fingerprints: Fingerprints): number {
  if (!left || !right || left.kind !== right.kind) return 0;
  if (left.kind === "array" || right.kind === "array") return 0.5;
  if (left.kind !== "object" || right.kind !== "object") return 0.25;
  if (left.entries.length === 0 || right.entries.length === 0) return 0.25;
  const rightValues = new Map(right.entries.map((entry) => [entry.key, fingerprints.of(entry.value)]));
  let points = 0;
  for (const entry of left.entries) {
    const other = rightValues.get(entry.key);
    if (other === undefined) continue;
    points += other === fingerprints.of(entry.value) ? 1 : 0.3;
  }
  return (0.95 * points) / Math.max(left.entries.length, right.entries.length);
}

export interface AlignedEntries {
  places: Aligned[];
  /** The sides have the same keys in another order. */
  reordered: boolean;
}

/** Aligns entries by key in the order of the left; keys only on the right follow the key that precedes them there. */
export function alignEntries(left: JsonObjectNode, right: JsonObjectNode): AlignedEntries {
  const rightByKey = new Map(occurrences(right).map((name, index) => [name, index]));
  const matchOfLeft = occurrences(left).map((name) => rightByKey.get(name));
  const leftOfRight = new Map<number, number>();
  matchOfLeft.forEach((rightIndex, leftIndex) => {
    if (rightIndex !== undefined) leftOfRight.set(rightIndex, leftIndex);
  });

  const addedAfter = new Map<number, number[]>();
  let anchor = -1;
  right.entries.forEach((_, rightIndex) => {
    const leftIndex = leftOfRight.get(rightIndex);
    if (leftIndex !== undefined) anchor = leftIndex;
    else addedAfter.set(anchor, [...(addedAfter.get(anchor) ?? []), rightIndex]);
  });

  const places: Aligned[] = [];
  const addFollowers = (leftIndex: number): void => {
    for (const rightIndex of addedAfter.get(leftIndex) ?? []) places.push({ right: rightIndex });
  };
  addFollowers(-1);
  matchOfLeft.forEach((rightIndex, leftIndex) => {
    places.push(rightIndex === undefined ? { left: leftIndex } : { left: leftIndex, right: rightIndex });
    addFollowers(leftIndex);
  });
  const matched = matchOfLeft.filter((index) => index !== undefined);
  return { places, reordered: matched.some((index, position) => position > 0 && index < (matched[position - 1] ?? 0)) };
}

/** A unique name for each entry, even if a key is repeated. */
function occurrences(node: JsonObjectNode): string[] {
  const seen = new Map<string, number>();
  return node.entries.map((entry) => {
    const count = seen.get(entry.key) ?? 0;
    seen.set(entry.key, count + 1);
    return `${count}:${entry.key}`;
  });
}
