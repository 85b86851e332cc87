import { type Aligned, alignEntries, alignItems } from "./align";
import type { DiffCounts, DiffRow } from "./diff-row";
import { createFingerprints, type Fingerprints } from "./fingerprint";
import { childrenOf, formatLines } from "./format-node";
import type { JsonArrayNode, JsonNode, JsonObjectNode, JsonScalarNode } from "./json-node";
import { type Mark, markChanges } from "./mark-changes";

/** What stands around a value on its line: a key before it, a comma behind it. */
interface Place {
  before: string;
  after: string;
}

interface Progress {
  rows: DiffRow[];
  counts: DiffCounts;
  fingerprints: Fingerprints;
}

/** Recursive: the caller bounds the height of both values. */
export function diffStructure(left: JsonNode, right: JsonNode): { rows: DiffRow[]; counts: DiffCounts } {
  const progress: Progress = {
    rows: [],
    counts: { added: 0, removed: 0, changed: 0 },
    fingerprints: createFingerprints(),
  };
  const root: Place = { before: "", after: "" };
  diffValues(progress, left, right, root, root, 0);
  return { rows: progress.rows, counts: progress.counts };
}

function diffValues(
  progress: Progress,
  left: JsonNode,
  right: JsonNode,
  leftPlace: Place,
  rightPlace: Place,
  depth: number,
): void {
  if (left.kind === "object" && right.kind === "object") {
    const { places, reordered } = alignEntries(left, right);
    diffContainers(progress, left, right, leftPlace, rightPlace, depth, places, reordered);
  } else if (left.kind === "array" && right.kind === "array") {
    const places = alignItems(left, right, progress.fingerprints);
    diffContainers(progress, left, right, leftPlace, rightPlace, depth, places, false);
  } else if (isContainer(left) || isContainer(right)) {
    replaceValue(progress, left, right, leftPlace, rightPlace, depth);
  } else {
    diffScalars(progress, left, right, leftPlace, rightPlace, depth);
  }
}

function isContainer(node: JsonNode): node is JsonObjectNode | JsonArrayNode {
  return node.kind === "object" || node.kind === "array";
}

function diffContainers(
  progress: Progress,
  left: JsonNode,
  right: JsonNode,
  leftPlace: Place,
  rightPlace: Place,
  depth: number,
  places: Aligned[],
  reordered: boolean,
): void {
  const [opening, closing] = left.kind === "object" ? ["{", "}"] : ["[", "]"];
  const both = (leftText: string, rightText: string): DiffRow => ({
    kind: "same",
    left: { text: leftText, depth },
    right: { text: rightText, depth },
  });
  if (places.length === 0) {
    const empty = opening + closing;
    progress.rows.push(both(leftPlace.before + empty + leftPlace.after, rightPlace.before + empty + rightPlace.after));
    return;
  }
  const first = both(leftPlace.before + opening, rightPlace.before + opening);
  progress.rows.push(reordered ? { ...first, reordered: true } : first);
  diffChildren(progress, left, right, places, depth + 1);
  progress.rows.push(both(closing + leftPlace.after, closing + rightPlace.after));
}

function diffChildren(progress: Progress, left: JsonNode, right: JsonNode, places: Aligned[], depth: number): void {
  const leftChildren = childrenOf(left);
  const rightChildren = childrenOf(right);
  let leftLeft = leftChildren.length;
  let rightLeft = rightChildren.length;
  for (const place of places) {
    const leftChild = place.left === undefined ? undefined : leftChildren[place.left];
    const rightChild = place.right === undefined ? undefined : rightChildren[place.right];
    if (leftChild) leftLeft -= 1;
    if (rightChild) rightLeft -= 1;
    const leftAfter = leftLeft > 0 ? "," : "";
    const rightAfter = rightLeft > 0 ? "," : "";
    if (leftChild && rightChild) {
      const leftPlace = { before: leftChild.before, after: leftAfter };
      const rightPlace = { before: rightChild.before, after: rightAfter };
      diffValues(progress, leftChild.value, rightChild.value, leftPlace, rightPlace, depth);
    } else if (leftChild) {
      progress.counts.removed += 1;
      for (const line of formatLines(leftChild.value, depth, leftChild.before, leftAfter)) {
        progress.rows.push({ kind: "removed", left: line });
      }
    } else if (rightChild) {
      progress.counts.added += 1;
      for (const line of formatLines(rightChild.value, depth, rightChild.before, rightAfter)) {
        progress.rows.push({ kind: "added", right: line });
      }
    }
  }
}

function diffScalars(
  progress: Progress,
  left: JsonScalarNode,
  right: JsonScalarNode,
  leftPlace: Place,
  rightPlace: Place,
  depth: number,
): void {
  const leftText = leftPlace.before + left.raw + leftPlace.after;
  const rightText = rightPlace.before + right.raw + rightPlace.after;
  if (progress.fingerprints.of(left) === progress.fingerprints.of(right)) {
    progress.rows.push({ kind: "same", left: { text: leftText, depth }, right: { text: rightText, depth } });
    return;
  }
  progress.counts.changed += 1;
  const marks =
    left.kind === "string" && right.kind === "string"
      ? markChanges(left.raw, right.raw)
      : { left: [[0, left.raw.length] as Mark], right: [[0, right.raw.length] as Mark] };
  progress.rows.push({
    kind: "changed",
    left: { text: leftText, depth, marks: shifted(marks.left, leftPlace.before.length) },
    right: { text: rightText, depth, marks: shifted(marks.right, rightPlace.before.length) },
  });
}

function shifted(marks: readonly Mark[], by: number): Mark[] {
  return marks.map(([start, end]) => [start + by, end + by]);
}

/** One change: a value gave way to another of a different shape. Their lines stand beside each other. */
function replaceValue(
  progress: Progress,
  left: JsonNode,
  right: JsonNode,
  leftPlace: Place,
  rightPlace: Place,
  depth: number,
): void {
  progress.counts.changed += 1;
  const leftLines = formatLines(left, depth, leftPlace.before, leftPlace.after);
  const rightLines = formatLines(right, depth, rightPlace.before, rightPlace.after);
  const count = Math.max(leftLines.length, rightLines.length);
  for (let index = 0; index < count; index += 1) {
    const leftLine = leftLines[index];
    const rightLine = rightLines[index];
    if (leftLine && rightLine) progress.rows.push({ kind: "changed", left: leftLine, right: rightLine });
    else if (leftLine) progress.rows.push({ kind: "removed", left: leftLine });
    else if (rightLine) progress.rows.push({ kind: "added", right: rightLine });
  }
}
