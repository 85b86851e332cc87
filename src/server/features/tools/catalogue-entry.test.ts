import { describe, expect, it } from "vitest";
import type { ToolSummary } from "../../../lib/contract/catalogue-tool";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { toListed, toSummary } from "./catalogue-entry";

describe("the list of tools", () => {
  it("has of a long description the beginning: thousands of tools go to one page", () => {
    const summary = { name: "big", description: "x".repeat(1_000_000) } as ToolSummary;
    expect(toListed(summary)).toEqual({ name: "big", description: "x".repeat(300) });
  });

  it("says of an operation of an API that it is one, and of a server's tool that it is MCP", () => {
    const definition: ToolDefinition = {
      ...{ name: "pets__read", description: "", type: "function", handler: "read", parameters: { type: "object" } },
      implementation: { type: "mcp", server: "pets", tool: "read" },
    };
    const typeOf = (given: ToolDefinition) =>
      toSummary({ definition: given, origin: "server" } as never, { quality: [], approval: null as never, owner: null })
        .implementationType;
    expect(typeOf(definition)).toBe("mcp");
    expect(typeOf({ ...definition, _meta: { "toolroom/http": { method: "GET", path: "/" } } })).toBe("openapi");
  });
});
