import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatNode } from "./format-node";
import { parseJsonNode } from "./json-node";

describe("parseJsonNode", () => {
  it("gives null for text that is not JSON, also when it is only cut off", () => {
    for (const text of ["", "{", '{"a":1', "[1,]", "nul", "'a'", '{"a":1} x']) expect(parseJsonNode(text)).toBeNull();
  });

  it("keeps every JSON value through parse and format", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        const node = parseJsonNode(text);
        expect(node && JSON.parse(formatNode(node))).toEqual(JSON.parse(text));
      }),
    );
  });

  it("keeps the digits of numbers that a double cannot hold, repeated keys and a __proto__ key", () => {
    const node = parseJsonNode('{"n": 12345678901234567890, "a": 1, "a": 2, "__proto__": {"x": 1e400}}');
    expect(node && formatNode(node)).toBe(
      '{\n  "n": 12345678901234567890,\n  "a": 1,\n  "a": 2,\n  "__proto__": {\n    "x": 1e400\n  }\n}',
    );
  });

  it("reads strings with quotes, backslashes and brackets in them", () => {
    const value = { 'k"{[': ["a\\", '\\"', "]},:", "\u2028é"] };
    const node = parseJsonNode(JSON.stringify(value, null, 1));
    expect(node && JSON.parse(formatNode(node))).toEqual(value);
    expect(node?.size).toBe(6);
    expect(node?.height).toBe(2);
  });

  it("survives a depth that would exhaust the stack", () => {
    const depth = 50_000;
    const node = parseJsonNode("[".repeat(depth) + "]".repeat(depth));
    expect(node?.height).toBe(depth - 1);
    expect(node?.size).toBe(depth);
  });
});
