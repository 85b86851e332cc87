import { describe, expect, it } from "vitest";
import { apiSettings, buildDocument, connectApi } from "./openapi.test-support";

type Tool = Record<string, unknown> & { inputSchema: { properties: Record<string, unknown>; required?: string[] } };

async function listTools(document: unknown, given = {}): Promise<Tool[]> {
  const { tools, state } = await connectApi(apiSettings(document, "https://api.example.com", given));
  expect(state).toMatchObject({ status: "connected" });
  return tools as Tool[];
}

async function readTool(operation: Record<string, unknown>, more = {}, path = "/things/{id}"): Promise<Tool> {
  const [tool] = await listTools(buildDocument({ [path]: { get: operation } }, more));
  return tool as Tool;
}

const id = { name: "id", in: "path", required: true, schema: { type: "string" } };
const json = (schema: unknown) => ({ content: { "application/json": { schema } } });

describe("tools of an OpenAPI document", () => {
  it("are named by operationId, else by method and path, and always uniquely", async () => {
    const tools = await listTools(
      buildDocument({
        "/a": { get: { operationId: "repos/get item" }, post: {} },
        "/a/{b}.json": { get: { parameters: [{ ...id, name: "b" }] } },
        "/c": { get: { operationId: "repos/get item" } },
      }),
    );
    expect(tools.map(({ name }) => name)).toEqual(["repos_get_item", "post_a", "get_a_b_json", "repos_get_item_2"]);
  });

  it("have names of at most 64 characters with the server's prefix; long ones end in a hash that depends on nothing else", async () => {
    const long = (end: string) => ({ get: { operationId: `${"list_of_things_".repeat(6)}${end}` } });
    const paths = { "/a": long("a"), "/b": long("b"), "/c": long("a") };
    const named = async (document: unknown, name: string) =>
      (await listTools(document, { name })).map((tool) => String(tool.name));
    const names = await named(buildDocument(paths), "api");
    for (const name of names) expect(`api__${name}`).toMatch(/^[A-Za-z0-9_-]{60,64}$/);
    expect(new Set(names).size).toBe(3);
    expect(names[2]).toBe(`${(await named(buildDocument({ "/c": long("a") }), "api-2"))[0]}_2`);
    expect(await named(buildDocument({ "/b": long("b"), "/z": {} }), "api")).toEqual([names[1]]);
    const [short] = await named(buildDocument({ "/a": long("a") }), "s".repeat(64));
    expect(short).toMatch(/^list_of_things_[0-9a-f]{8}$/);
  });

  it("have no output schema where the settings leave it out", async () => {
    const operation = { parameters: [id], responses: { 200: json({ type: "object" }) } };
    const document = buildDocument({ "/things/{id}": { get: operation } });
    const [tool] = await listTools(document, { outputSchemas: false });
    expect(tool).not.toHaveProperty("outputSchema");
  });

  it("leave out parameters without a valid name, which the server's log names", async () => {
    const header = (name: string, where = "header") => ({ name, in: where, schema: { type: "string" } });
    const operation = { parameters: [header(""), header("two words"), header("", "query"), header("X-Good")] };
    const { tools, bench } = await connectApi(
      apiSettings(buildDocument({ "/a": { get: operation } }), "https://api.example.com"),
    );
    expect(tools[0]).toMatchObject({ inputSchema: { properties: { "X-Good": {} } } });
    expect(Object.keys((tools as Tool[])[0]?.inputSchema.properties ?? {})).toEqual(["X-Good"]);
    const notes = bench.lines.map(({ line }) => line.text).filter((text) => text.includes("left out"));
    expect(notes).toEqual([
      "GET /a: the query parameter '' is left out, since it has no valid name",
      "GET /a: the header parameter '' is left out, since it has no valid name",
      "GET /a: the header parameter 'two words' is left out, since it has no valid name",
    ]);
  });

  it("get hints from the method: GET reads only, DELETE destroys", async () => {
    const tools = await listTools(buildDocument({ "/a": { get: {}, put: {}, post: {}, delete: {} } }));
    expect(tools.map(({ annotations }) => annotations)).toEqual([
      { readOnlyHint: true, openWorldHint: true },
      { readOnlyHint: false, idempotentHint: true, openWorldHint: true },
      { readOnlyHint: false, openWorldHint: true },
      { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
    ]);
  });

  it("have one schema in which path, query, header, cookie and body do not collide", async () => {
    const where = (name: string, location: string) => ({ name, in: location, schema: { type: "integer" } });
    const body = json({ type: "object", properties: { id: { type: "boolean" }, note: {} }, required: ["id"] });
    const tool = await readTool({
      parameters: [where("id", "cookie"), where("id", "header"), where("id", "query"), id],
      requestBody: { required: true, ...body },
    });
    expect(Object.keys(tool.inputSchema.properties)).toEqual([
      "id",
      "query_id",
      "header_id",
      "cookie_id",
      "body_id",
      "note",
    ]);
    expect(tool.inputSchema.required).toEqual(["id", "body_id"]);
  });

  it("take a body as 'body' where its properties alone would not say the same", async () => {
    const properties = { a: { type: "string" } };
    const bodies = [
      { oneOf: [{ type: "object", properties }] },
      { type: "object", properties, additionalProperties: { type: "string" } },
      { type: "array", items: {} },
      { type: "object" },
    ];
    for (const schema of bodies) {
      const tool = await readTool({ parameters: [id], requestBody: { required: true, ...json(schema) } });
      expect(Object.keys(tool.inputSchema.properties)).toEqual(["id", "body"]);
    }
    // An optional body whose property is required.
    const tool = await readTool({
      parameters: [id],
      requestBody: json({ type: "object", properties, required: ["a"] }),
    });
    expect(tool.inputSchema).toMatchObject({ properties: { body: { required: ["a"] } }, required: ["id"] });
  });

  it("leave out read-only properties, and parameters that the settings or HTTP itself send", async () => {
    const header = (name: string) => ({ name, in: "header", schema: { type: "string" } });
    const [tool] = await listTools(
      buildDocument({
        "/a": {
          parameters: [header("X-Key"), header("Content-Length"), { name: "key", in: "query" }, header("X-Other")],
          post: {
            requestBody: { required: true, ...json({ type: "object", properties: { a: {}, b: { readOnly: true } } }) },
          },
        },
      }),
      { headers: { "x-key": "secret" }, query: { key: "secret" } },
    );
    expect(Object.keys(tool?.inputSchema.properties ?? {})).toEqual(["X-Other", "a"]);
  });

  it("have 3.0 schemas as JSON Schema 2020-12", async () => {
    const schema = {
      type: "object",
      discriminator: { propertyName: "kind" },
      xml: { name: "x" },
      properties: {
        a: { type: "string", nullable: true, enum: ["x"] },
        b: { type: "number", minimum: 1, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false },
        c: { $ref: "#/components/schemas/C", nullable: true, description: "ignored beside a reference" },
        d: { type: "string", example: "sample", required: true },
        e: { type: "any", items: [{ type: "string" }] },
      },
    };
    const components = { schemas: { C: { type: "integer" } } };
    const [tool] = await listTools({
      ...buildDocument({ "/a": { post: { requestBody: { required: true, ...json(schema) } } } }, { components }),
      openapi: "3.0.3",
    });
    expect(tool?.inputSchema).toEqual({
      type: "object",
      properties: {
        a: { type: ["string", "null"], enum: ["x", null] },
        b: { type: "number", exclusiveMinimum: 1, maximum: 9 },
        c: { anyOf: [{ $ref: "#/$defs/C" }, { type: "null" }] },
        d: { type: "string", examples: ["sample"] },
        e: { prefixItems: [{ type: "string" }] },
      },
      $defs: { C: { type: "integer" } },
    });
  });

  it("keep cycles as references into $defs", async () => {
    const components = {
      schemas: { "No de": { type: "object", properties: { next: { $ref: "#/components/schemas/No%20de" } } } },
    };
    const tool = await readTool(
      { parameters: [id], responses: { 200: json({ $ref: "#/components/schemas/No%20de" }) } },
      { components },
    );
    expect(tool.outputSchema).toEqual({
      type: "object",
      properties: { next: { $ref: "#/$defs/No_de" } },
      $defs: { No_de: { type: "object", properties: { next: { $ref: "#/$defs/No_de" } } } },
    });
  });

  it("promise the JSON of the 2xx response, a list as 'result', and nothing where a response may be empty or no JSON", async () => {
    const list = { type: "array", items: { type: "string" } };
    const output = async (responses: unknown) => (await readTool({ parameters: [id], responses })).outputSchema;
    expect(await output({ 200: json({ type: "object" }), 404: json({}) })).toEqual({ type: "object" });
    const wrapped = { type: "object", properties: { result: list }, required: ["result"] };
    expect(await output({ "2XX": json(list) })).toEqual(wrapped);
    expect(await output({ 200: json(list), 204: { description: "empty" } })).toBeUndefined();
    expect(await output({ 204: json({ type: "object" }) })).toBeUndefined();
    const [head] = await listTools(buildDocument({ "/h": { head: { responses: { 200: json({ type: "object" }) } } } }));
    expect(head?.outputSchema).toBeUndefined();
    const any = (schema: unknown) => ({ 200: { content: { "*/*": { schema } } } });
    expect(await output(any({ type: "object" }))).toEqual({ type: "object" });
    expect(await output(any({ type: "string" }))).toBeUndefined();
  });

  it("are selected by tag, by path and by method with path", async () => {
    const paths = {
      "/pets": { get: { tags: ["pets"] }, post: {} },
      "/pets/{id}": { parameters: [id], get: {}, delete: {} },
      "/users": { get: { tags: ["users", "people"] } },
    };
    const names = async (operations: { tags: string[]; paths: string[] }) =>
      (await listTools(buildDocument(paths), { operations })).map(({ name }) => name);
    expect(await names({ tags: ["people"], paths: [] })).toEqual(["get_users"]);
    expect(await names({ tags: [], paths: ["/pets/*"] })).toEqual(["get_pets_id", "delete_pets_id"]);
    expect(await names({ tags: ["users"], paths: ["post /pets*", "DELETE *"] })).toEqual([
      "post_pets",
      "delete_pets_id",
      "get_users",
    ]);
  });

  it("are listed with their problem where the operation cannot be called", async () => {
    const tools = await listTools(
      buildDocument(
        {
          "/up": { servers: [{ url: "https://other.example.com" }], post: {} },
          "/a/{id}": { get: {} },
          "/b": { get: { parameters: [{ name: "q", in: "query", schema: { $ref: "#/components/schemas/Lost" } }] } },
          "/c": { get: {} },
          "/d": { get: { parameters: [{ $ref: "#/components/parameters/Lost" }] } },
          "/e": { post: { requestBody: { $ref: "#/components/requestBodies/Loop" } } },
        },
        {
          servers: [{ url: "https://api.example.com" }],
          components: { requestBodies: { Loop: { $ref: "#/components/requestBodies/Loop" } } },
        },
      ),
    );
    expect(tools.map((tool) => tool.toolroom_unreadable)).toEqual([
      "Its server is https://other.example.com: add the document as another server with that base URL",
      "The path parameter 'id' is not defined",
      "$ref '#/components/schemas/Lost' could not be resolved",
      undefined,
      "$ref '#/components/parameters/Lost' could not be resolved",
      "$ref '#/components/requestBodies/Loop' could not be resolved",
    ]);
  });
});
