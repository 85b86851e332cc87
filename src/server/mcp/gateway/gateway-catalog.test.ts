import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterEach, describe, expect, it } from "vitest";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { begin, buildCall, INITIALIZE, post, startGateway, type TestGateway, tool } from "./gateway.test-support";

let test: TestGateway;
afterEach(() => test.close());

function mcpTool(server: string, name: string, more = {}): ToolDefinition {
  return tool(`${server}__${name}`, { type: "mcp", server, tool: name }, more);
}

/** A gateway whose tools come from servers; what a call of one answers is given. */
async function withServers(
  definitions: ToolDefinition[],
  answer: (name: string) => unknown = () => ({ content: [] }),
  ports = {},
): Promise<void> {
  test = await startGateway({
    ports: {
      tools: () => definitions,
      serverNames: () => ["files", "notes"],
      executor: {
        execute: async (name: string) =>
          ({ success: true, result: answer(name), tool_name: name, execution_time_ms: 1 }) as never,
      },
      ...ports,
    },
  });
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ name: "t", version: "1" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client;
}
const namesAt = async (url: string) => {
  const client = await connect(url);
  const { tools } = await client.listTools();
  await client.close();
  return tools.map(({ name }) => name);
};

describe("parts of the catalog", () => {
  const definitions = [mcpTool("notes", "read"), mcpTool("files", "write"), mcpTool("files", "read")];

  it("RTE-04 serves one server's tools under its address, and those that a filter names", async () => {
    await withServers(definitions);
    expect(await namesAt(test.url)).toEqual(["files__read", "files__write", "notes__read"]);
    expect(await namesAt(`${test.url}/files`)).toEqual(["files__read", "files__write"]);
    expect(await namesAt(`${test.url}?tools=notes__read,unknown,files__read`)).toEqual(["files__read", "notes__read"]);
    expect(await namesAt(`${test.url}/files?names=plain`)).toEqual(["read", "write"]);
    expect(await namesAt(`${test.url}/files?names=plain&tools=write`)).toEqual(["write"]);
  });

  it("RTE-04 keeps a server's own order at its address, and says when it changes", async () => {
    const order = ["files__write", "files__read"];
    await withServers(definitions, undefined, { listedOrder: () => order });
    expect(await namesAt(`${test.url}/files`)).toEqual(["files__write", "files__read"]);
    expect(await namesAt(`${test.url}/files?names=plain`)).toEqual(["write", "read"]);
    expect(await namesAt(test.url)).toEqual(["files__read", "files__write", "notes__read"]);
    order.reverse();
    test.changed();
    expect(await namesAt(`${test.url}/files`)).toEqual(["files__read", "files__write"]);
  });

  it("RTE-01 calls the tool that is meant under each name, and none outside of the part", async () => {
    const called: string[] = [];
    await withServers(definitions, (name) => {
      called.push(name);
      return { content: [] };
    });
    const plain = await connect(`${test.url}/files?names=plain`);
    await plain.callTool({ name: "read" });
    await plain.callTool({ name: "files__write" });
    await expect(plain.callTool({ name: "notes__read" })).rejects.toMatchObject({ code: -32602 });
    expect(called).toEqual(["files__read", "files__write"]);
    await plain.close();
  });

  it("RTE-02 names a server that does not exist", async () => {
    await withServers(definitions);
    const unknown = await post(`${test.url}/nothing`, INITIALIZE);
    expect([unknown.status, (await unknown.json()).error.message]).toEqual([
      404,
      "There is no server 'nothing' here. /mcp serves every tool.",
    ]);
  });

  it("RTE-04 serves the whole catalog under plain names where one tool has the name, and calls what is meant", async () => {
    const called: string[] = [];
    const own = tool("stat", { type: "builtin", handler: "echo" });
    const more = [mcpTool("notes", "find.all"), mcpTool("files", "files__read"), mcpTool("files", "stat"), own];
    await withServers([...definitions, ...more], (name) => {
      called.push(name);
      return { content: [] };
    });
    const url = `${test.url}?names=plain`;
    // `read` and `stat` belong to two tools; the tool `files__read` of files has the name of another one in the catalog.
    const names = ["files__files__read", "files__read", "files__stat", "find.all", "notes__read", "stat", "write"];
    expect(await namesAt(url)).toEqual(names);
    expect(await namesAt(`${url}&tools=write,notes__read,read`)).toEqual(["notes__read", "write"]);
    const client = await connect(url);
    for (const name of ["write", "files__write", "find.all", "files__read", "stat"]) await client.callTool({ name });
    await expect(client.callTool({ name: "unknown" })).resolves.toBeDefined();
    expect(called).toEqual(["files__write", "files__write", "notes__find.all", "files__read", "stat", "unknown"]);
    await client.close();
  });

  it("refuses plain names for a toolset, which has names of its own", async () => {
    await withServers(definitions, undefined, { toolset: () => ({ toolset: {}, tools: [], byName: new Map() }) });
    const refused = await post(`${test.url}/sets/mail?names=plain`, INITIALIZE);
    const message = "A toolset has names of its own: leave names=plain out";
    expect([refused.status, (await refused.json()).error.message]).toEqual([400, message]);
  });

  it("refuses names in a form that it does not know", async () => {
    await withServers(definitions);
    const refused = await post(`${test.url}/files?names=short`, INITIALIZE);
    const message = "names=short is not known: use names=plain, or leave it out";
    expect([refused.status, (await refused.json()).error.message]).toEqual([400, message]);
  });

  it("lists aliases for names that providers refuse, and takes both", async () => {
    const called: string[] = [];
    await withServers([mcpTool("files", "read.all"), mcpTool("files", "write")], (name) => {
      called.push(name);
      return { content: [] };
    });
    const [alias = "", other] = await namesAt(test.url);
    expect([alias, other]).toEqual([expect.stringMatching(/^files__read_all_[0-9a-f]{8}$/), "files__write"]);
    const client = await connect(test.url);
    await client.callTool({ name: alias });
    await client.callTool({ name: "files__read.all" });
    expect(called).toEqual(["files__read.all", "files__read.all"]);
    expect(await namesAt(`${test.url}?tools=${alias}`)).toEqual([alias]);
    await client.close();
  });

  it("gives long lists in pages", async () => {
    const many = Array.from({ length: 2500 }, (_, index) => mcpTool("files", `t${String(index).padStart(4, "0")}`));
    await withServers(many);
    expect((await namesAt(test.url)).length).toBe(2500);
    const headers = await begin(test.url);
    const broken = await post(
      test.url,
      { jsonrpc: "2.0", id: 3, method: "tools/list", params: { cursor: "no cursor" } },
      headers,
    );
    expect((await broken.json()).error.code).toBe(-32602);
  });
});

