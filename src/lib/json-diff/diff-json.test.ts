import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonValues } from "../json-values.test-support";
import { diffJsonText } from "./diff-json";
import type { DiffRow, JsonDiff } from "./diff-row";

function diff(left: unknown, right: unknown): JsonDiff {
  return diffJsonText(JSON.stringify(left), JSON.stringify(right));
}

function sideText(rows: readonly DiffRow[], side: "left" | "right"): string {
  return rows.flatMap((row) => row[side]?.text ?? []).join("\n");
}

function changedRows(result: JsonDiff): [string, string | undefined, string | undefined][] {
  return result.rows.filter((row) => row.kind !== "same").map((row) => [row.kind, row.left?.text, row.right?.text]);
}

function marked(row: DiffRow | undefined, side: "left" | "right"): string[] {
  const shown = row?.[side];
  return (shown?.marks ?? []).map(([start, end]) => shown?.text.slice(start, end) ?? "");
}

/** The same value with the keys of every object in reverse order. */
function reversedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversedKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, child]) => [key, reversedKeys(child)]),
  );
}

const json = jsonValues({ maxDepth: 4 });
/** Values that share much: one made from the other. */
const related = fc
  .tuple(fc.array(fc.dictionary(fc.constantFrom("a", "b", "c", "d"), jsonValues({ maxDepth: 1 }))), fc.nat(), json)
  .map(([items, at, value]) => [items, items.map((item, index) => (index === at % (items.length + 1) ? value : item))]);

describe("diffJsonText by structure", () => {
  it("finds no change between a value and itself, whatever the order of its keys", () => {
    fc.assert(
      fc.property(json, (value) => {
        const result = diff(value, reversedKeys(value));
        expect(result).toMatchObject({
          mode: "structure",
          identical: true,
          counts: { added: 0, removed: 0, changed: 0 },
        });
        expect(result.rows.every((row) => row.kind === "same")).toBe(true);
      }),
    );
  });

  it("gives rows whose sides put together are each side's JSON, and sees every difference", () => {
    fc.assert(
      fc.property(fc.oneof(fc.tuple(json, json), related), ([left, right]) => {
        const result = diff(left, right);
        expect(JSON.parse(sideText(result.rows, "left"))).toEqual(JSON.parse(JSON.stringify(left)));
        expect(JSON.parse(sideText(result.rows, "right"))).toEqual(JSON.parse(JSON.stringify(right)));
        const same = JSON.stringify(canonical(left)) === JSON.stringify(canonical(right));
        expect(result.identical).toBe(same);
        expect(result.rows.every((row) => row.kind === "same")).toBe(same);
      }),
    );
  });

  it("shows a changed, an added and a removed property, each once, and counts values instead of rows", () => {
    const result = diff({ keep: 1, days: 3, gone: [1, 2] }, { keep: 1, days: 4, extra: { a: 1, b: 2 } });
    expect(result.counts).toEqual({ added: 1, removed: 1, changed: 1 });
    expect(changedRows(result)).toEqual([
      ["changed", '"days": 3,', '"days": 4,'],
      ["added", undefined, '"extra": {'],
      ["added", undefined, '"a": 1,'],
      ["added", undefined, '"b": 2'],
      ["added", undefined, "}"],
      ["removed", '"gone": [', undefined],
      ["removed", "1,", undefined],
      ["removed", "2", undefined],
      ["removed", "]", undefined],
    ]);
  });

  it("says on the opening line that keys stand in another order", () => {
    const result = diff({ a: 1, b: 2 }, { b: 2, a: 1 });
    expect(result.rows[0]?.reordered).toBe(true);
    expect(diff({ a: 1, b: 2 }, { a: 1, c: 0, b: 2 }).rows[0]?.reordered).toBeUndefined();
  });

  it("keeps equal array items together when one goes and one comes", () => {
    const result = diff([{ id: 1 }, { id: 2 }, { id: 3 }], [{ id: 2 }, { id: 3 }, { id: 4 }]);
    expect(result.counts).toEqual({ added: 1, removed: 1, changed: 0 });
  });

  it("pairs the most alike of array items that changed", () => {
    const left = [{ id: "a", name: "first", n: 1 }];
    const right = [{ other: true }, { id: "a", name: "first", n: 2 }];
    expect(changedRows(diff(left, right)).map(([kind]) => kind)).toEqual(["added", "added", "added", "changed"]);
  });

  it("counts a value of another shape as one change", () => {
    expect(diff({ a: "x" }, { a: { b: 1 } }).counts).toEqual({ added: 0, removed: 0, changed: 1 });
  });

  it("tells large numbers apart that a double would make equal, and takes 1.0 for 1", () => {
    expect(diffJsonText("[12345678901234567890]", "[12345678901234567891]").counts.changed).toBe(1);
    expect(diffJsonText("[1.0, 1e2]", "[1, 100]").identical).toBe(true);
  });

  it("tells null, absent, false, 0 and empty apart", () => {
    for (const value of [false, 0, "", [], {}]) expect(diff({ a: null }, { a: value }).identical).toBe(false);
    expect(diff({ a: null }, {}).counts).toEqual({ added: 0, removed: 1, changed: 0 });
  });

  it("treats __proto__ as a key like any other", () => {
    const result = diffJsonText('{"__proto__":{"a":1}}', '{"__proto__":{"a":2}}');
    expect(changedRows(result)).toEqual([["changed", '"a": 1', '"a": 2']]);
  });

  it("marks the words that changed inside a long text", () => {
    const before = `${"Rain in the north. ".repeat(40)}Sun in Oslo tomorrow.`;
    const result = diff({ text: before }, { text: before.replace("Oslo", "Bergen") });
    const row = result.rows.find((each) => each.kind === "changed");
    expect(marked(row, "left")).toEqual(["Oslo"]);
    expect(marked(row, "right")).toEqual(["Bergen"]);
  });

  it("marks the changed middle of a text too long for words, never half a surrogate pair", () => {
    const long = "x".repeat(30_000);
    const row = diff([`${long}😀${long}`], [`${long}😁${long}`]).rows.find((each) => each.kind === "changed");
    expect(marked(row, "left")).toEqual(["😀"]);
    expect(marked(row, "right")).toEqual(["😁"]);
  });
});

