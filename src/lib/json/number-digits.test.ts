import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonValues } from "../json-values.test-support";
import {
  applyDigits,
  copyDigits,
  equalDigits,
  hasDigits,
  inheritDigits,
  listDigits,
  parseWithDigits,
  stringifyWithDigits,
} from "./number-digits";

const ODD = ["1.0", "1.10", "-0", "1e400", "-1e400", "9007199254740993", "1E2", "0.10000000000000000555", "12"];
const keys = fc
  .oneof(fc.string(), fc.constantFrom("__proto__", "constructor", "a/b", "~", "0"))
  .filter((key) => key === "0" || !/^\d+$/.test(key));

/** JSON texts without spaces, with numbers as programs write them. */
const jsonTexts = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(...ODD),
    jsonValues({ maxDepth: 1 }).map((value) => JSON.stringify(value)),
    fc.array(tie("node"), { maxLength: 4 }).map((items) => `[${items.join(",")}]`),
    fc
      .uniqueArray(fc.tuple(keys, tie("node")), { selector: ([key]) => key, maxLength: 4 })
      // Keys of digits come first in an object, whatever their position in the text.
      .map((members) => members.toSorted(([one], [other]) => Number(other === "0") - Number(one === "0")))
      .map((members) => `{${members.map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(",")}}`),
  ),
})).node;

const containers = jsonTexts.filter((text) => text.startsWith("{") || text.startsWith("["));

describe("the digits of numbers", () => {
  it("are written as they were read, in copies too", () => {
    fc.assert(
      fc.property(containers, (text) => {
        const value = parseWithDigits(text);
        expect(stringifyWithDigits(value)).toBe(text);
        expect(stringifyWithDigits(copyDigits(value, structuredClone(value)))).toBe(text);
        expect(
          stringifyWithDigits(inheritDigits(value, Array.isArray(value) ? [...value] : { ...(value as object) })),
        ).toBe(text);
      }),
    );
  });

  it("are written with indentation where the text is made for users", () => {
    fc.assert(
      fc.property(containers, (text) => {
        const indented = stringifyWithDigits(parseWithDigits(text), 2) ?? "";
        expect(stringifyWithDigits(parseWithDigits(indented))).toBe(text);
        expect(JSON.stringify(JSON.parse(indented), null, 2)).toBe(JSON.stringify(JSON.parse(text), null, 2));
      }),
    );
  });

  it("come with a message beside the value", () => {
    fc.assert(
      fc.property(containers, (text) => {
        const sent = parseWithDigits(text);
        const received: unknown = JSON.parse(JSON.stringify(sent));
        applyDigits(received, listDigits(sent) ?? {});
        expect(stringifyWithDigits(received)).toBe(text);
      }),
    );
  });

  it("leave the value as JSON.parse has it, and values without them unmarked", () => {
    fc.assert(
      fc.property(jsonValues(), (value) => {
        const text = JSON.stringify(value);
        const read = parseWithDigits(text);
        expect(Object.getOwnPropertySymbols(Object(read))).toEqual([]);
        expect(hasDigits(read)).toBe(false);
        expect(listDigits(read)).toBeUndefined();
        expect(stringifyWithDigits(read)).toBe(text);
      }),
    );
    const marked = parseWithDigits('{"a":1.0,"b":[1e2]}') as object;
    expect(JSON.stringify(marked)).toBe('{"a":1,"b":[100]}');
    expect(Object.keys(marked)).toEqual(["a", "b"]);
  });

  it("count no more where the number was replaced", () => {
    const value = parseWithDigits('{"a":1.0,"b":1.0,"c":[1.0,2.0]}') as { a: unknown; c: unknown[] };
    expect(stringifyWithDigits({ ...value, a: 2, c: "1.0" })).toBe('{"a":2,"b":1.0,"c":"1.0"}');
    value.c[0] = null;
    expect(stringifyWithDigits(value)).toBe('{"a":1.0,"b":1.0,"c":[null,2.0]}');
  });

  it("of a message that fit nothing in its value change nothing", () => {
    const value = { a: 1, b: "x", c: [null] };
    applyDigits(value, { "/z": "1.0", "/b": "1.0", "/b/c": "1.0", "/toString/length": "1.0", "": "1.0", "/a": "1.0" });
    expect(stringifyWithDigits(value)).toBe('{"a":1.0,"b":"x","c":[null]}');
  });

  it("tell values apart that differ in nothing else", () => {
    const isSame = (one: string, other: string) => equalDigits(parseWithDigits(one), parseWithDigits(other));
    expect(isSame('{"a":1.0}', '{"a":1}')).toBe(false);
    expect(isSame('{"a":1}', '{"a":1.0}')).toBe(false);
    expect(isSame('{"a":1.0}', '{"a":1.00}')).toBe(false);
    expect(isSame('{"a":[1.0],"b":1}', '{"b": 1, "a": [1.0]}')).toBe(true);
    expect(isSame('{"a":1}', '{"a": 1}')).toBe(true);
  });
});
