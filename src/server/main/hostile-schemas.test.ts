import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../../lib/contract/json";
import type { ToolDefinition } from "../../lib/contract/tool-definition";
import { HOSTILE_SCHEMAS } from "../../lib/schema/hostile-schemas.test-support";
import { MAX_SCHEMA_CHARS, schemaFor } from "../../lib/schema/providers/provider-schema";
import { maskedArguments } from "../engine/masking/masking.test-support";
import { compareTools } from "../engine/registry/tool-changes";
import { requiredParameters } from "../engine/validation/argument-faults";
import { checkQuality } from "../features/tools/catalog-entry";
import { planTurn } from "../models/demo-client";
import { wireFormat } from "../models/wire-format";
import { validationCost } from "../platform/workers/schema-risk";

/** Processor time. Generous: these took minutes, or never ended. */
const MAX_MS = 2_000;

const buildTool = (parameters: JsonSchema): ToolDefinition => ({
  name: "hostile",
  description: "A tool with a hostile schema",
  type: "function",
  handler: "echo",
  parameters,
  implementation: { type: "builtin", handler: "echo" },
});

function nestedArguments(depth: number): unknown {
  let value: unknown = { leaf: "x" };
  for (let level = 0; level < depth; level += 1) value = { a: value, b: value, value, k0: 1 };
  return value;
}

/** Every name and description is another: each place differs, and a reference leads from each to all below. */
function renamed(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"leaf"', '"leaves"').replaceAll('"T1"', '"U1"')) as JsonSchema;
}

const WORK: Record<string, (schema: JsonSchema) => unknown> = {
  "the cost of validation": validationCost,
  "the changes of a tool": (schema) => {
    const before = schema;
    const after = renamed(schema);
    return [
      ...compareTools([{ name: "t", inputSchema: before }], [{ name: "t", inputSchema: after }]),
      ...compareTools([{ name: "t", outputSchema: before }], [{ name: "t", outputSchema: after }]),
    ];
  },
  "masking marked fields": (schema) => [
    maskedArguments(nestedArguments(8), schema),
    maskedArguments({ value: Array.from({ length: 20_000 }, () => ({ a: 1 })) }, schema),
  ],
  "the required parameters": requiredParameters,
  "the notes on a tool": (schema) => checkQuality(buildTool(schema), { builtins: {}, internals: {} }, []),
  "the demo model": (schema) => {
    const text = "run hostile with leaf=3 and value 4";
    const { calls } = planTurn([{ role: "user", contents: [{ type: "text", text }] }], { tools: [buildTool(schema)] });
    expect(calls).toHaveLength(1);
    return calls;
  },
};
for (const kind of ["anthropic", "openai", "openai-compatible", "gemini", "ollama"] as const) {
  WORK[`the format of ${kind}`] = (schema) => {
    const reduced = schemaFor(kind, schema);
    expect(JSON.stringify(reduced).length).toBeLessThanOrEqual(MAX_SCHEMA_CHARS);
    return reduced;
  };
}
for (const provider of ["anthropic", "openai", "gemini", "ollama"] as const) {
  WORK[`the wire format and notes of ${provider}`] = (schema) => wireFormat(provider, buildTool(schema));
}

describe.each(Object.entries(HOSTILE_SCHEMAS))("%s", (_name, written) => {
  it.each(Object.entries(WORK))("does not hold up %s, and what comes of it stays small", (_work, run) => {
    const schema: JsonSchema = JSON.parse(JSON.stringify(written));
    const started = process.cpuUsage();
    const result = run(schema);
    const { user, system } = process.cpuUsage(started);
    expect((user + system) / 1000).toBeLessThan(MAX_MS);
    expect((JSON.stringify(result) ?? "").length).toBeLessThan(5_000_000);
  });
});

it("says that a change is too large to compare, as it may take something away", () => {
  const many = (type: string): JsonSchema => ({
    type: "object",
    properties: Object.fromEntries(
      Array.from({ length: 1_000 }, (_, at) => [`p${at}`, { $ref: `#/$defs/d${at % 99}` }]),
    ),
    $defs: Object.fromEntries(
      Array.from({ length: 99 }, (_, at) => [
        `d${at}`,
        { enum: Array.from({ length: 1_000 }, (_, value) => `${type} ${at} ${value}`) },
      ]),
    ),
  });
  const [change] = [...compareTools([{ name: "t", inputSchema: many("a") }], [{ name: "t", inputSchema: many("b") }])];
  expect(change?.kind).toBe("breaking");
  expect(change?.details).toContain("the input schema changed and is too large to compare in full");
});

it("hides a value that too many schemas describe instead of showing what one of them marks", () => {
  const branches = Array.from({ length: 300 }, (_, at) => ({ properties: { [`p${at}`]: { type: "string" } } }));
  const schema: JsonSchema = {
    type: "object",
    anyOf: [...branches, { properties: { secret: { type: "string", writeOnly: true } } }],
  };
  expect(maskedArguments({ secret: "hunter2" }, schema)).not.toContain("hunter2");
});
