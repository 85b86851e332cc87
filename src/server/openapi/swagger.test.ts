import { describe, expect, it } from "vitest";
import { apiSettings, connectApi, startStub } from "./openapi.test-support";

type Json = Record<string, unknown>;
const ref = (name: string) => ({ $ref: `#/parameters/${name}` });

const DOCUMENT = {
  swagger: "2.0",
  info: { title: "Old", version: "1" },
  host: "old.example.com",
  basePath: "/v2",
  consumes: ["application/json"],
  produces: ["application/json"],
  parameters: {
    Thing: { name: "thing", in: "body", required: true, schema: { $ref: "#/definitions/Thing" } },
    Limit: { name: "limit", in: "query", type: "integer", maximum: 10 },
  },
  definitions: {
    Thing: {
      type: "object",
      properties: { name: { type: "string", "x-nullable": true }, size: { type: "integer", enum: [1, 2] } },
      required: ["name"],
    },
  },
  responses: { Things: { description: "all", schema: { type: "array", items: { $ref: "#/definitions/Thing" } } } },
  securityDefinitions: { key: { type: "apiKey", in: "header", name: "X-Key" } },
  paths: {
    "/things": {
      parameters: [ref("Limit")],
      "x-note": null,
      get: {
        operationId: "list",
        parameters: [{ name: "tag", in: "query", type: "array", items: { type: "string" }, collectionFormat: "pipes" }],
        responses: { 200: { $ref: "#/responses/Things" } },
      },
      post: { operationId: "create", parameters: [ref("Thing")], responses: {} },
      put: { operationId: "lost", parameters: [ref("Nothing")] },
    },
    "/form": {
      post: {
        operationId: "form",
        consumes: ["application/x-www-form-urlencoded"],
        produces: ["text/plain"],
        parameters: [
          { name: "status", in: "formData", type: "array", items: { type: "string", enum: ["new", "old"] } },
          { name: "note", in: "formData", type: "string", default: "none", required: true },
        ],
        responses: { 200: { description: "", schema: { type: "string" } } },
      },
    },
    "/file": {
      post: {
        operationId: "upload",
        parameters: [
          { name: "file", in: "formData", type: "file", required: true },
          { name: "title", in: "formData", type: "string" },
        ],
      },
    },
  },
};

describe("a Swagger 2.0 document", () => {
  it("becomes tools with its parameters, bodies, forms and results", async () => {
    const { state, tools } = await connectApi(apiSettings(DOCUMENT, "https://old.example.com/v2"));
    expect(state).toMatchObject({ status: "connected", protocolVersion: "OpenAPI 2.0" });
    const byName = Object.fromEntries(tools.map((tool) => [tool.name, tool])) as Record<string, Json>;
    const thing = {
      type: "object",
      properties: { name: { type: ["string", "null"] }, size: { type: "integer", enum: [1, 2] } },
      required: ["name"],
    };
    expect(byName.list).toMatchObject({
      inputSchema: { properties: { limit: { type: "integer", maximum: 10 }, tag: { type: "array" } } },
      outputSchema: { properties: { result: { items: { $ref: "#/$defs/Thing" } } }, $defs: { Thing: thing } },
    });
    expect(byName.create?.inputSchema).toMatchObject({
      properties: { ...thing.properties, limit: {} },
      required: ["name"],
    });
    expect(byName.form?.inputSchema).toMatchObject({
      properties: { status: { items: { enum: ["new", "old"] } }, note: { default: "none" } },
      required: ["note"],
    });
    expect(byName.form).not.toHaveProperty("outputSchema");
    expect(byName.upload?.inputSchema).toMatchObject({
      properties: { file: { contentEncoding: "base64" }, title: {} },
    });
    expect(byName.lost?.toolroom_unreadable).toBe("$ref '#/components/parameters/Nothing' could not be resolved");
  });

  it("is called with the styles, bodies and forms that it names", async () => {
    const { requests, origin } = await startStub();
    const { call } = await connectApi(apiSettings(DOCUMENT, `${origin}/v2`));
    await call("list", { limit: 3, tag: ["a", "b"] });
    await call("create", { name: "x", size: 1 });
    await call("form", { status: ["new", "old"], note: "n" });
    await call("upload", { file: Buffer.from("data").toString("base64"), title: "t" });
    const [list, create, form, upload] = requests;
    expect(list?.url).toBe("/v2/things?limit=3&tag=a%7Cb");
    expect(create).toMatchObject({ method: "POST", url: "/v2/things", body: '{"name":"x","size":1}' });
    expect(form).toMatchObject({ url: "/v2/form", body: "status=new%2Cold&note=n" });
    expect(upload?.headers["content-type"]).toMatch(/^multipart\/form-data/);
    expect(upload?.body).toMatch(/name="file"; filename[\s\S]*data[\s\S]*name="title"[\s\S]*t/);
  });
});
