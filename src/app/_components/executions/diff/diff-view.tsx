import { type ReactNode, useState } from "react";
import { ClippedText } from "@/app/_kit/json-tree/clipped-text";
import { Button } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";
import { formatCount } from "@/lib/format";
import type { DiffRow, DiffSide, JsonDiff } from "@/lib/json-diff/diff-row";
import { FoldedRows } from "./folded-rows";
import { useJsonDiff } from "./use-json-diff";

/** Rows put on the page at once. */
const STEP_ROWS = 1_000;

interface DiffViewProps {
  left: string;
  right: string;
  /** The name of the compared values: `Arguments`. */
  label: string;
}

/** Two texts beside each other with their differences marked; one below the other on a narrow screen. */
export function DiffView({ left, right, label }: DiffViewProps) {
  const diff = useJsonDiff(left, right);
  return (
    <section aria-label={`${label} compared`} className="flex min-w-0 flex-col gap-1.5">
      <div className="flex flex-wrap items-baseline gap-x-3">
        <h2 className="font-medium">{label}</h2>
        <p className="text-mute text-xs">{diff === null ? "Comparing…" : summarize(diff)}</p>
      </div>
      {diff === null || diff.identical ? null : diff.mode === "raw" ? (
        <div className="grid gap-3 md:grid-cols-2">
          <div className="rounded-lg border border-line bg-panel p-2.5">
            <ClippedText text={left} label={`${label}, before`} />
          </div>
          <div className="rounded-lg border border-line bg-panel p-2.5">
            <ClippedText text={right} label={`${label}, after`} />
          </div>
        </div>
      ) : (
        <FoldedRows
          key={`${left.length} ${right.length} ${diff.rows.length}`}
          rows={diff.rows}
          noun="line"
          limit={STEP_ROWS}
          render={({ at, row }) => <Row key={at} row={row} />}
          className="font-mono text-xs leading-5"
        />
      )}
    </section>
  );
}

function summarize({ mode, counts, identical }: JsonDiff): string {
  if (identical) return "Identical";
  if (mode === "raw") return "Different, too large to compare line by line";
  const parts = [
    counts.changed > 0 ? `${formatCount(counts.changed)} changed` : null,
    counts.added > 0 ? `${formatCount(counts.added)} added` : null,
    counts.removed > 0 ? `${formatCount(counts.removed)} removed` : null,
  ].filter((part) => part !== null);
  return mode === "lines" ? `${parts.join(", ")} (by lines of text)` : parts.join(", ");
}

const LOOK = {
  same: { left: "", right: "", leftSign: " ", rightSign: " " },
  changed: { left: "bg-bad-bg text-bad", right: "bg-ok-bg text-ok", leftSign: "−", rightSign: "+" },
  removed: { left: "bg-bad-bg text-bad", right: "", leftSign: "−", rightSign: " " },
  added: { left: "", right: "bg-ok-bg text-ok", leftSign: " ", rightSign: "+" },
} as const;

const SPOKEN = {
  same: null,
  changed: ["before: ", "after: "],
  removed: ["removed: ", ""],
  added: ["", "added: "],
} as const;

function Row({ row }: { row: DiffRow }) {
  const look = LOOK[row.kind];
  const spoken = SPOKEN[row.kind];
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] md:grid-cols-2">
      <div className={cx("flex gap-1.5 border-line px-1.5 md:border-r", look.left, !row.left && "max-md:hidden")}>
        <Sign>{look.leftSign}</Sign>
        {row.left && (
          <p className="min-w-0 whitespace-pre-wrap [overflow-wrap:anywhere]">
            {spoken && <span className="sr-only">{spoken[0]}</span>}
            <DiffText side={row.left} markClass="text-bad" />
            {row.reordered && <span className="pl-3 font-sans text-faint">keys reordered</span>}
          </p>
        )}
      </div>
      <div
        className={cx(
          "flex gap-1.5 px-1.5",
          look.right,
          // Narrow screens show one column, in which an unchanged line appears once.
          (!row.right || row.kind === "same") && "max-md:hidden",
        )}
      >
        <Sign>{look.rightSign}</Sign>
        {row.right && (
          <p className="min-w-0 whitespace-pre-wrap [overflow-wrap:anywhere]">
            {spoken && <span className="sr-only">{spoken[1]}</span>}
            <DiffText side={row.right} markClass="text-ok" />
          </p>
        )}
      </div>
    </div>
  );
}

function Sign({ children }: { children: string }) {
  return (
    <span aria-hidden className="w-2.5 shrink-0 select-none text-center">
      {children}
    </span>
  );
}

/** A longer line is shown around its first difference. */
const MAX_CHARS = 1_500;
const BEFORE_MARK = 200;

/** One indented line with its differing parts marked. */
function DiffText({ side, markClass }: { side: DiffSide; markClass: string }) {
  const [whole, setWhole] = useState(false);
  const { text, depth, marks = [] } = side;
  const clipped = !whole && text.length > MAX_CHARS;
  const start = clipped ? Math.max(0, Math.min((marks[0]?.[0] ?? 0) - BEFORE_MARK, text.length - MAX_CHARS)) : 0;
  const end = clipped ? start + MAX_CHARS : text.length;
  return (
    <>
      {"  ".repeat(Math.min(depth, 40))}
      {start > 0 && <span className="text-faint">… </span>}
      {pieces(text, marks, start, end).map((piece) =>
        piece.marked ? (
          <mark key={piece.at} className={cx("rounded-xs bg-transparent font-semibold underline", markClass)}>
            {piece.text}
          </mark>
        ) : (
          <Plain key={piece.at}>{piece.text}</Plain>
        ),
      )}
      {clipped && (
        <>
          <span className="text-faint">{end < text.length ? " … " : " "}</span>
          <Button variant="ghost" className="h-5!" onClick={() => setWhole(true)}>
            Show all {formatCount(text.length)} characters
          </Button>
        </>
      )}
    </>
  );
}

function Plain({ children }: { children: ReactNode }) {
  return children;
}

interface Piece {
  at: number;
  text: string;
  marked: boolean;
}

function pieces(text: string, marks: readonly (readonly [number, number])[], start: number, end: number): Piece[] {
  const found: Piece[] = [];
  let at = start;
  const push = (until: number, marked: boolean): void => {
    if (until > at) found.push({ at, text: text.slice(at, until), marked });
    at = Math.max(at, until);
  };
  for (const [from, to] of marks) {
    if (to <= start || from >= end) continue;
    push(Math.min(from, end), false);
    push(Math.min(to, end), true);
  }
  push(end, false);
  return found;
}
