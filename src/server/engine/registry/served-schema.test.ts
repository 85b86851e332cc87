import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../../../lib/contract/json";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { tool } from "../executor/executor.test-support";
import { findServedChanges, listTool } from "./list-tool";
import { toServedSchema } from "./served-schema";

/** Lists tools with the strictest common client, which reads every entry and compiles every output schema. */
async function listWithFirstSdk(tools: object[]): Promise<number> {
  const server = new Server({ name: "s", version: "1" }, { capabilities: { tools: {} } });
  const transports = InMemoryTransport.createLinkedPair();
  await server.connect(transports[0]);
  const { onmessage } = transports[0];
  // Its own server would refuse to send what it cannot read.
  transports[0].onmessage = (message, extra) =>
    "method" in message && message.method === "tools/list"
      ? void transports[0].send({ jsonrpc: "2.0", id: (message as { id: number }).id, result: { tools } })
      : onmessage?.(message, extra);
  const client = new Client({ name: "c", version: "1" });
  await client.connect(transports[1]);
  try {
    return (await client.listTools()).tools.length;
  } finally {
    await client.close();
  }
}

const define = (parameters: object, outputSchema?: object, more = {}): ToolDefinition => ({
  ...tool("t", { type: "mcp", server: "s", tool: "t" }, parameters as JsonSchema),
  ...(outputSchema === undefined ? {} : { outputSchema: outputSchema as JsonSchema }),
  ...more,
});

const object = (more: object) => ({ type: "object", ...more });
const REFUSED: [string, ToolDefinition][] = [
  ["a property that is true", define(object({ properties: { any: true, a: { type: "string" } } }))],
  ["a property that is false", define(object({ properties: { none: false } }))],
  ["no properties", define(object({ properties: null }))],
  ["a property that is null", define(object({ properties: { a: null } }))],
  ["required names that are null", define(object({ required: null }))],
  ["a result with \\_ in a pattern", define(object({}), object({ properties: { a: { pattern: "^a\\_b$" } } }))],
  [
    "a result with \\- in a pattern",
    define(object({}), object({ patternProperties: { "^x\\-": { type: "string" } } })),
  ],
  ["a result of which a property is true", define(object({}), object({ properties: { a: true } }))],
  [
    "a result with a limit of another dialect",
    define(object({}), object({ properties: { a: { exclusiveMinimum: true } } })),
  ],
  [
    "a result that refers to nothing",
    define(object({}), object({ properties: { a: { $ref: "#/definitions/Gone" } } })),
  ],
  ["a result that refers to another document", define(object({}), object({ properties: { a: { $ref: "pet.json" } } }))],
  ["a result that is nullable without a type", define(object({}), object({ properties: { a: { nullable: true } } }))],
  [
    "a result that is nullable with a type that is none",
    define(object({}), object({ properties: { a: { type: null, nullable: false } } })),
  ],
  ["a result of an unknown type", define(object({}), object({ properties: { a: { type: "file" } } }))],
  ["an icon without an address", define(object({}), undefined, { icons: [{ mimeType: "image/png" }] })],
];

describe("schemas in the lists that clients get", () => {
  it.each(REFUSED)("RTE-03 are read by SDK 1.x, which would refuse the whole list: %s", async (_, definition) => {
    const { name, parameters: inputSchema, outputSchema, icons } = definition;
    const asListed = { name, inputSchema, ...(outputSchema ? { outputSchema } : {}), ...(icons ? { icons } : {}) };
    await expect(listWithFirstSdk([asListed])).rejects.toThrow();
    expect(await listWithFirstSdk([listTool(definition, "t")])).toBe(1);
    if (icons === undefined) expect(findServedChanges(definition)).not.toEqual([]);
  });

  it("say the same in other words, with a note for each change, and leave the definition as it is", () => {
    const schema = object({
      properties: { any: true, none: false, "a/b": { pattern: "^\\-" }, null: { default: null, const: null } },
      additionalProperties: false,
      anyOf: [true, { required: ["any"] }],
    }) as JsonSchema;
    const before = JSON.stringify(schema);
    const { schema: served, notes } = toServedSchema(schema, "input");
    expect(served).toEqual({
      type: "object",
      properties: { any: {}, none: { not: {} }, "a/b": {}, null: { default: null, const: null } },
      additionalProperties: false,
      anyOf: [{}, { required: ["any"] }],
    });
    expect(notes.map(({ pointer }) => pointer)).toEqual([
      "/properties/any",
      "/properties/none",
      "/properties/a~1b/pattern",
      "/anyOf/0",
    ]);
    expect(notes[0]?.message).toContain("`properties/any` is `true`: it is written as `{}`");
    expect(JSON.stringify(schema)).toBe(before);
  });

  it("are the very object where nothing has to change", () => {
    const schema = object({
      properties: { type: { type: "string" }, pattern: { pattern: "^\\w+$" }, self: { $ref: "#" } },
      $defs: { a: { not: false, if: true } },
      dependencies: { type: ["pattern"] },
    }) as JsonSchema;
    expect(toServedSchema(schema, "output")).toEqual({ schema, notes: [] });
    expect(toServedSchema(schema, "output").schema).toBe(schema);
  });

  it("are read by SDK 1.x whatever a server lists", async () => {
    const keyword = fc.constantFrom(
      "type",
      "properties",
      "required",
      "items",
      "anyOf",
      "not",
      "enum",
      "pattern",
      "minimum",
      "maxLength",
      "additionalProperties",
      "nullable",
      "patternProperties",
      "$ref",
      "definitions",
      "dependencies",
      "uniqueItems",
      "exclusiveMaximum",
      "const",
      "default",
      "propertyNames",
      "contains",
      "if",
      "then",
    );
    const { schema } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(null, true, false, "", "object", "string", "#", "#/definitions/a", "\\_", "^a", -1, 2),
        fc.array(tie("value"), { maxLength: 2 }),
        fc.dictionary(fc.constantFrom("a", "b", "__proto__"), tie("value"), { maxKeys: 2 }),
        tie("schema"),
      ),
      schema: fc.dictionary(keyword, tie("value"), { maxKeys: 3 }),
    }));
    await fc.assert(
      fc.asyncProperty(schema, schema, async (input, output) => {
        const definition = define(
          object({ ...(input as object), type: "object" }),
          object({ ...(output as object), type: "object" }),
        );
        expect(await listWithFirstSdk([listTool(definition, "t")])).toBe(1);
      }),
      { numRuns: 300 },
    );
  });
});
