import { findCommonPairs } from "./common-pairs";
import type { DiffCounts, DiffRow, JsonDiff } from "./diff-row";
import { diffStructure } from "./diff-structure";
import { formatNode } from "./format-node";
import { type JsonNode, parseJsonNode } from "./json-node";
import { markChanges } from "./mark-changes";

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
  const lines = shallow ? diffLines(indented(left, leftText), indented(right, rightText)) : null;
  if (!lines) return tooLarge(leftText, rightText);
  const { rows, counts } = lines;
  return { mode: "lines", rows, counts, identical: counts.added + counts.removed + counts.changed === 0 };
}

function indented(node: JsonNode | null, text: string): string {
  return node ? formatNode(node) : text;
}

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
