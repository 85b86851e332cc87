import { isIndentable } from "../json/format-json";
import { type Aligned, alignEntries, alignItems } from "./align";
import { findCommonPairs } from "./common-pairs";
import type { DiffCounts, DiffRow, JsonDiff } from "./diff-row";
import { createFingerprints, type Fingerprints } from "./fingerprint";
import { formatLines, formatNode, listChildren } from "./format-node";
import { type JsonNode, type JsonScalarNode, parseJsonNode } from "./json-node";
import { type Mark, markChanges } from "./mark-changes";

export interface DiffLimits {
  /** Values of both sides that are compared by structure. */
  maxValues: number;
  /** Maximum depth of the comparison by structure. */
  maxHeight: number;
  /** Characters of both sides that are compared at all. */
  maxChars: number;
}

const DIFF_LIMITS: DiffLimits = { maxValues: 20_000, maxHeight: 400, maxChars: 4_000_000 };

/**
 * Compares two texts that should be JSON: by structure if both are JSON and small enough, else by lines (indented first if
 * possible), else not at all.
 */
export function diffJsonText(leftText: string, rightText: string, limits: DiffLimits = DIFF_LIMITS): JsonDiff {
  if (leftText.length + rightText.length > limits.maxChars) return tooLarge(leftText, rightText);
  const left = parseJsonNode(leftText);
  const right = parseJsonNode(rightText);
  const shallow = (left?.height ?? 0) <= limits.maxHeight && (right?.height ?? 0) <= limits.maxHeight;
  if (left && right && shallow && left.size + right.size <= limits.maxValues) {
    const { rows, counts } = diffStructure(left, right);
    return { mode: "structure", rows, counts, identical: counts.added + counts.removed + counts.changed === 0 };
  }
  const lines =
    shallow && isIndentable(leftText) && isIndentable(rightText)
      ? diffLines(indented(left, leftText), indented(right, rightText))
      : null;
  if (!lines) return tooLarge(leftText, rightText);
  const { rows, counts } = lines;
  return { mode: "lines", rows, counts, identical: counts.added + counts.removed + counts.changed === 0 };
}

const indented = (node: JsonNode | null, text: string): string => (node ? formatNode(node) : text);

function tooLarge(leftText: string, rightText: string): JsonDiff {
  return {
    mode: "raw",
    rows: [],
    counts: { added: 0, removed: 0, changed: 0 },
    identical: leftText === rightText,
  };
}

/** Null if the parts that differ are too large to compare. */
function diffLines(leftText: string, rightText: string): { rows: DiffRow[]; counts: DiffCounts } | null {
  const left = leftText.split("\n");
  const right = rightText.split("\n");
  const common = findCommonPairs(left, right);
  if (!common) return null;
  const rows: DiffRow[] = [];
  const counts: DiffCounts = { added: 0, removed: 0, changed: 0 };
  let i = 0;
  let j = 0;
  for (const pair of [...common, { left: left.length, right: right.length }]) {
    while (i < pair.left && j < pair.right) {
      rows.push(changedLine(left[i++] ?? "", right[j++] ?? ""));
      counts.changed += 1;
    }
    while (i < pair.left) {
      rows.push({ kind: "removed", left: { text: left[i++] ?? "", depth: 0 } });
      counts.removed += 1;
    }
    while (j < pair.right) {
      rows.push({ kind: "added", right: { text: right[j++] ?? "", depth: 0 } });
      counts.added += 1;
    }
    if (i < left.length && j < right.length) {
      rows.push({
        kind: "same",
        left: { text: left[i++] ?? "", depth: 0 },
        right: { text: right[j++] ?? "", depth: 0 },
      });
    }
  }
  return { rows, counts };
}

function changedLine(left: string, right: string): DiffRow {
  const marks = markChanges(left, right);
  return {
    kind: "changed",
    left: { text: left, depth: 0, marks: marks.left },
    right: { text: right, depth: 0, marks: marks.right },
  };
}

/** A value with the text around it on its line: a key before it, a comma after it. */
interface Side<Node extends JsonNode = JsonNode> {
  node: Node;
  before: string;
  after: string;
}

interface Progress {
  rows: DiffRow[];
  counts: DiffCounts;
  fingerprints: Fingerprints;
}

/** Recursive: the caller bounds the height of both values. */
function diffStructure(left: JsonNode, right: JsonNode): { rows: DiffRow[]; counts: DiffCounts } {
  const progress: Progress = {
    rows: [],
    counts: { added: 0, removed: 0, changed: 0 },
    fingerprints: createFingerprints(),
  };
  diffValues(progress, { node: left, before: "", after: "" }, { node: right, before: "", after: "" }, 0);
  return { rows: progress.rows, counts: progress.counts };
}

