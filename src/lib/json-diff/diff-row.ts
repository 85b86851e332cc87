import type { Mark } from "./mark-changes";

export interface DiffSide {
  text: string;
  /** Levels of indentation. */
  depth: number;
  /** Parts of the text that differ; absent if the whole row differs. */
  marks?: Mark[];
}

/** One line of a side-by-side display. The rows that have a side, joined by line breaks, are that side's text. */
export interface DiffRow {
  kind: "same" | "added" | "removed" | "changed";
  left?: DiffSide;
  right?: DiffSide;
  /** Set on the opening line of an object with reordered keys, which counts as no change. */
  reordered?: true;
}

/** Values (in line mode: lines), not rows: an added object is one addition. */
export interface DiffCounts {
  added: number;
  removed: number;
  changed: number;
}

export interface JsonDiff {
  /** `structure` by value, `lines` by text, `raw`: too large to compare, there are no rows. */
  mode: "structure" | "lines" | "raw";
  rows: DiffRow[];
  counts: DiffCounts;
  identical: boolean;
}
