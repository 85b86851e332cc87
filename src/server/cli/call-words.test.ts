import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../../lib/contract/json";
import { listFields } from "../../lib/schema/list-fields";
import { composeArguments, sortCallWords } from "./call-words";

const SCHEMA: JsonSchema = {
  type: "object",
  $defs: { point: { type: "object", properties: { x: { type: "number" } } } },
  properties: {
    text: { type: "string" },
    maybe: { type: ["integer", "null"] },
    either: { anyOf: [{ type: "number" }, { type: "boolean" }] },
    unit: { enum: ["metric", 1, null] },
    point: { $ref: "#/$defs/point" },
    numbers: { type: "array", items: { type: "number" } },
    anything: {},
    json: { type: "string" },
  },
  required: ["text"],
};

function compose(words: readonly string[], schema = SCHEMA): string {
  const { payload, fields } = sortCallWords(words, schema);
  return composeArguments(payload, fields, schema);
}

describe("the words behind a tool", () => {
  it.each([
    [["--text", "5"], '{"text":"5"}'],
    [["--text=--dashed=1"], '{"text":"--dashed=1"}'],
    [["--text", "-5"], '{"text":"-5"}'],
    [["--maybe", "null"], '{"maybe":null}'],
    [["--maybe", "12345678901234567890"], '{"maybe":12345678901234567890}'],
    [["--either", "1.50"], '{"either":1.50}'],
    [["--either", "true"], '{"either":true}'],
    [["--either"], '{"either":true}'],
    [["--either", '{"text":"a"}'], '{"text":"a","either":true}'],
    [["--unit", "1"], '{"unit":1}'],
    [["--unit", "metric"], '{"unit":"metric"}'],
    [["--point", '{"x": 1.0}'], '{"point":{"x": 1.0}}'],
    [["--numbers", "1", "--numbers", "2e3"], '{"numbers":[1,2e3]}'],
    [["--numbers", "[1, 2]"], '{"numbers":[1, 2]}'],
    [["--anything", "5"], '{"anything":"5"}'],
    [["{ }", "--text", "a"], '{ "text":"a"}'],
    [['{"text":"a","text":"b"}'], '{"text":"a","text":"b"}'],
  ])("%j become %s", (words, text) => {
    expect(compose(words)).toBe(text);
  });

  it.each([
    [["--maybe", "1.5"], "--maybe must be an integer"],
    [["--either", "yes"], "--either must be a number or true or false"],
    [["--point", "[1]"], "--point must be a JSON object"],
    [["--numbers", "1", "--numbers", "x"], "--numbers must be a number"],
    [["--text", "a", "--text", "b"], "--text is given 2 times"],
    [["{}", "{}"], "one word too many"],
    [["null"], "must be a JSON object"],
    [["--tex", "a"], 'no field "tex"'],
    [["--__proto__", "a"], 'no field "__proto__"'],
  ])("%j are refused with the name of the field", (words, message) => {
    expect(() => compose(words)).toThrow(message);
  });

  it("that are no JSON lead to fields first, and to a file or stdin, which keep quotes in every shell", () => {
    try {
      compose(["{location:Oslo}"]);
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({ message: expect.stringContaining("are not JSON") });
      const { wayOut } = error as { wayOut: string };
      expect(wayOut).toMatch(/^Write fields such as --location Oslo, .*'@arguments\.json'.* stdin/);
    }
  });

  it("take --json for a field where the tool has one, else for the option", () => {
    expect(sortCallWords(["--json", "x"], SCHEMA)).toMatchObject({
      fields: new Map([["json", ["x"]]]),
      flags: new Set(),
    });
    expect(sortCallWords(["--json"], { type: "object" }).flags).toEqual(new Set(["json"]));
  });

  it("reach the tool unchanged, whatever text they are", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(JSON.parse(compose([`--text=${text}`])).text).toBe(
          text.toWellFormed() === text ? text : JSON.parse(JSON.stringify(text)),
        );
      }),
    );
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const text = JSON.stringify(value, null, 1);
        if (!Object.hasOwn(value, "text"))
          expect(JSON.parse(compose([text, "--text", "a"]))).toEqual({ ...JSON.parse(text), text: "a" });
        expect(compose([text])).toBe(text);
      }),
    );
  });

  it("are listed with their types and which are required", () => {
    expect(listFields(SCHEMA).slice(0, 5)).toEqual([
      { name: "text", type: "string", required: true, description: "" },
      { name: "maybe", type: "integer | null", required: false, description: "" },
      { name: "either", type: "number | boolean", required: false, description: "" },
      { name: "unit", type: '"metric" | 1 | null', required: false, description: "" },
      { name: "point", type: "object", required: false, description: "" },
    ]);
  });
});
