import { describe, expect, it } from "vitest";
import { CallArguments } from "./call-arguments";

const ODD = [
  ' { "b" : 1.0,\n"a":1e2 } ',
  '{"a":"\\u0041\\/","__proto__":{"x":1}}',
  '{"a":1,"a":2}',
  '{"big":12345678901234567890,"10":1,"9":2}',
];

describe("the arguments of a call", () => {
  it.each(ODD)("EXE-06 keep the text %s as it was sent, beside its value", (text) => {
    const args = CallArguments.parse(text);
    expect(args.text).toBe(text);
    expect(args.value).toEqual(JSON.parse(text));
    expect(CallArguments.from(args)).toBe(args);
  });

  it("EXE-06 stay what they are where another bundle of the process made them", async () => {
    // A query makes a second copy of this module alone: test files share the others.
    const copy = "./call-arguments?copy";
    const other: typeof import("./call-arguments") = await import(copy);
    const args = other.CallArguments.parse('{"a":1.0}');
    expect(args).not.toBeInstanceOf(CallArguments);
    expect(CallArguments.from(args)).toBe(args);
  });

  it("get a text where a value was sent; what JSON cannot say is null", () => {
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    expect([{ a: [1] }, undefined, "text", circular, () => 1].map((value) => CallArguments.from(value).text)).toEqual([
      '{"a":[1]}',
      "{}",
      '"text"',
      "null",
      "null",
    ]);
  });

  it.each([
    ['{"b": 1.0}', '{"a":1,"b": 1.0}'],
    [" { } ", '{"a":1 } '],
    ['{"a":"2"}', '{"a":"2"}'],
    ["[1]", "[1]"],
    ['{"__proto__":1}', '{"a":1,"__proto__":1}'],
  ])("AGT-06 %s gets the members that it lacks, and its text stays", (sent, stored) => {
    const args = CallArguments.parse(sent).withDefaults({ a: 1 });
    expect(args.text).toBe(stored);
    expect(JSON.stringify(args.value)).toBe(JSON.stringify(JSON.parse(stored)));
  });

  it("AGT-06 stay the same object where nothing is added", () => {
    const args = CallArguments.parse("{}");
    expect(args.withDefaults({})).toBe(args);
    expect(args.withDefaults({ a: undefined })).toBe(args);
  });
});
