import { Ajv } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { CLOSED_SCHEMAS } from "./closed-schemas.test-support";
import { DIALECT_ADDRESSES, type DialectName, schemaCases } from "./json-schema-cases.test-support";
import { openValidator } from "./workers/ajv-validator.test-support";

const { validator, findFaults } = openValidator();

/** ajv without anything of this product. */
function plainAjv(dialect: DialectName): Ajv {
  const options = { strict: false, logger: false, validateSchema: false, ownProperties: true } as const;
  if (dialect === "2020-12") return new Ajv2020(options);
  return dialect === "2019-09" ? new Ajv2019(options) : new Ajv(options);
}

describe("cases of JSON Schema", () => {
  it("VAL-05 every value is checked as plain ajv checks it, in every dialect", async () => {
    const wrong: string[] = [];
    let checked = 0;
    for (const { title, dialect, schema, fits, refused } of schemaCases()) {
      const { $schema: _, ...content } = schema;
      const reference = plainAjv(dialect).compile(content);
      const values = [
        ...fits.map((value) => [value, true] as const),
        ...refused.map((value) => [value, false] as const),
      ];
      for (const [value, expected] of values) {
        expect(reference(value), `plain ajv on ${title}, ${JSON.stringify(value)}`).toBe(expected);
        checked += 1;
        if (((await findFaults(schema, value)) === null) !== expected) wrong.push(`${title}: ${JSON.stringify(value)}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(checked).toBeGreaterThan(200);
  });

  it("REG-04 every one of these schemas can be a tool's, and nothing of it is left unchecked", () => {
    const faults = [...schemaCases()].flatMap(({ title, schema }) => {
      const problem = validator.checkSchema(schema);
      const notes = validator.uncheckedKeywords(schema).map(({ message }) => message);
      return [...(problem === null ? [] : [problem]), ...notes].map((each) => `${title}: ${each}`);
    });
    expect(faults).toEqual([]);
  });

  it.each(CLOSED_SCHEMAS)("VAL-04 ignoring undefined parameters refuses nothing that fits: $title", async (closed) => {
    const reference = plainAjv("2020-12").compile(closed.schema);
    for (const value of closed.fits) {
      expect(reference(value), `plain ajv, ${JSON.stringify(value)}`).toBe(true);
      expect(await findFaults(closed.schema, value), JSON.stringify(value)).toBeNull();
    }
    for (const value of closed.refused) {
      expect(reference(value), `plain ajv, ${JSON.stringify(value)}`).toBe(false);
      expect(await findFaults(closed.schema, value), JSON.stringify(value)).not.toBeNull();
    }
  });

  it.each(Object.values(DIALECT_ADDRESSES))("VAL-05 a parameter can be a schema of %s", async (address) => {
    const schema = { $schema: address, type: "object", properties: { schema: { $ref: address } } };
    expect(validator.checkSchema(schema)).toBeNull();
    expect(validator.uncheckedKeywords(schema)).toEqual([]);
    expect(await findFaults(schema, { schema: { properties: { a: { minLength: 1 } } } })).toBeNull();
    expect(await findFaults(schema, { schema: { properties: { a: { minLength: -1 } } } })).toContain("minLength");
  });

  it("VAL-05 a schema that refers to itself without end refuses calls with that reason", async () => {
    const endless = {
      $defs: { first: { allOf: [{ $ref: "#/$defs/second" }] }, second: { anyOf: [{ $ref: "#/$defs/first" }] } },
      $ref: "#/$defs/first",
    };
    expect(await findFaults(endless, {})).toContain("the schema refers to itself endlessly");
    const $id = "http://localhost:1234/inner.json";
    const uncompilable = { properties: { a: { $id, $ref: "#/$defs/b", $defs: { b: {} } } }, $ref: $id };
    expect(await findFaults(uncompilable, { a: 1 })).toBeNull();
    expect(validator.uncheckedKeywords(uncompilable).map(({ message }) => message)).toEqual([
      "The schema is not checked: it cannot be compiled (the schema refers to itself endlessly)",
    ]);
  });
});
