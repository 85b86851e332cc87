import { describe, expect, it } from "vitest";
import { readToolFormat } from "./read-tool-format";

const SCHEMA = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };

describe("a tool in another product's format", () => {
  it("is found in a list, a request or an answer, with the number of others", () => {
    const tool = { name: "a", description: "b", inputSchema: SCHEMA };
    for (const value of [tool, [tool], { tools: [tool] }, { jsonrpc: "2.0", id: 1, result: { tools: [tool] } }]) {
      expect(readToolFormat(value)).toMatchObject({ format: "MCP tool", name: "a", parameters: SCHEMA, others: 0 });
    }
    expect(readToolFormat([tool, tool, tool])?.others).toBe(2);
  });

  it("keeps title, annotations and output schema of an MCP tool", () => {
    const extra = { title: "A", annotations: { readOnlyHint: true }, outputSchema: SCHEMA };
    expect(readToolFormat({ name: "a", inputSchema: SCHEMA, ...extra, icons: [] })).toMatchObject({
      extra,
      dropped: ["icons"],
      path: ["inputSchema"],
    });
  });

  it("FMT-03 turns Gemini's own dialect into JSON Schema, and leaves values and names alone", () => {
    const parameters = {
      type: "OBJECT",
      properties: {
        type: { type: "STRING", enum: ["STRING", "x"], nullable: true, maxLength: "8" },
        list: { type: "ARRAY", items: { anyOf: [{ type: "NUMBER" }, { type: "NULL" }] } },
      },
      propertyOrdering: ["type", "list"],
    };
    expect(readToolFormat({ name: "a", parameters })).toMatchObject({
      format: "Gemini function declaration",
      path: null,
      parameters: {
        type: "object",
        properties: {
          type: { type: ["string", "null"], enum: ["STRING", "x"], maxLength: 8 },
          list: { type: "array", items: { anyOf: [{ type: "number" }, { type: "null" }] } },
        },
      },
    });
  });

  it("REG-07 is not seen in anything else", () => {
    const own = { name: "a", type: "function", handler: "mock", parameters: SCHEMA, implementation: { type: "mock" } };
    const others = [null, 1, "text", [], {}, SCHEMA, { name: "a" }, { tools: {} }, own, { functionDeclarations: [] }];
    for (const value of others) expect(readToolFormat(value)).toBeNull();
    expect(readToolFormat(JSON.parse('{"__proto__": {"name": "a", "inputSchema": {}}}'))).toBeNull();
  });
});
