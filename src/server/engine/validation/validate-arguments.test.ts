import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../../../lib/contract/json";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { openValidator } from "../../platform/workers/ajv-validator.test-support";
import { engineWith, tool } from "../executor/executor.test-support";
import { checkArguments, decidingSchema } from "./validate-arguments";

const { validator } = openValidator();

const UNDASHED = "21f1e1a0c5b84b0a9c6d7e8f9a0b1c2d";
const DASHED = "21f1e1a0-c5b8-4b0a-9c6d-7e8f9a0b1c2d";
const LIMITS = { maxArgumentBytes: 1e6, maxArgumentDepth: 100 };

const withId = (id: JsonSchema, more: JsonSchema = {}): JsonSchema => ({
  type: "object",
  properties: { id },
  required: ["id"],
  ...more,
});
const serverTool = (parameters: JsonSchema): ToolDefinition =>
  tool("notion__fetch", { type: "mcp", server: "notion", tool: "fetch" }, parameters);
const check = (definition: ToolDefinition, args: unknown) => checkArguments(validator, definition, args, LIMITS);

describe("format in the schemas of MCP servers' tools", () => {
  const uuid = withId({ type: "string", format: "uuid" });

  it("VAL-05 RTE-03 a value that does not look like its format reaches the server as it is", async () => {
    const sent: unknown[] = [];
    const { registry, executor } = engineWith({
      mcp: {
        call: async (_server, _tool, args) => {
          sent.push(args);
          return { content: [{ type: "text", text: "ok" }] };
        },
      },
    });
    registry.registerServerTool(serverTool(uuid));
    expect(await executor.execute("notion__fetch", { id: UNDASHED })).toMatchObject({ success: true });
    expect(await executor.execute("notion__fetch", { id: 5 })).toMatchObject({ error_kind: "invalid_arguments" });
    expect(sent).toEqual([{ id: UNDASHED }]);
  });

  it("VAL-05 it is a warning at its place in the verdict, which stays valid", async () => {
    expect(await check(serverTool(uuid), { id: UNDASHED })).toEqual({
      valid: true,
      faults: [],
      warnings: [
        {
          pointer: "/id",
          path: "id",
          keyword: "format",
          severity: "warning",
          message: 'must match format "uuid"; the server may reject it',
        },
      ],
    });
    expect(await check(serverTool(uuid), { id: DASHED })).toEqual({ valid: true, faults: [], warnings: [] });
  });

  it("VAL-05 tools of the console, configuration and code still refuse it", async () => {
    const own = tool("fetch", { type: "builtin", handler: "echo" }, uuid);
    expect(await check(own, { id: UNDASHED })).toMatchObject({
      valid: false,
      faults: [{ keyword: "format" }],
      warnings: [],
    });
    expect(decidingSchema(own)).toBe(uuid);
  });

  it.each<[string, JsonSchema]>([
    [
      "oneOf that differs by format",
      withId({
        oneOf: [
          { type: "string", format: "uuid" },
          { type: "string", format: "email" },
        ],
      }),
    ],
    [
      "oneOf that differs by format behind references",
      withId(
        { oneOf: [{ $ref: "#/$defs/u" }, { $ref: "#/$defs/e" }] },
        { $defs: { u: { type: "string", format: "uuid" }, e: { type: "string", format: "email" } } },
      ),
    ],
    ["anyOf", withId({ anyOf: [{ type: "string", format: "uuid" }, { type: "null" }] })],
    ["not", withId({ type: "string", not: { format: "email" } })],
    ["not around not", withId({ not: { not: { type: "string", format: "uuid" } } })],
    ["if", withId({ type: "string" }, { if: withId({ format: "uuid" }), else: { required: ["reason"] } })],
    ["allOf and a reference", withId({ allOf: [{ $ref: "#/$defs/u" }] }, { $defs: { u: { format: "uuid" } } })],
    ["maxContains", { type: "object", properties: { list: { contains: { format: "uuid" }, maxContains: 0 } } }],
  ])("VAL-05 no value is refused for its format inside %s", async (_where, schema) => {
    for (const id of [UNDASHED, DASHED, "a@example.com"]) {
      expect(await check(serverTool(schema), { id, list: [id] }), id).toMatchObject({ valid: true, faults: [] });
    }
  });

  it("leaves properties and data that are called format alone, and gives the very schema where there is no format", () => {
    const named = withId(
      { type: "string", default: { format: "uuid" } },
      { properties: { format: { type: "string" } } },
    );
    expect(decidingSchema(serverTool(named))).toBe(named);
    const both = withId({ type: "string", format: "uuid", enum: [{ format: "x" }] });
    expect(decidingSchema(serverTool(both))).toEqual(withId({ type: "string", enum: [{ format: "x" }] }));
  });

  it("warns inside lists and unions too, and beside real faults", async () => {
    const schema: JsonSchema = {
      type: "object",
      properties: {
        ids: { type: "array", items: { anyOf: [{ type: "string", format: "uuid" }, { type: "integer" }] } },
      },
      required: ["name"],
    };
    expect(await check(serverTool(schema), { ids: [1, UNDASHED] })).toMatchObject({
      valid: false,
      faults: [{ pointer: "/name", message: "is required" }],
      warnings: [{ pointer: "/ids/1", keyword: "format" }],
    });
  });

  it.each<[string, JsonSchema]>([
    [
      "`if`",
      {
        if: { properties: { id: { format: "uuid" } } },
        ...JSON.parse('{ "then": { "properties": { "extra": { "type": "number" } } } }'),
      },
    ],
    [
      "`oneOf` beside `anyOf`",
      {
        anyOf: [{ required: ["id"] }],
        oneOf: [
          { properties: { id: { format: "uuid" }, extra: { type: "number" } }, required: ["extra"] },
          { properties: { id: { format: "email" }, other: {} }, required: ["other"] },
        ],
      },
    ],
  ])("VAL-05 RTE-03 properties that %s about a format allows are not refused", async (_, more) => {
    const schema = withId({ type: "string" }, { ...more, unevaluatedProperties: { type: "string" } });
    expect(await check(serverTool(schema), { id: DASHED, extra: 5 })).toMatchObject({ valid: true, faults: [] });
  });
});
