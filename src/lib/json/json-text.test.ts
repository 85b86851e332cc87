import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findElements, findMember } from "./json-text";

const SPACES = ["", " ", "\n", "\t \r\n"];
const json = fc.jsonValue({ maxDepth: 4, noUnicodeString: false });

/** JSON text of a value, with spaces wherever they are allowed and letters of keys escaped. */
function toOddText(value: unknown, spaceAt: () => string): string {
  const space = spaceAt();
  if (Array.isArray(value))
    return `${space}[${value.map((item) => toOddText(item, spaceAt)).join(",") || space}]${space}`;
  if (typeof value !== "object" || value === null) return `${space}${JSON.stringify(value)}${space}`;
  const members = Object.entries(value).map(([key, item]) => {
    const quoted = JSON.stringify(key).replace(
      /^"([a-z])/,
      (_, letter: string) => `"\\u00${letter.charCodeAt(0).toString(16)}`,
    );
    return `${space}${space === "" ? JSON.stringify(key) : quoted}${space}:${toOddText(item, spaceAt)}`;
  });
  return `${space}{${members.join(",") || space}}${space}`;
}

describe("the text of a member", () => {
  it("EXE-06 is found in any valid JSON, whatever surrounds it", () => {
    const spaces = fc.infiniteStream(fc.constantFrom(...SPACES));
    fc.assert(
      fc.property(fc.dictionary(fc.string(), json), spaces, (value, stream) => {
        const text = toOddText(value, () => stream.next().value ?? "");
        const parsed = JSON.parse(text) as Record<string, unknown>;
        for (const key of Object.keys(parsed)) {
          const found = findMember(text, 0, key);
          expect(JSON.parse(text.slice(found?.start, found?.end))).toEqual(parsed[key]);
          expect(text.slice(found?.start, found?.end).trim()).toBe(text.slice(found?.start, found?.end));
        }
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['{"a":1,"a": 2.0 }', "2.0"],
    ['{"\\u0061":"\\\\\\"}"}', '"\\\\\\"}"'],
    ['{"b":{"a":1},"a":[{"a":"]"}]}', '[{"a":"]"}]'],
    ['{"a":-1e+2}', "-1e+2"],
  ])("EXE-06 of %s is the last one of that key, and of that object alone", (text, expected) => {
    const found = findMember(text, 0, "a");
    expect(text.slice(found?.start, found?.end)).toBe(expected);
  });

  it("is absent where there is no such key, and no object", () => {
    for (const text of ["{}", " { } ", '{"b":{"a":1}}', "[]", "1", '"{\\"a\\":1}"']) {
      expect(findMember(text, 0, "a")).toBeNull();
    }
  });

  it("EXE-06 elements of an array start where their values do", () => {
    fc.assert(
      fc.property(fc.array(fc.dictionary(fc.string(), json)), (values) => {
        const text = toOddText(values, () => " ");
        expect(findElements(text).map((start) => text[start])).toEqual(values.map(() => "{"));
      }),
    );
    const text = ' [ 1 , [2,3] ,{"a":[4]}, "x" ]';
    expect(findElements(text).map((start) => text.slice(start, start + 2))).toEqual(["1 ", "[2", '{"', '"x']);
  });

  it("passes deeply nested values without recursion", () => {
    const text = `{"params":${"[".repeat(200_000)}${"]".repeat(200_000)},"a":1}`;
    expect(findMember(text, 0, "a")).toEqual({ start: text.length - 2, end: text.length - 1 });
  });
});
