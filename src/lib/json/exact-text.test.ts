import { describe, expect, it } from "vitest";
import {
  keepExactText,
  parseExact,
  parseExactParts,
  readExact,
  toExactText,
  toMemberText,
  writeExact,
} from "./exact-text";
import { getKeptText, toJsonText } from "./known-text";

describe("the exact text of a value", () => {
  it.each([
    ['{"a":1.0}', '{"a":1.0}'],
    ['{"a":1.0,\n "b":[-0,1e400]}', '{"a":1.0,  "b":[-0,1e400]}'],
    ['{"\\u0061":1.0}', '{"a":1.0}'],
    ['{"a":1.0,"a":2.0}', '{"a":2.0}'],
    ['{"a":{"x":9007199254740993},"a":{"x":9007199254740992}}', '{"a":{"x":9007199254740992}}'],
    ['{"a":[1.0,2.0],"a":[1]}', '{"a":[1]}'],
    ['{"__proto__":1.0,"__proto__":2.0}', '{"__proto__":2.0}'],
  ])("EXE-06 has the digits of numbers, and of a repeated member the last value: %s", (text, expected) => {
    expect(toJsonText(parseExact(text))).toBe(expected);
  });

  it("EXE-06 is not kept where every number is a short integer", () => {
    const text = '{"a": 1, "b": [-2, 123456789012345]}';
    const value = JSON.parse(text) as object;
    keepExactText(value, text);
    expect(getKeptText(value)).toBeUndefined();
  });

  it("EXE-06 does not take a string for a number", () => {
    const text = '{"v":"1.0","k1.0":"\\n\\u0041 -0 \\" 1e5","list":["2.0"]}';
    expect(toJsonText(parseExact(text))).toBe(JSON.stringify(JSON.parse(text)));
  });

  it("EXE-06 ends at a depth that is counted, and the value is then written from its parsed numbers", () => {
    const text = `${'{"a":'.repeat(1500)}1.0${"}".repeat(1500)}`;
    const value = JSON.parse(text) as object;
    keepExactText(value, text);
    expect(getKeptText(value)).toBeUndefined();
  });

  it("EXE-06 is kept for each part whose numbers would change", () => {
    const { one, two } = parseExactParts('{"one": {"a": [1.0]}, "two": {"b": 1}}') as Record<string, object>;
    expect([one, two].map((part) => toExactText(part))).toEqual(['{"a":[1.0]}', '{"b":1}']);
  });

  it("EXE-06 is that of a single member, also of a list", () => {
    const value = parseExactParts('{"id": 9007199254740993, "list": [1.0, {"a": 2.0}], "n": 1}') as { list: object };
    expect(["id", "list", "n"].map((key) => toMemberText(value, key))).toEqual([
      "9007199254740993",
      '[1.0,{"a":2.0}]',
      "1",
    ]);
    expect(["0", "1"].map((key) => toMemberText(value.list, key))).toEqual(["1.0", '{"a":2.0}']);
  });

  it("EXE-06 is written again from a copy with exact numbers", () => {
    const value = parseExact('{"list":[1.0,2],"in":{"n":9007199254740993}}') as { in: { n: unknown } };
    const exact = readExact(value);
    expect(String(exact.in.n)).toBe("9007199254740993");
    expect(writeExact({ part: exact.in, other: 1 })).toBe('{"part":{"n":9007199254740993},"other":1}');
  });
});