describe("answers of servers", () => {
  const ANSWER = {
    content: [
      { type: "image", data: "not base64 at all", mimeType: "image/png" },
      { type: "hologram", beams: 3 },
      { type: "text", text: "with it", annotations: { audience: ["user"] }, _meta: { "x/y": 1 } },
    ],
    structuredContent: { rows: [1] },
    _meta: { "vendor/cost": 5 },
  };

  it("OUT-02 pass on whole, also what the SDK does not know", async () => {
    const schema = { type: "object", properties: { rows: { type: "array" } } };
    const annotations = { readOnlyHint: true, title: "Reads" };
    await withServers(
      [mcpTool("files", "read", { outputSchema: schema, annotations, icons: [{ src: "data:," }], _meta: { a: 1 } })],
      () => ANSWER,
    );
    const headers = await begin(test.url);
    const list = await (await post(test.url, { jsonrpc: "2.0", id: 1, method: "tools/list" }, headers)).json();
    expect(list.result.tools).toEqual([
      {
        name: "files__read",
        description: "The tool files__read",
        inputSchema: { type: "object", properties: { text: { type: "string" } } },
        outputSchema: schema,
        annotations,
        icons: [{ src: "data:," }],
        _meta: { a: 1 },
      },
    ]);
    const answer = await (await post(test.url, buildCall("files__read", 2), headers)).json();
    expect(answer).toEqual({ jsonrpc: "2.0", id: 2, result: ANSWER });
  });

  it("ERR-04 keep their content when they are errors", async () => {
    const result = { content: [{ type: "text", text: "no such file" }], isError: true };
    await withServers([mcpTool("files", "read")], undefined, {
      executor: {
        execute: async () => ({ success: false, error: "no such file", error_kind: "tool_error", result }) as never,
      },
    });
    const headers = await begin(test.url);
    expect((await (await post(test.url, buildCall("files__read", 2), headers)).json()).result).toEqual(result);
  });

  it("ERR-03 never show what broke inside", async () => {
    await withServers([mcpTool("files", "read")], undefined, {
      executor: { execute: () => Promise.reject(new Error("secret at /etc/path")) },
    });
    const headers = await begin(test.url);
    const answer = await (await post(test.url, buildCall("files__read", 2), headers)).json();
    expect(answer.error).toEqual({ code: -32603, message: "The call could not be carried out" });
  });
});

describe("headers that repeat parameters", () => {
  const properties = { region: { type: "string", "x-mcp-header": "Region" }, count: { type: "integer" } };

  it("RTE-03 have to say what the arguments say", async () => {
    await withServers([
      tool(
        "files__read",
        { type: "mcp", server: "files", tool: "read" },
        {
          parameters: { type: "object", properties },
        },
      ),
    ]);
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "files__read" };
    const send = async (args: unknown, more: Record<string, string>) => {
      const body = buildCall("files__read", 1, { arguments: args, _meta });
      const response = await post(test.url, body, { ...headers, ...more });
      return [response.status, (await response.json()).error?.code];
    };
    const encoded = `=?base64?${Buffer.from("süd").toString("base64")}?=`;
    expect(await send({ region: "süd" }, { "mcp-param-region": encoded })).toEqual([200, undefined]);
    expect(await send({ region: "west" }, { "mcp-param-region": "west" })).toEqual([200, undefined]);
    expect(await send({ count: 3 }, {})).toEqual([200, undefined]);
    expect(await send({ region: "west" }, { "mcp-param-region": "east" })).toEqual([400, -32020]);
    expect(await send({ region: "west" }, { "mcp-param-region": "=?base64?d2Vzd?=" })).toEqual([400, -32020]);
    expect(await send({ region: "west" }, {})).toEqual([400, -32020]);
    expect(await send({ region: "west" }, { "toolroom-stdio": "1" })).toEqual([200, undefined]);
  });
});