describe("diffJsonText beyond structure", () => {
  const limits = { maxValues: 50, maxHeight: 5, maxChars: 20_000 };

  it("compares by indented lines where there are too many values", () => {
    const left = Array.from({ length: 60 }, (_, index) => index);
    const result = diffJsonText(JSON.stringify(left), JSON.stringify([...left, 60]), limits);
    expect(result.mode).toBe("lines");
    expect(changedRows(result).map(([kind]) => kind)).toEqual(["changed", "added"]);
    expect(JSON.parse(sideText(result.rows, "right"))).toEqual([...left, 60]);
  });

  it("finds the few changed lines of long texts, however far apart they stand", () => {
    const line = (index: number): string => `line ${index}`;
    const left = Array.from({ length: 4_000 }, (_, index) => line(index));
    const right = left.map((text, index) => (index === 3 || index === 3_990 ? `${text} changed` : text));
    const result = diffJsonText(left.join("\n"), right.join("\n"));
    expect(result).toMatchObject({ mode: "lines", counts: { added: 0, removed: 0, changed: 2 } });
  });

  it("compares by lines where a side is not JSON", () => {
    const result = diffJsonText("plain\ntext", '"plain"', limits);
    expect(result.mode).toBe("lines");
    expect(sideText(result.rows, "left")).toBe("plain\ntext");
  });

  it("does not compare texts that are too long, but says whether they are equal", () => {
    const long = JSON.stringify("y".repeat(15_000));
    expect(diffJsonText(long, long, limits)).toEqual({
      mode: "raw",
      rows: [],
      counts: { added: 0, removed: 0, changed: 0 },
      identical: true,
    });
    expect(diffJsonText(long, `${long} `, limits).identical).toBe(false);
  });

  it("does not follow a depth that would exhaust the stack", () => {
    const deep = (value: string): string => "[".repeat(20_000) + value + "]".repeat(20_000);
    expect(diffJsonText(deep("1"), deep("2"))).toMatchObject({ mode: "raw", identical: false });
  });

  it("compares two arrays of thousands of unlike items within its bounds", () => {
    const items = (offset: number): number[] => Array.from({ length: 4_000 }, (_, index) => index * 2 + offset);
    const result = diff(items(0), items(1));
    expect(result.mode).toBe("structure");
    expect(JSON.parse(sideText(result.rows, "right"))).toEqual(items(1));
  });
});

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return { object: entries.map(([key, child]) => [key, canonical(child)]) };
}
