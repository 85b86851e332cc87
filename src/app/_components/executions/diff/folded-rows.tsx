import { type ReactNode, useMemo, useState } from "react";
import { Button } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";
import { formatCount, formatPlural } from "@/lib/format";
import { type FoldableRow, foldRows, type PlacedRow, type RowRun } from "@/lib/json-diff/fold-rows";

interface FoldedRowsProps<Row extends FoldableRow> {
  rows: readonly Row[];
  /** Noun for a row, such as `line`. */
  noun: string;
  /** Rows put on the page at once. */
  limit: number;
  render: (line: PlacedRow<Row>) => ReactNode;
  className?: string;
}

/** The rows of a comparison; equal ones away from any difference are one line until it is opened. */
export function FoldedRows<Row extends FoldableRow>({ rows, noun, limit, render, className }: FoldedRowsProps<Row>) {
  const runs = useMemo(() => foldRows(rows), [rows]);
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const [shown, setShown] = useState(limit);
  const { visible, hidden } = limitRuns(runs, opened, shown);
  return (
    <div className={cx("overflow-hidden rounded-lg border border-line bg-panel", className)}>
      {visible.map((run) =>
        run.folded && !opened.has(run.start) ? (
          <button
            key={run.start}
            type="button"
            onClick={() => setOpened(new Set(opened).add(run.start))}
            className="-outline-offset-2 block w-full bg-rail px-2 py-0.5 text-left text-mute hover:text-text"
          >
            {formatPlural(run.lines.length, `unchanged ${noun}`)} — show
          </button>
        ) : (
          run.lines.map(render)
        ),
      )}
      {hidden > 0 && (
        <div className="border-line border-t p-1.5">
          <Button onClick={() => setShown(shown + 5 * limit)}>
            Show {formatCount(hidden)} more {noun}s
          </Button>
        </div>
      )}
    </div>
  );
}

function limitRuns<Row extends FoldableRow>(
  runs: readonly RowRun<Row>[],
  opened: ReadonlySet<number>,
  limit: number,
): { visible: RowRun<Row>[]; hidden: number } {
  const visible: RowRun<Row>[] = [];
  let left = limit;
  let hidden = 0;
  for (const run of runs) {
    const cost = run.folded && !opened.has(run.start) ? 1 : run.lines.length;
    if (left <= 0) hidden += cost;
    else if (cost <= left || cost === 1) visible.push(run);
    else {
      visible.push({ ...run, lines: run.lines.slice(0, left) });
      hidden += cost - left;
    }
    left -= cost;
  }
  return { visible, hidden };
}
