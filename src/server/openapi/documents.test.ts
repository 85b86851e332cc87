import { writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { buildContext } from "../mcp/client/connections.test-support";
import { apiSettings, buildDocument, connectApi, openApiBench, sendJson, startStub } from "./openapi.test-support";

const BASE = "https://api.example.com";
const readFailure = async (document: unknown): Promise<string> => {
  const { state } = await connectApi(apiSettings(document, BASE));
  return `${state.status}: ${state.reason}`;
};
const ping = { "/ping": { get: { operationId: "ping" } } };

describe("an OpenAPI document", () => {
  it("is read from an address, a file, a text and a compressed text, as JSON and as YAML", async () => {
    const yaml =
      "openapi: 3.1.0\ninfo: {title: Sample, version: '1'}\npaths:\n  /ping:\n    get: {operationId: ping}\n";
    const folder = await mkdtemp(path.join(tmpdir(), "openapi-"));
    const file = path.join(folder, "api.yaml");
    writeFileSync(file, yaml);
    const { origin } = await startStub((_, response) => response.writeHead(200).end(yaml));
    const packed = `data:application/gzip;base64,${gzipSync(yaml).toString("base64")}`;
    for (const document of [
      { from: "url", url: `${origin}/api` },
      { from: "file", path: file },
      { from: "text", text: yaml },
      { from: "text", text: packed },
      { from: "text", text: JSON.stringify(buildDocument(ping)) },
    ] as const) {
      const { state, tools } = await connectApi(apiSettings("", BASE, { document }));
      expect(state).toMatchObject({ status: "connected", protocolVersion: "OpenAPI 3.1.0", peer: { name: "Sample" } });
      expect(tools.map(({ name }) => name)).toEqual(["ping"]);
    }
  });

  it.each([
    ["merge keys", "schema:\n            <<: *short\n            description: A code"],
    ["a list of merge keys", "schema:\n            <<: [*short, {minLength: 1}]"],
    ["an alias", "schema: *short"],
    ["a key twice", "schema: {type: integer}\n          schema: *short"],
    [
      "a bracket that closes at its key's indentation",
      "schema: {\n            type: string, maxLength: 5\n          }",
    ],
    ["a tag of another program", "schema: *short\n          x-kind: !Kind x"],
  ])("is read where YAML has %s", async (_, schema) => {
    const text = `openapi: 3.0.3
info: {title: Sample, version: 1.0}
x-short: &short
  type: string
  maxLength: 5
paths:
  /ping:
    get:
      operationId: ping
      parameters:
        - name: c
          in: query
          ${schema}
`;
    const { state, tools } = await connectApi(apiSettings(text, BASE));
    expect(state.reason).toBeNull();
    expect(tools).toMatchObject([{ inputSchema: { properties: { c: { type: "string", maxLength: 5 } } } }]);
  });

  it("in several files is read where these have merge keys and keys twice", async () => {
    const { origin } = await startStub(({ url }, response) => {
      if (url === "/parts.yaml") {
        response.writeHead(200).end("s: &s {type: string}\nA:\n  <<: *s\n  maxLength: 9\n  maxLength: 5\n");
      } else {
        const parameters = [{ name: "c", in: "query", schema: { $ref: "parts.yaml#/A" } }];
        sendJson(response, 200, buildDocument({ "/ping": { get: { operationId: "ping", parameters } } }));
      }
    });
    const document = { from: "url", url: `${origin}/api.json` } as const;
    const { tools } = await connectApi(apiSettings("", BASE, { document }));
    expect(tools).toMatchObject([{ inputSchema: { properties: { c: { type: "string", maxLength: 5 } } } }]);
  });

  it.each([
    ["3.1", "3.1"],
    ["3.0", "3.0"],
    ["'3.1'", "3.1"],
    ["3.1.1", "3.1.1"],
  ])("may have the version %s as YAML reads it", async (written, version) => {
    const text = `\uFEFFopenapi: ${written}\ninfo: {title: Number, version: 1.5}\npaths:\n  /ping: {get: {operationId: ping}}\n`;
    const { state, tools } = await connectApi(apiSettings(text, BASE));
    expect(state).toMatchObject({ protocolVersion: `OpenAPI ${version}`, peer: { version: "1.5" } });
    expect(tools).toHaveLength(1);
  });

  it.each(["2", "3.2", "4", "true", "[3.1]"])(
    "with the version %s is refused with the versions that are read",
    async (version) => {
      expect(await readFailure(`openapi: ${version}\npaths: {}\n`)).toMatch(
        /^failed: .*versions 3.0 and 3.1 are supported/,
      );
    },
  );

  it("is read as the charset of its answer says", async () => {
    const text = JSON.stringify(buildDocument(ping, { info: { title: "Größe", version: "1" } }));
    const { origin } = await startStub((_, response) =>
      response
        .writeHead(200, { "content-type": "application/json; charset=ISO-8859-1" })
        .end(Buffer.from(text, "latin1")),
    );
    const { state } = await connectApi(apiSettings("", BASE, { document: { from: "url", url: origin } }));
    expect(state).toMatchObject({ peer: { name: "Größe" } });
  });

  it("may begin with a byte order mark", async () => {
    const text = JSON.stringify(buildDocument(ping));
    for (const bytes of [Buffer.from(`\uFEFF${text}`), Buffer.from(`\uFEFF${text}`, "utf16le")]) {
      const { origin } = await startStub((_, response) => response.writeHead(200).end(bytes));
      const { tools } = await connectApi(apiSettings("", BASE, { document: { from: "url", url: origin } }));
      expect(tools.map(({ name }) => name)).toEqual(["ping"]);
    }
  });

  it("may refer to files of its own origin, which are bundled; others are never read", async () => {
    const foreign = await startStub();
    const refer = ($ref: string) => ({ get: { parameters: [{ name: "q", in: "query", schema: { $ref } }] } });
    const { origin, requests } = await startStub(({ url }, response) => {
      if (url === "/deep/parts.yaml")
        response.writeHead(200).end("Query: {type: object, properties: {a: {$ref: 'more.json#/A'}}}");
      else if (url === "/deep/more.json") sendJson(response, 200, { A: { type: "integer" } });
      else {
        const refs = ["deep/parts.yaml#/Query", `${foreign.origin}/x.json`, "file:///etc/passwd"];
        sendJson(response, 200, buildDocument(Object.fromEntries(refs.map((ref, at) => [`/p${at}`, refer(ref)]))));
      }
    });
    const document = { from: "url", url: `${origin}/api.json` } as const;
    const { tools } = await connectApi(apiSettings("", BASE, { document }));
    expect(JSON.stringify(tools[0]?.inputSchema)).toMatch(/"type":"integer"/);
    expect(tools.slice(1).map((tool) => String(tool.toolroom_unreadable).replace(/'.*'/, "…"))).toEqual(
      Array.from({ length: 2 }, () => "$ref … could not be resolved"),
    );
    expect(foreign.requests).toEqual([]);
    expect(requests.map(({ url }) => url)).toEqual(
      expect.arrayContaining(["/api.json", "/deep/parts.yaml", "/deep/more.json"]),
    );
  });

  it.each([
    ["Swagger 1.2", { swaggerVersion: "1.2", apis: [] }, "is Swagger 1.2: Swagger 2.0 and OpenAPI 3.0"],
    ["another version", { openapi: "4.0.0" }, "versions 3.0 and 3.1 are supported"],
    ["something else", { mcpServers: {} }, "has no field 'openapi'"],
    ["broken JSON", '{"openapi": "3.1.0",', "neither JSON nor YAML"],
    ["a plain text", "hello", "is not an object"],
    ["a web page", "<!doctype html><html></html>", "is a web page (HTML) or XML: use the JSON or YAML behind it"],
    [
      "broken YAML, with the line",
      "openapi: 3.1.0\ninfo:\n  a: 1\n b: [\n",
      "neither JSON nor YAML: bad indentation of a mapping entry (4:2)",
    ],
    ["damaged compression", "data:application/gzip;base64,AAAA", "compressed document cannot be read"],
  ])("is refused with the reason: %s", async (_, document, reason) => {
    expect(await readFailure(document)).toMatch(/^failed: /);
    expect(await readFailure(document)).toContain(reason);
  });

  it("with prototype keys, endless references and huge schemas gives bounded tools", async () => {
    const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`p${at}`, { type: "string" }]));
    const text = JSON.stringify(
      buildDocument(
        {
          "/a": {
            get: {
              operationId: "__proto__",
              parameters: [
                { name: "__proto__", in: "query", schema: {} },
                { name: "constructor", in: "query", schema: { $ref: "#/components/schemas/Loop" } },
              ],
            },
          },
          "/b": {
            post: {
              operationId: "toString",
              requestBody: {
                required: true,
                content: { "application/json": { schema: { type: "object", properties: wide } } },
              },
            },
          },
        },
        { components: { schemas: { Loop: { $ref: "#/components/schemas/Loop" } } } },
      ),
    ).replace('"p0":', '"__proto__":{"polluted":true},"p0":');
    const { tools } = await connectApi(apiSettings(text, BASE));
    expect(tools.map(({ name }) => name)).toEqual(["proto", "toString"]);
    expect(tools[0]?.inputSchema).toMatchObject({ properties: { constructor: { $ref: "#/$defs/Loop" } } });
    expect(tools[1]?.inputSchema).toMatchObject({ $comment: expect.stringContaining("Parts were left out") });
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it.each([false, true])(
    "that is too large is not read again and again, also if it is compressed: %s",
    async (packed) => {
      const half = Buffer.alloc(40_000_000, " ");
      const body = packed ? gzipSync(Buffer.concat([half, half])) : half;
      const { requests, origin } = await startStub((_, response) => {
        response.writeHead(200, packed ? { "content-encoding": "gzip" } : {});
        if (!packed) response.write(body);
        response.end(body);
      });
      const { state } = await connectApi(
        apiSettings("", BASE, { document: { from: "url", url: `${origin}/api.json` } }),
      );
      expect(state).toMatchObject({
        status: "failed",
        reason: `The document at ${origin}/api.json could not be read: it has more than 67108864 bytes`,
      });
      expect(requests).toHaveLength(1);
    },
  );

  it("that cannot be had now is tried again, and read again on reconnect", async () => {
    let paths: object = ping;
    let status = 503;
    const { origin } = await startStub((_, response) => sendJson(response, status, buildDocument(paths as never)));
    const bench = openApiBench();
    bench.connections.apply(apiSettings("", BASE, { document: { from: "url", url: `${origin}/api.json` } }));
    expect(await bench.connections.ready("api")).toMatchObject({
      status: "disconnected",
      reason: expect.stringContaining("503"),
    });
    status = 200;
    await expect.poll(() => bench.connections.state("api")?.status).toBe("connected");
    paths = { "/ping": { get: { operationId: "ping" } }, "/pong": { get: { operationId: "pong" } } };
    await bench.connections.reconnect("api");
    expect(bench.lists.map(({ tools }) => tools.length)).toEqual([1, 2]);
  });

  it("that cannot be had on reconnect leaves the operations read before in use, and says so", async () => {
    let status = 200;
    const { origin } = await startStub((request, response) =>
      request.url === "/api.json" ? sendJson(response, status, buildDocument(ping)) : sendJson(response, 200, {}),
    );
    const bench = openApiBench();
    bench.connections.apply(apiSettings("", origin, { document: { from: "url", url: `${origin}/api.json` } }));
    await bench.connections.ready("api");
    status = 503;
    expect(await bench.connections.reconnect("api")).toMatchObject({
      status: "connected",
      reason: expect.stringMatching(
        /^The document could not be read again, so the operations read before stay in use: .*503/,
      ),
    });
    expect(await bench.connections.call("api", "ping", {}, buildContext())).toMatchObject({
      content: expect.any(Array),
    });
    status = 200;
    expect(await bench.connections.reconnect("api")).toMatchObject({ status: "connected", reason: null });
  });
});
