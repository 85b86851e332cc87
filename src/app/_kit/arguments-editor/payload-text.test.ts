import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonValue } from "@/lib/contract/json";
import { jsonValues } from "@/lib/json-values.test-support";
import { findOffset, jsonProblems, textWarnings } from "./json-problems";
import { formatPayload, readObject, readPayload } from "./payload-text";

const findFault = (text: string) => {
  const read = readPayload(text);
  return read.ok ? null : read.fault;
};

describe("where a text is not JSON", () => {
  it.each([
    ["", 1, 1, "expected a value"],
    ['{"a":1,}', 1, 7, "remove the trailing comma"],
    ["[\n1,\n]", 2, 2, "remove the trailing comma"],
    ['{"a":1 // no\n}', 1, 8, "comments are not allowed in JSON"],
    ["{a: 1}", 1, 2, "unexpected text; write strings in double quotes"],
    ['{"a":1', 1, 7, "expected a closing }"],
    ["{} x", 1, 4, "unexpected text; write strings in double quotes"],
    ['{"a": "x\n"}', 1, 7, "expected a closing quote"],
  ])("AGT-03 %j breaks at line %i, column %i", (text, line, column, message) => {
    expect(findFault(text)).toMatchObject({ line, column, message });
  });

  it("finds a place in whatever JSON.parse refuses", () => {
    fc.assert(
      fc.property(jsonValues(), fc.nat(), fc.string({ maxLength: 3 }), (value, at, noise) => {
        const text = JSON.stringify(value, null, 2);
        const offset = at % (text.length + 1);
        const changed = text.slice(0, offset) + noise + text.slice(offset);
        const fault = findFault(changed);
        if (fault === null) expect(() => JSON.parse(changed)).not.toThrow();
        else {
          expect(fault.offset).toBeLessThanOrEqual(changed.length);
          expect(changed.split("\n").length).toBeGreaterThanOrEqual(fault.line);
        }
      }),
    );
  });

  it("survives brackets without end", () => {
    expect(findFault("[".repeat(100_000))).toMatchObject({ line: 1 });
  });
});

describe("the text that is sent", () => {
  it("RTE-03 is the value, on one line when it is short", () => {
    expect(formatPayload({ location: "Oslo", days: 1.5 })).toBe('{ "location": "Oslo", "days": 1.5 }');
    expect(formatPayload({})).toBe("{}");
    expect(formatPayload({ text: "x".repeat(100) })).toBe(`{\n  "text": "${"x".repeat(100)}"\n}`);
    expect(formatPayload({ text: "a\n  b" })).toBe('{ "text": "a\\n  b" }');
  });

  it("RTE-03 reads back as the value it was made of", () => {
    fc.assert(
      fc.property(jsonValues(), (value) => {
        expect(JSON.parse(formatPayload(value as JsonValue))).toEqual(value);
      }),
    );
  });
});

describe("warnings about valid JSON", () => {
  it("name repeated keys of one object, not those of different ones", () => {
    const text = '{\n "a": {"x": 1},\n "b": {"x": 2},\n "a": 3\n}';
    expect(textWarnings(text)).toMatchObject([
      { line: 4, message: '"a" is already on line 2; the tool gets only the last one' },
    ]);
    expect(textWarnings('{"__proto__":1,"__proto__":2,"constructor":1}')).toHaveLength(1);
  });

  it("name numbers that cannot be kept, and what the tool gets", () => {
    expect(
      textWarnings('{"id": 12345678901234567890,\n"big": 1e400, "ok": 1.50}').map((w) => [w.line, w.message]),
    ).toEqual([
      [1, "12345678901234567890 reaches the tool as 12345678901234567000"],
      [2, "1e400 reaches the tool as null"],
    ]);
  });
});

it("VAL-05 puts the server's faults at their place in the text, or at the nearest one there is", () => {
  const text = '{\n  "items": [\n    { "price": "x" }\n  ]\n}';
  const fault = (pointer: string, path: string) => ({ pointer, path, keyword: "type", message: "must be number" });
  const problems = jsonProblems(text, null, [
    fault("/items/0/price", "items[0].price"),
    fault("/items/0/name", "items[0].name"),
  ]);
  expect(problems.map(({ line, column, message }) => [line, column, message])).toEqual([
    [3, 16, "items[0].price must be number"],
    [3, 5, "items[0].name must be number"],
  ]);
  expect(text.slice(findOffset(text, "/items/0"))).toMatch(/^{ "price"/);
});

it("takes only objects for filling", () => {
  expect(readObject(' {"a":1}\n')).toEqual({ a: 1 });
  for (const text of ["[]", "1", "{", "", "{} {}", '"{}"']) expect(readObject(text), text).toBeNull();
});
