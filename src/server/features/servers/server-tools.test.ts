import { describe, expect, it } from "vitest";
import { prefixOf, readServerTools } from "./server-tools";

const inputSchema = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };

describe("tools that a server lists", () => {
  it("RTE-01 a tool of server files is called files__read_file and runs there under its own name", () => {
    const { definitions, tools } = readServerTools("files", [{ name: "read_file", inputSchema }], { timeoutMs: 500 });
    expect(definitions[0]).toMatchObject({
      name: "files__read_file",
      implementation: { type: "mcp", server: "files", tool: "read_file" },
      parameters: inputSchema,
      timeout_ms: 500,
    });
    expect(tools[0]).toMatchObject({ status: "usable", catalogueName: "files__read_file" });
    expect(prefixOf("files__read__file")).toBe("files");
    expect(prefixOf("__proto__")).toBeNull();
    expect(prefixOf("plain")).toBeNull();
  });

  it("one malformed tool is shown as such with the reason, and the others work", () => {
    const listed = [
      null,
      "text",
      { inputSchema },
      { name: "", inputSchema },
      { name: "no_schema" },
      { name: "no_type", inputSchema: {} },
      { name: "union_type", inputSchema: { type: ["object", "null"] } },
      { name: "good", inputSchema, description: null, annotations: { readOnlyHint: "yes", destructiveHint: false } },
      { name: "good", inputSchema },
      { name: "task", inputSchema, execution: { taskSupport: "required" } },
      { name: "constructor", inputSchema },
    ];
    const { tools, definitions } = readServerTools("s", listed, {});
    expect(tools.map(({ name, status, reason }) => [name, status, reason])).toEqual([
      [null, "malformed", "The entry is not an object"],
      [null, "malformed", "The entry is not an object"],
      [null, "malformed", "name must be a non-empty string"],
      [null, "malformed", "name must be a non-empty string"],
      ["no_schema", "malformed", "inputSchema must be a JSON Schema object"],
      ["no_type", "malformed", 'inputSchema.type must be "object", got nothing'],
      ["union_type", "malformed", 'inputSchema.type must be "object", got ["object","null"]'],
      ["good", "usable", null],
      ["good", "malformed", "Listed twice: the first 'good' is used"],
      ["task", "unsupported", expect.stringContaining("task")],
      ["constructor", "usable", null],
    ]);
    expect(definitions.map(({ name }) => name)).toEqual(["s__good", "s__constructor"]);
    expect(definitions[0]?.annotations).toEqual({ destructiveHint: false });
    expect(definitions[0]?.description).toBe("good");
  });

  it("keeps what a tool says of itself: title, output schema, icons, _meta", () => {
    const tool = {
      name: "t",
      inputSchema,
      annotations: { title: "From annotations", openWorldHint: true },
      outputSchema: { type: "object" },
      icons: [{ src: "https://example.com/i.png" }],
      _meta: { "vendor/key": 1 },
    };
    const { definitions } = readServerTools("s", [tool], {});
    const { icons, _meta, outputSchema, annotations } = tool;
    expect(definitions[0]).toMatchObject({ title: "From annotations", icons, _meta, outputSchema, annotations });
  });
});
