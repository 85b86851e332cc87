import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DiffRow } from "./diff-row";
import { foldRows } from "./fold-rows";

const same: DiffRow = { kind: "same", left: { text: "a", depth: 0 }, right: { text: "a", depth: 0 } };
const added: DiffRow = { kind: "added", right: { text: "b", depth: 0 } };

describe("foldRows", () => {
  it("folds long unchanged runs and keeps three rows of context around a change", () => {
    const rows = [...Array<DiffRow>(10).fill(same), added, ...Array<DiffRow>(10).fill(same)];
    expect(foldRows(rows).map((run) => [run.folded, run.start, run.lines.length])).toEqual([
      [true, 0, 7],
      [false, 7, 7],
      [true, 14, 7],
    ]);
  });

  it("does not fold a run that is hardly longer than the line that would stand for it", () => {
    const rows = [...Array<DiffRow>(7).fill(same), added];
    expect(foldRows(rows)).toHaveLength(1);
  });

  it("loses no row, changes no order and never folds a change", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(same, same, same, same, same, same, added), { maxLength: 200 }), (rows) => {
        const runs = foldRows(rows);
        expect(runs.flatMap((run) => run.lines.map((line) => line.row))).toEqual(rows);
        expect(
          runs.filter((run) => run.folded).every((run) => run.lines.every((line) => line.row.kind === "same")),
        ).toBe(true);
        let start = 0;
        for (const run of runs) {
          expect(run.lines.map((line) => line.at)).toEqual(run.lines.map((_, index) => run.start + index));
          expect(run.start).toBe(start);
          start += run.lines.length;
        }
      }),
    );
  });
});
