import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../../../lib/contract/json";
import { PROVIDERS, type ToolDefinition } from "../../../lib/contract/tool-definition";
import { describeField } from "../../../lib/schema/describe/describe-field";
import { unsupportedByForm } from "../../../lib/schema/describe/form-support";
import { sampleValue } from "../../../lib/schema/describe/initial-values";
import { schemaTree } from "../../../lib/schema/describe/schema-tree";
import { engineWith } from "../executor/executor.test-support";
import { requiredParameters } from "../validation/argument-faults";
import { convertTool } from "./provider-formats";

const KEYWORDS = [
  "$schema",
  "$id",
  "$ref",
  "$defs",
  "definitions",
  "$anchor",
  "$dynamicRef",
  "$vocabulary",
  "type",
  "enum",
  "const",
  "properties",
  "patternProperties",
  "additionalProperties",
  "propertyNames",
  "required",
  "minProperties",
  "dependentRequired",
  "dependentSchemas",
  "dependencies",
  "unevaluatedProperties",
  "items",
  "prefixItems",
  "additionalItems",
  "unevaluatedItems",
  "contains",
  "minContains",
  "maxContains",
  "uniqueItems",
  "maxItems",
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "if",
  "then",
  "else",
  "minimum",
  "exclusiveMaximum",
  "multipleOf",
  "maxLength",
  "pattern",
  "format",
  "title",
  "description",
  "default",
  "examples",
  "deprecated",
  "readOnly",
  "nullable",
  "id",
];
const VALUES: unknown[] = [null, true, 7, -1.5, "", "x", "(", [], [null], [7], ["x", "x"], {}, { a: null }, { a: 7 }];

/** As they come from a server: no two places are one object. */
const malformedSchemas = (): JsonSchema[] => JSON.parse(JSON.stringify([...combinations()])) as JsonSchema[];

function* combinations(): Generator<JsonSchema> {
  for (const keyword of KEYWORDS) {
    for (const value of VALUES) {
      const part = { [keyword]: value };
      yield { ...part, type: "object" };
      yield { type: "object", properties: { a: part, b: { type: "string", ...part }, c: { type: "array", ...part } } };
      yield { type: "object", properties: { a: { anyOf: [part, { type: "null" }] }, b: { items: part } } };
    }
  }
}

/** Uses a tool's schema as the console and the model clients do. */
function useEverywhere(parameters: JsonSchema): void {
  const definition: ToolDefinition = {
    name: "s__t",
    description: "A tool of a server",
    type: "function",
    handler: "t",
    parameters,
    implementation: { type: "mcp", server: "s", tool: "t" },
  };
  describeField(parameters, parameters);
  schemaTree(parameters);
  sampleValue(parameters, parameters);
  unsupportedByForm(parameters);
  requiredParameters(parameters);
  for (const provider of PROVIDERS) {
    convertTool(provider, definition);
  }
}

describe("schemas of servers, whatever they hold", () => {
  it("REG-02 can be shown, filled in and sent to providers", () => {
    const failed: string[] = [];
    for (const schema of malformedSchemas()) {
      try {
        useEverywhere(schema);
      } catch (error) {
        failed.push(`${JSON.stringify(schema)}: ${String(error)}`);
      }
    }
    expect(failed).toEqual([]);
  });

  it("VAL-05 can be read, and what is left of them compiles", async () => {
    const { validator } = engineWith();
    const unchecked: string[] = [];
    const size = { values: 2, bytes: 9, depth: 1, unrepresentable: false };
    for (const schema of malformedSchemas()) {
      await validator.validate(schema, { a: "x" }, size);
      const whole = validator.uncheckedKeywords(schema).filter(({ pointer }) => pointer === "");
      if (whole.length > 0) unchecked.push(`${JSON.stringify(schema)}: ${whole[0]?.message}`);
    }
    expect(unchecked).toEqual([]);
    await validator.close();
  }, 120_000);
});
