/** A row of any comparison. */
export interface FoldableRow {
  kind: string;
}

export interface RowRun<Row extends FoldableRow> {
  /** A run of unchanged rows away from any change, shown as one line until it is opened. */
  folded: boolean;
  /** Index of the first row. */
  start: number;
  lines: PlacedRow<Row>[];
}

export interface PlacedRow<Row> {
  /** Its index among all rows. */
  at: number;
  row: Row;
}

/** Rows of context around a change, and the shortest run to fold. */
const CONTEXT_ROWS = 3;
const LEAST_FOLDED = 5;

/** Cuts rows into runs to show and runs to fold. */
export function foldRows<Row extends FoldableRow>(rows: readonly Row[]): RowRun<Row>[] {
  const near = new Uint8Array(rows.length);
  rows.forEach((row, index) => {
    if (row.kind === "same") return;
    near.fill(1, Math.max(0, index - CONTEXT_ROWS), Math.min(rows.length, index + CONTEXT_ROWS + 1));
  });
  const runs: RowRun<Row>[] = [];
  let start = 0;
  while (start < rows.length) {
    const shown = near[start] === 1;
    let end = start + 1;
    while (end < rows.length && (near[end] === 1) === shown) end += 1;
    const folded = !shown && end - start >= LEAST_FOLDED;
    const first = start;
    const lines = rows.slice(start, end).map((row, index) => ({ at: first + index, row }));
    const previous = runs.at(-1);
    if (previous && !previous.folded && !folded) for (const line of lines) previous.lines.push(line);
    else runs.push({ folded, start, lines });
    start = end;
  }
  return runs;
}
