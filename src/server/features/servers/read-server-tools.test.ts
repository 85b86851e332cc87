import { describe, expect, it } from "vitest";
import { readPrefix, readServerTools } from "./read-server-tools";

const inputSchema = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };

describe("tools that a server lists", () => {
  it("RTE-01 a tool of server files is called files__read_file and runs there under its own name", async () => {
    const { definitions, tools } = await readServerTools("files", [{ name: "read_file", inputSchema }], {
      timeoutMs: 500,
    });
    expect(definitions[0]).toMatchObject({
      name: "files__read_file",
      implementation: { type: "mcp", server: "files", tool: "read_file" },
      parameters: inputSchema,
      timeout_ms: 500,
    });
    expect(tools[0]).toMatchObject({ status: "usable", catalogName: "files__read_file" });
    expect(readPrefix("files__read__file")).toBe("files");
    expect(readPrefix("__proto__")).toBeNull();
    expect(readPrefix("plain")).toBeNull();
  });

  it("have the masked paths that the settings list for them or for all tools", async () => {
    const listed = ["login", "read_file"].map((name) => ({ name, inputSchema }));
    const { definitions } = await readServerTools("files", listed, {
      sensitive: [
        { in: "results", path: "/content/0/text" },
        { tool: "login", in: "arguments", path: "/pin" },
      ],
    });
    expect(definitions.map(({ sensitive }) => sensitive)).toEqual([
      { arguments: ["/pin"], results: ["/content/0/text"] },
      { arguments: [], results: ["/content/0/text"] },
    ]);
  });

  it("REG-02 only an entry without a usable name is malformed, every other tool can be called", async () => {
    const listed = [
      null,
      "text",
      { inputSchema },
      { name: "", inputSchema },
      { name: "no_schema" },
      { name: "no_type", inputSchema: { properties: { a: {} } } },
      { name: "union_type", inputSchema: { type: ["object", "null"] } },
      { name: "true_schema", inputSchema: true },
      { name: "good", inputSchema, description: null, annotations: { readOnlyHint: "yes", destructiveHint: false } },
      { name: "good", inputSchema },
      { name: "task", inputSchema, execution: { taskSupport: "required" } },
      { name: "constructor", inputSchema },
    ];
    const { tools, definitions } = await readServerTools("s", listed, {});
    expect(tools.map(({ name, status, reason }) => [name, status, reason])).toEqual([
      [null, "malformed", "The entry is not an object"],
      [null, "malformed", "The entry is not an object"],
      [null, "malformed", "name must be a non-empty string"],
      [null, "malformed", "name must be a non-empty string"],
      ["no_schema", "usable", null],
      ["no_type", "usable", null],
      ["union_type", "usable", null],
      ["true_schema", "usable", null],
      ["good", "usable", null],
      ["good", "malformed", "Listed twice: the first 'good' is used"],
      ["task", "usable", null],
      ["constructor", "usable", null],
    ]);
    expect(definitions.map(({ name, parameters }) => [name, parameters])).toEqual([
      ["s__no_schema", { type: "object" }],
      ["s__no_type", { type: "object", properties: { a: {} } }],
      ["s__union_type", { type: "object" }],
      ["s__true_schema", { type: "object" }],
      ["s__good", inputSchema],
      ["s__task", inputSchema],
      ["s__constructor", inputSchema],
    ]);
    expect(tools.flatMap(({ name, notes }) => notes.map(({ message }) => [name, message]))).toEqual([
      ["no_schema", "`inputSchema` is missing: any arguments are accepted"],
      ["no_type", '`type` of the arguments is missing: it is read as "object"'],
      ["union_type", '`type` of the arguments is ["object","null"]: it is read as "object"'],
      ["true_schema", "`inputSchema` is not an object: any arguments are accepted"],
    ]);
    const good = definitions.find(({ name }) => name === "s__good");
    expect(good?.annotations).toEqual({ destructiveHint: false });
    expect(good?.description).toBe("good");
  });

  it("keeps what a tool says of itself: title, output schema, icons, _meta", async () => {
    const tool = {
      name: "t",
      inputSchema,
      annotations: { title: "From annotations", openWorldHint: true },
      outputSchema: { type: "object" },
      icons: [{ src: "https://example.com/i.png" }],
      _meta: { "vendor/key": 1 },
    };
    const { definitions } = await readServerTools("s", [tool], {});
    const { icons, _meta, outputSchema, annotations } = tool;
    expect(definitions[0]).toMatchObject({ title: "From annotations", icons, _meta, outputSchema, annotations });
  });

  it("keeps what the server listed beside what the catalog shows, without what no client could read", async () => {
    const read = async (entry: object) =>
      (await readServerTools("s", [{ name: "t", inputSchema, ...entry }], {})).definitions[0];
    expect(await read({ description: "" })).toMatchObject({ description: "t", listed: { description: "" } });
    expect(await read({})).toMatchObject({ description: "t", listed: {} });
    expect((await read({ description: null, title: 7, execution: "soon" }))?.listed).toEqual({});
    const annotations = { title: 1, readOnlyHint: "yes", destructiveHint: true, "vendor/x": [1] };
    const foreign = await read({
      description: "d",
      annotations,
      execution: { taskSupport: "optional" },
      "vendor/top": 1,
    });
    expect(foreign?.annotations).toEqual({ destructiveHint: true });
    expect(foreign?.listed).toEqual({
      description: "d",
      annotations: { destructiveHint: true, "vendor/x": [1] },
      execution: { taskSupport: "optional" },
      "vendor/top": 1,
    });
    const plain = { annotations: { readOnlyHint: true, title: "T" }, title: "T", description: "d" };
    expect(read(plain)).not.toHaveProperty("listed");
  });
});
