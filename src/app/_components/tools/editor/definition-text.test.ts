import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonValues } from "@/lib/json-values.test-support";
import { jsonFault, rawAt, readDefinition, setRaw, setValue, valueAt } from "./definition-text";

const TEXT = `{
  "name": "a",
  "x_vendor": { "keep": 1.0 },
  "parameters": {
    "type": "object",
    "properties": {}
  }
}`;

describe("the text of a definition", () => {
  it("keeps unknown keys, order and spelling when one place changes", () => {
    const changed = setValue(TEXT, ["name"], "b");
    expect(changed).toBe(TEXT.replace('"a"', '"b"'));
    expect(setValue(changed, ["name"], "a")).toBe(TEXT);
  });

  it("adds a key that is missing and takes one out", () => {
    const withTimeout = setValue(TEXT, ["timeout_ms"], 500);
    expect(JSON.parse(withTimeout)).toEqual({ ...JSON.parse(TEXT), timeout_ms: 500 });
    expect(JSON.parse(setValue(withTimeout, ["timeout_ms"], undefined))).toEqual(JSON.parse(TEXT));
    expect(JSON.parse(setValue(TEXT, ["annotations", "readOnlyHint"], true)).annotations).toEqual({
      readOnlyHint: true,
    });
  });

  it("lets what is no object give way to a key beneath it", () => {
    expect(JSON.parse(setValue('{"annotations": "x"}', ["annotations", "readOnlyHint"], true))).toEqual({
      annotations: { readOnlyHint: true },
    });
    expect(setValue('{"annotations": [1]}', ["annotations", "readOnlyHint"], undefined)).toBe('{"annotations": [1]}');
  });

  it("shows a part at the left margin and puts it back as it was", () => {
    const part = rawAt(TEXT, ["parameters"]);
    expect(part).toBe('{\n  "type": "object",\n  "properties": {}\n}');
    expect(setRaw(TEXT, ["parameters"], part ?? "")).toBe(TEXT);
    expect(rawAt(TEXT, ["implementation", "mock_response"])).toBeNull();
  });

  it("puts a part in as it was written, whatever it is", () => {
    fc.assert(
      fc.property(jsonValues(), (value) => {
        const text = setRaw(TEXT, ["implementation", "mock_response"], JSON.stringify(value, null, 2));
        expect(readDefinition(text).ok).toBe(true);
        expect(JSON.stringify(JSON.parse(text).implementation.mock_response)).toBe(JSON.stringify(value));
        expect(JSON.parse(text).x_vendor).toEqual({ keep: 1 });
      }),
    );
    expect(setRaw(TEXT, ["n"], "1.50e1")).toContain('"n": 1.50e1');
  });

  it("says what is wrong and where", () => {
    expect(jsonFault('{\n  "a": 1,\n}')).toContain("line 2, column 9: remove the trailing comma");
    expect(jsonFault("{} {}")).toContain("unexpected text after the end");
    expect(jsonFault('{"a": // no\n1}')).toContain("comments");
    expect(jsonFault('"\t"')).not.toBeNull();
    expect(jsonFault("[1, null]")).toBeNull();
    expect(jsonFault("")).not.toBeNull();
    expect(readDefinition("[]")).toEqual({ ok: false, message: "The definition must be a JSON object" });
  });

  it("finds own properties only", () => {
    expect(valueAt({ a: { b: 1 } }, ["a", "b"])).toBe(1);
    expect(valueAt({}, ["constructor"])).toBeUndefined();
    expect(valueAt({ a: "text" }, ["a", "length"])).toBeUndefined();
  });
});
