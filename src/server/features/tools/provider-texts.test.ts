import { expect, it } from "vitest";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { providerTexts } from "./tool-reads";

it("FMT-01 the MCP format says where the schema that clients get differs from the definition", async () => {
  const formats = { wireFormat: () => ({ tool: {}, notes: [] }), requestBody: async () => ({}) } as never;
  const listNotes = async (properties: object) => {
    const parameters = { type: "object", properties };
    const definition = { name: "echo", description: "", parameters, implementation: { type: "mock" } };
    const texts = await providerTexts(definition as unknown as ToolDefinition, formats);
    return texts.find(({ format }) => format === "mcp")?.notes;
  };
  expect(await listNotes({ a: { type: "string" } })).toEqual([]);
  expect(await listNotes({ a: { type: "string", pattern: "(?P<x>a)" } })).toEqual([
    expect.stringMatching(/^`.*pattern.*in the lists that MCP clients get/),
  ]);
});
