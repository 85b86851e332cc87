import { describe, expect, it } from "vitest";
import type { ToolSummary } from "../../../lib/contract/catalog-tool";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { describeDefinition, toListed } from "./catalog-entry";

describe("the list of tools", () => {
  it("has of a long description the beginning: thousands of tools go to one page", () => {
    const summary = { name: "big", description: "x".repeat(1_000_000) } as ToolSummary;
    expect(toListed(summary)).toEqual({ name: "big", description: "x".repeat(300) });
  });

  it("says of an operation of an API that it is one, and of a server's tool that it is MCP", () => {
    const definition: ToolDefinition = {
      name: "pets__read",
      description: "",
      type: "function",
      handler: "read",
      parameters: { type: "object" },
      implementation: { type: "mcp", server: "pets", tool: "read" },
    };
    const readType = (given: ToolDefinition) =>
      describeDefinition({ definition: given, origin: "server" } as never, []).implementationType;
    expect(readType(definition)).toBe("mcp");
    expect(readType({ ...definition, _meta: { "toolroom/http": { method: "GET", path: "/" } } })).toBe("openapi");
  });
});