function diffValues(progress: Progress, left: Side, right: Side, depth: number): void {
  const was = left.node;
  const is = right.node;
  if (was.kind === "object" && is.kind === "object") {
    const { places, reordered } = alignEntries(was, is);
    diffContainers(progress, left, right, depth, places, reordered);
  } else if (was.kind === "array" && is.kind === "array") {
    diffContainers(progress, left, right, depth, alignItems(was, is, progress.fingerprints), false);
  } else if (isScalar(left) && isScalar(right)) {
    diffScalars(progress, left, right, depth);
  } else {
    replaceValue(progress, left, right, depth);
  }
}

function isScalar(side: Side): side is Side<JsonScalarNode> {
  return side.node.kind !== "object" && side.node.kind !== "array";
}

function diffContainers(
  progress: Progress,
  left: Side,
  right: Side,
  depth: number,
  places: Aligned[],
  reordered: boolean,
): void {
  const [opening, closing] = left.node.kind === "object" ? ["{", "}"] : ["[", "]"];
  const both = (leftText: string, rightText: string): DiffRow => ({
    kind: "same",
    left: { text: leftText, depth },
    right: { text: rightText, depth },
  });
  if (places.length === 0) {
    const empty = opening + closing;
    progress.rows.push(both(left.before + empty + left.after, right.before + empty + right.after));
    return;
  }
  const first = both(left.before + opening, right.before + opening);
  progress.rows.push(reordered ? { ...first, reordered: true } : first);
  diffChildren(progress, left.node, right.node, places, depth + 1);
  progress.rows.push(both(closing + left.after, closing + right.after));
}

function diffChildren(progress: Progress, left: JsonNode, right: JsonNode, places: Aligned[], depth: number): void {
  const takeLeft = childSides(left);
  const takeRight = childSides(right);
  for (const place of places) {
    const leftChild = takeLeft(place.left);
    const rightChild = takeRight(place.right);
    if (leftChild && rightChild) {
      diffValues(progress, leftChild, rightChild, depth);
    } else if (leftChild) {
      progress.counts.removed += 1;
      for (const line of buildLines(leftChild, depth)) progress.rows.push({ kind: "removed", left: line });
    } else if (rightChild) {
      progress.counts.added += 1;
      for (const line of buildLines(rightChild, depth)) progress.rows.push({ kind: "added", right: line });
    }
  }
}

/** Lists children in the order of their lines: the last one has no comma. */
function childSides(container: JsonNode): (index: number | undefined) => Side | undefined {
  const children = listChildren(container);
  let left = children.length;
  return (index) => {
    const child = index === undefined ? undefined : children[index];
    if (child === undefined) return undefined;
    left -= 1;
    return { node: child.value, before: child.before, after: left > 0 ? "," : "" };
  };
}

function buildLines({ node, before, after }: Side, depth: number) {
  return formatLines(node, depth, before, after);
}

function diffScalars(progress: Progress, left: Side<JsonScalarNode>, right: Side<JsonScalarNode>, depth: number): void {
  const was = left.node;
  const is = right.node;
  const leftText = left.before + was.raw + left.after;
  const rightText = right.before + is.raw + right.after;
  if (progress.fingerprints.of(was) === progress.fingerprints.of(is)) {
    progress.rows.push({ kind: "same", left: { text: leftText, depth }, right: { text: rightText, depth } });
    return;
  }
  progress.counts.changed += 1;
  const marks =
    was.kind === "string" && is.kind === "string"
      ? markChanges(was.raw, is.raw)
      : { left: [[0, was.raw.length] as Mark], right: [[0, is.raw.length] as Mark] };
  progress.rows.push({
    kind: "changed",
    left: { text: leftText, depth, marks: shifted(marks.left, left.before.length) },
    right: { text: rightText, depth, marks: shifted(marks.right, right.before.length) },
  });
}

function shifted(marks: readonly Mark[], by: number): Mark[] {
  return marks.map(([start, end]) => [start + by, end + by]);
}

/** One change: a value was replaced by one of another shape. Their lines are side by side. */
function replaceValue(progress: Progress, left: Side, right: Side, depth: number): void {
  progress.counts.changed += 1;
  const leftLines = buildLines(left, depth);
  const rightLines = buildLines(right, depth);
  const count = Math.max(leftLines.length, rightLines.length);
  for (let index = 0; index < count; index += 1) {
    const leftLine = leftLines[index];
    const rightLine = rightLines[index];
    if (leftLine && rightLine) progress.rows.push({ kind: "changed", left: leftLine, right: rightLine });
    else if (leftLine) progress.rows.push({ kind: "removed", left: leftLine });
    else if (rightLine) progress.rows.push({ kind: "added", right: rightLine });
  }
}
