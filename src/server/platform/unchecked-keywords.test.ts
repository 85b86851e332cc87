import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../../lib/contract/json";
import { object, openValidator } from "./workers/ajv-validator.test-support";

const { validator, findFaults } = openValidator();

const listNotes = (schema: JsonSchema): string[] => validator.uncheckedKeywords(schema).map(({ message }) => message);
/** A schema as a server may list it: the type system is no help there. */
const raw = (text: string): JsonSchema => JSON.parse(text) as JsonSchema;

describe("schemas that cannot be checked whole", () => {
  it("VAL-05 a pattern of another language is not checked, its note says so, and the rest is checked", async () => {
    const schema = object({ s: { type: "string", pattern: "(?P<year>\\d{4})(?P>year)" }, n: { type: "integer" } });
    expect(validator.uncheckedKeywords(schema)).toEqual([
      {
        pointer: "/properties/s/pattern",
        keyword: "pattern",
        message: "`pattern` of `s` is not checked: Python syntax",
      },
    ]);
    expect(await findFaults(schema, { s: "anything", n: 1 })).toBeNull();
    expect(await findFaults(schema, { s: 1, n: "x" })).toBe(
      "Invalid parameters: 's' must be string; 'n' must be integer",
    );
  });

  it.each(["a++", "(?>a)b", "(?i)abc", "[[:alpha:]]+", "\\Qa.b\\E", "x\\Z"])(
    "VAL-05 the pattern %s refuses nothing, since JavaScript lacks its syntax or reads it as something else",
    async (pattern) => {
      const schema = object({ s: { type: "string", pattern } });
      expect(listNotes(schema)).toEqual([expect.stringContaining("`pattern` of `s` is not checked: ")]);
      expect(await findFaults(schema, { s: "!" })).toBeNull();
      expect(validator.checkSchema(schema)).toBeNull();
    },
  );

  it("VAL-05 what other languages only write differently is translated and checked", async () => {
    const schema = object({ s: { pattern: "\\A(?P<letter>[ab])(?P=letter)\\z" } });
    expect(listNotes(schema)).toEqual([]);
    expect(await findFaults(schema, { s: "aa" })).toBeNull();
    expect(await findFaults(schema, { s: "ab" })).toContain("must match pattern");
    expect(await findFaults(schema, { s: "aaa" })).toContain("must match pattern");
  });

  it("VAL-05 draft-04 is checked exactly: exclusive bounds that are flags, and ids", async () => {
    const schema = object(
      { n: { type: "number", minimum: 3, exclusiveMinimum: true }, r: { $ref: "part.json" } },
      {
        $schema: "http://json-schema.org/draft-04/schema#",
        id: "http://localhost:1234/tool.json",
        definitions: { part: { id: "part.json", type: "integer" } },
      },
    );
    expect(listNotes(schema)).toEqual([]);
    expect(await findFaults(schema, { n: 3.5, r: 1 })).toBeNull();
    expect(await findFaults(schema, { n: 3 })).toBe("Invalid parameters: 'n' must be > 3");
    expect(await findFaults(schema, { r: "x" })).toBe("Invalid parameters: 'r' must be integer");
  });

  it("VAL-05 the list form of items is checked where no dialect is declared", async () => {
    const schema = object({ l: { items: [{ type: "string" }], additionalItems: { type: "number" } } });
    expect(await findFaults(schema, { l: ["x", 1] })).toBeNull();
    expect(await findFaults(schema, { l: ["x", "y"] })).toBe("Invalid parameters: 'l[1]' must be number");
  });

  it.each([
    ['{"type":"object","properties":null}', "/properties", "`properties` of the arguments"],
    ['{"type":"object","properties":{"a":{"enum":[]}}}', "/properties/a/enum", "`enum` of `a`"],
    ['{"type":"object","properties":{"a":{"required":true}}}', "/properties/a/required", "`required` of `a`"],
    ['{"type":"object","properties":{"a":{"type":"any"}}}', "/properties/a/type", "`type` of `a`"],
    ['{"type":"object","properties":{"a":{"items":{"minimum":"3"}}}}', "/properties/a/items/minimum", "`a[]`"],
    ['{"type":"object","properties":{"a":7}}', "/properties/a", "The schema of `a`"],
    ['{"type":"object","properties":{"a":{"anyOf":[null]}}}', "/properties/a/anyOf", "`anyOf` of `a`"],
    ['{"type":"object","properties":{"a":{"$ref":"http://other/x"}}}', "/properties/a/$ref", "`$ref` of `a`"],
    ['{"type":"object","properties":{"a":{"$ref":"#/$defs/gone"}}}', "/properties/a/$ref", "`$ref` of `a`"],
    ['{"type":"object","$defs":{"a":{"$ref":"#/$defs/a"}}}', "/$defs/a/$ref", "`$ref` of `$defs.a`"],
    ['{"type":"object","properties":{"a":{"format":"iban"}}}', "/properties/a/format", "`format` of `a`"],
    ['{"type":"object","$schema":"https://example.com/mine"}', "/$schema", "`$schema`"],
  ])("VAL-05 of %s only the one keyword is left out, with a note that names it", async (text, pointer, named) => {
    const schema = raw(text);
    expect(validator.uncheckedKeywords(schema)).toEqual([
      expect.objectContaining({ pointer, message: expect.stringContaining(named) }),
    ]);
    const checked = { ...schema, required: ["needed"] };
    expect(await findFaults(checked, { a: null })).toBe("Invalid parameters: missing 'needed'");
    expect(await findFaults(checked, { a: null, needed: 1 })).toBeNull();
  });

  it("REG-04 in an own tool a keyword of a wrong type stays an error; unknown patterns, formats and dialects do not", () => {
    const faults = [
      '{"type":"object","properties":null}',
      '{"type":"object","properties":{"a":{"enum":[]}}}',
      '{"type":"object","properties":{"a":{"type":"any"}}}',
      '{"type":"object","properties":{"a":{"pattern":"(unclosed"}}}',
      '{"type":"object","properties":{"a":{"$ref":"http://other/x"}}}',
    ].map((text) => validator.checkSchema(raw(text)));
    expect(faults.filter((fault) => fault === null)).toEqual([]);
    expect(faults[4]).toBe("/properties/a/$ref http://other/x is an external document, which Toolroom does not fetch");
    const kept = object({ a: { pattern: "(?>a)" }, b: { format: "iban" } }, { $schema: "https://example.com/mine" });
    expect(validator.checkSchema(kept)).toBeNull();
  });

  it("REG-04 two schemas with one address are an error in an own tool", () => {
    const part = { $id: "http://localhost:1234/part" };
    const schema = object({ a: { ...part, type: "string" }, b: { ...part, type: "number" } });
    expect(validator.checkSchema(schema, { compile: true })).toContain("http://localhost:1234/part");
  });

  it("VAL-05 leaving a keyword out never makes the schema refuse more", async () => {
    const pattern = "(?>x)";
    const schema = object(
      {
        not: { not: { pattern } },
        reference: { not: { $ref: "#/$defs/x" } },
        one: { oneOf: [{ pattern }, { type: "string" }] },
        choice: JSON.parse(`{ "if": { "pattern": "${pattern}" }, "then": { "type": "number" } }`),
        names: { patternProperties: { [pattern]: { type: "string" } }, additionalProperties: { type: "number" } },
      },
      { $defs: { x: { pattern } } },
    );
    const args = { not: "x", reference: "x", one: "x", choice: "x", names: { x: "text" } };
    expect(await findFaults(schema, args)).toBeNull();
    expect(await findFaults(schema, { ...args, one: 1, names: 7 })).toBeNull();
  });

  it("VAL-05 of several schemas with one address the first keeps it, and the rest is checked", async () => {
    const named = (type: string) => ({ $id: "http://localhost:1234/part", type });
    const schema = object({ a: named("string"), b: named("number"), c: named("string") });
    expect(listNotes(schema)).toEqual([
      '`$id` of `b` is not checked: another schema is called "http://localhost:1234/part" too',
    ]);
    expect(await findFaults(schema, { a: 1, b: "x", c: 1 })).toBe(
      "Invalid parameters: 'a' must be string; 'b' must be number; 'c' must be string",
    );
  });

  it("VAL-05 a long chain of references is followed, and one that never ends is left out", async () => {
    const chain = (last: object): JsonSchema => ({
      type: "object",
      properties: { a: { $ref: "#/$defs/d0" } },
      $defs: Object.fromEntries(
        Array.from({ length: 3000 }, (_, index) => [
          `d${index}`,
          index === 2999 ? last : { $ref: `#/$defs/d${index + 1}` },
        ]),
      ),
    });
    expect(listNotes(chain({ type: "string" }))).toEqual([]);
    expect(await findFaults(chain({ type: "string" }), { a: 1 })).toBe("Invalid parameters: 'a' must be string");
    expect(listNotes(chain({ $ref: "#/$defs/d7" }))[0]).toBe(
      "`$ref` of `a` is not checked: the reference leads back to itself",
    );
    expect(await findFaults(chain({ $ref: "#/$defs/d7" }), { a: 1 })).toBeNull();
  });

  it("VAL-05 a schema that is too large to be checked refuses nothing, and says so", async () => {
    const many = Object.fromEntries(Array.from({ length: 6000 }, (_, index) => [`p${index}`, { type: "string" }]));
    expect(listNotes(object(many))).toEqual(["The schema is not checked: it holds more than 10000 values"]);
    expect(await findFaults(object(many), { p0: 1 })).toBeNull();
    expect(validator.checkSchema(object(many))).toBe("it holds more than 10000 values");
  });
});
