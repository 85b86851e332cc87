import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonValue } from "../contract/json";
import { equalJson } from "../json/equal-json";
import { jsonValues } from "../json-values.test-support";
import { getAt, insertAt, isJsonObject, moveAt, renameAt, setAt, unsetAt } from "./value-at";

/** Every path of a value, the root left out. */
function listPaths(value: JsonValue, prefix: (string | number)[] = []): (string | number)[][] {
  if (typeof value !== "object" || value === null) return [];
  const entries: [string | number, JsonValue][] = Array.isArray(value)
    ? value.map((item, index): [number, JsonValue] => [index, item])
    : Object.entries(value);
  return entries.flatMap(([key, item]) => [[...prefix, key], ...listPaths(item, [...prefix, key])]);
}

const isPrefix = (short: readonly unknown[], long: readonly unknown[]) =>
  short.every((token, index) => String(token) === String(long[index]));

const json = jsonValues({ maxDepth: 4 });

describe("changing one place", () => {
  it("set touches nothing else and leaves the original alone", () => {
    fc.assert(
      fc.property(json, fc.nat(), json, (value, pick, next) => {
        const paths = listPaths(value);
        const path = paths[pick % Math.max(paths.length, 1)];
        if (path === undefined) return;
        const before = structuredClone(value);
        const after = setAt(value, path, next);
        expect(value).toEqual(before);
        expect(getAt(after, path)).toEqual(next);
        for (const other of paths) {
          if (isPrefix(path, other) || isPrefix(other, path)) continue;
          expect(getAt(after, other)).toBe(getAt(value, other));
        }
        if (isJsonObject(value) && isJsonObject(after)) expect(Object.keys(after)).toEqual(Object.keys(value));
      }),
    );
  });

  it("unset of a key touches nothing else, and setting it again restores the value", () => {
    fc.assert(
      fc.property(json, fc.nat(), (value, pick) => {
        const paths = listPaths(value).filter((path) => typeof path.at(-1) === "string");
        const path = paths[pick % Math.max(paths.length, 1)];
        if (path === undefined) return;
        const removed = getAt(value, path);
        const after = unsetAt(value, path);
        expect(getAt(after, path)).toBeUndefined();
        for (const other of paths) {
          if (!isPrefix(path, other) && !isPrefix(other, path)) expect(getAt(after, other)).toBe(getAt(value, other));
        }
        expect(setAt(after, path, removed ?? null)).toEqual(value);
      }),
    );
  });

  it("moving an element there and back gives the array again", () => {
    fc.assert(
      fc.property(fc.array(json, { minLength: 1 }), fc.nat(), fc.nat(), (items, a, b) => {
        const from = a % items.length;
        const to = b % items.length;
        expect(moveAt(moveAt(items, [], from, to), [], to, from)).toEqual(items);
      }),
    );
  });

  it("keeps `__proto__` an ordinary key and never reads an inherited one", () => {
    const value: JsonValue = JSON.parse('{"__proto__":{"a":1},"b":2}');
    const changed = setAt(value, ["__proto__", "a"], 3);
    expect(JSON.stringify(changed)).toBe('{"__proto__":{"a":3},"b":2}');
    expect(JSON.stringify(setAt({}, ["__proto__"], { polluted: true }))).toBe('{"__proto__":{"polluted":true}}');
    expect(Object.prototype).not.toHaveProperty("polluted");
    expect(getAt({}, ["constructor"])).toBeUndefined();
    expect(getAt({}, ["__proto__"])).toBeUndefined();
    expect(JSON.stringify(renameAt({ a: 1, b: 2 }, [], "a", "__proto__"))).toBe('{"__proto__":1,"b":2}');
  });

  it("changes nothing where the path leads through a scalar or past the end", () => {
    const value: JsonValue = { a: 1, list: [1, 2] };
    expect(setAt(value, ["a", "b"], 1)).toBe(value);
    expect(setAt(value, ["list", 5], 1)).toBe(value);
    expect(setAt(value, ["list", "length"], 1)).toBe(value);
    expect(unsetAt(value, ["missing", "x"])).toBe(value);
    expect(moveAt(value, ["list"], 0, 9)).toBe(value);
  });

  it("refuses to rename onto a key that is there, and keeps the key's position", () => {
    const value: JsonValue = { a: 1, b: 2, c: 3 };
    expect(renameAt(value, [], "b", "c")).toBe(value);
    expect(JSON.stringify(renameAt(value, [], "b", "x"))).toBe('{"a":1,"x":2,"c":3}');
  });

  it("inserts into the middle of a nested array", () => {
    expect(insertAt({ a: [1, 3] }, ["a"], 1, 2)).toEqual({ a: [1, 2, 3] });
  });

  it("compares without regard to the order of keys, but to their presence", () => {
    expect(equalJson({ a: 1, b: [null] }, { b: [null], a: 1 })).toBe(true);
    expect(equalJson({ a: 1 }, JSON.parse('{"__proto__":1}'))).toBe(false);
    expect(equalJson([], {})).toBe(false);
  });
});
