"use client";

import { type ReactNode, useState } from "react";
import { Button } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";
import { formatCount } from "@/lib/format";
import type { DiffSide } from "@/lib/json-diff/diff-row";

/** A longer line is shown around its first difference. */
const MAX_CHARS = 1_500;
const BEFORE_MARK = 200;

export interface DiffTextProps {
  side: DiffSide;
  markClass: string;
}

/** One line, indented, its differing parts marked. */
export function DiffText({ side, markClass }: DiffTextProps) {
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
