import { findCommonPairs } from "./common-pairs";
import type { DiffCounts, DiffRow } from "./diff-row";
import { markChanges } from "./mark-changes";

/** Null if the parts that differ are too large to compare. */
export function diffLines(leftText: string, rightText: string): { rows: DiffRow[]; counts: DiffCounts } | null {
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
