import { describe, expect, it } from "vitest";
import { keepText } from "../../../../lib/json/known-text";
import { toExtendedText } from "./catalog-server";

const TEXT = '{"content":[],"n":1.0}';

function kept(): Record<string, unknown> {
  const value = JSON.parse(TEXT) as Record<string, unknown>;
  keepText(value, TEXT);
  return value;
}

describe("the text of a result with more members", () => {
  it("is the kept one as long as nothing is added", () => {
    const value = kept();
    expect(toExtendedText(value, value)).toBe(TEXT);
  });

  it("is the kept one with the members that are new", () => {
    const value = kept();
    expect(toExtendedText(value, { ...value, resultType: "complete", gone: undefined })).toBe(
      '{"content":[],"n":1.0,"resultType":"complete"}',
    );
  });

  it.each([
    ["a member has changed", { content: [1] }],
    ["a member is gone", { content: undefined }],
  ])("is a new one where %s", (_, change) => {
    const value = kept();
    const extended = { ...value, ...change };
    expect(JSON.parse(toExtendedText(value, extended))).toEqual(JSON.parse(JSON.stringify(extended)));
  });

  it("keeps the members that stay when others change or go", () => {
    const text = '{"a":{"n":1.0},"gone":1.0,"a\\"b":[12345678901234567890],"changed":1.0,"changed":2.0}';
    const value = JSON.parse(text) as Record<string, unknown>;
    keepText(value, text);
    const { gone: _, ...rest } = value;
    const changed = { ...rest, changed: "x", added: null };
    expect(toExtendedText(value, changed)).toBe(
      '{"a":{"n":1.0},"a\\"b":[12345678901234567890],"changed":"x","added":null}',
    );
    expect(toExtendedText(value, { ...value })).toBe(text);
  });

  it("is a new one for a value without members", () => {
    expect(toExtendedText({}, { a: 1 })).toBe('{"a":1}');
    expect(toExtendedText({}, {})).toBe("{}");
  });
});
