import { request as httpRequest } from "node:http";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { CreateMessageRequestSchema, ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, describe, expect, it } from "vitest";
import type { ToolDefinition } from "../../lib/contract";
import { startGateway, type TestGateway, tool, until } from "./gateway.test-support";

let test: TestGateway;
afterEach(() => test.close());

const JSON_HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const INITIALIZE = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};

function post(url: string, body: unknown, headers: Record<string, string> = {}) {
  return fetch(url, {
    method: "POST",
    headers: { ...JSON_HEADERS, ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

async function begin(url = test.url): Promise<Record<string, string>> {
  const response = await post(url, INITIALIZE);
  return { "mcp-session-id": response.headers.get("mcp-session-id") ?? "", "mcp-protocol-version": "2025-06-18" };
}

const callOf = (name: string, id: number, more = {}) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: {}, ...more },
});

describe("who may speak", () => {
  it("refuses names and pages that are not this server's", async () => {
    test = await startGateway();
    const ask = (headers: Record<string, string>) =>
      new Promise<number>((resolve, reject) => {
        const request = httpRequest(
          test.url,
          { method: "POST", headers: { ...JSON_HEADERS, ...headers } },
          (response) => {
            response.resume();
            resolve(response.statusCode ?? 0);
          },
        );
        request.once("error", reject);
        request.end(JSON.stringify(INITIALIZE));
      });
    const { host } = new URL(test.url);
    expect(await ask({ host: "evil.example.com" })).toBe(403);
    expect(await ask({ host, origin: "http://evil.example.com" })).toBe(403);
    expect(await ask({ host, origin: "http://localhost:1" })).toBe(403);
    expect(await ask({ host, origin: `http://${host}` })).toBe(200);
    expect(await ask({ host })).toBe(200);
  });

  it("tells what is wrong with a request that is no message", async () => {
    test = await startGateway({ ports: { limits: { maxBodyBytes: 1000 } } });
    const tooLarge = await post(test.url, { ...INITIALIZE, padding: "x".repeat(2000) });
    expect([tooLarge.status, (await tooLarge.json()).error.message]).toEqual([
      413,
      "The request is larger than 1000 bytes",
    ]);
    const noJson = await post(test.url, "{");
    expect([noJson.status, (await noJson.json()).error.code]).toEqual([400, -32700]);
    expect((await post(test.url, "{}", { "content-type": "text/plain" })).status).toBe(415);
    expect((await post(test.url, INITIALIZE, { accept: "text/html" })).status).toBe(406);
    expect((await post(test.url, { hello: 1 })).status).toBe(400);
    expect((await fetch(test.url, { method: "PUT" })).status).toBe(405);
    const noSession = await post(test.url, callOf("echo", 7));
    expect([noSession.status, await noSession.json()]).toMatchObject([400, { id: 7 }]);
  });
});

describe("sessions", () => {
  it("begin with initialize, and their calls are cancelled when the client deletes them", async () => {
    test = await startGateway();
    const headers = await begin();
    const running = post(test.url, callOf("slow", 1), headers);
    await until(() => test.journal.started.length === 1, "the start");
    expect(test.gateway.sessionCount()).toBe(1);
    expect((await fetch(test.url, { method: "DELETE", headers })).status).toBe(200);
    await until(() => test.journal.ended[0]?.end.status === "cancelled", "the cancel");
    expect(await (await running).text()).toBe("");
    expect((await post(test.url, callOf("echo", 2), headers)).status).toBe(404);
    expect(test.gateway.sessionCount()).toBe(0);
  });

  it("go on with a call whose connection was lost", async () => {
    test = await startGateway();
    const headers = await begin();
    const abort = new AbortController();
    const running = fetch(test.url, {
      method: "POST",
      headers: { ...JSON_HEADERS, ...headers },
      body: JSON.stringify(callOf("steps", 1)),
      signal: abort.signal,
    });
    await until(() => test.journal.started.length === 1, "the start");
    abort.abort();
    await expect(running.then((response) => response.text())).rejects.toThrow();
    await until(() => test.journal.ended[0]?.end.status === "succeeded", "the end");
  });

  it("end a cancelled call's request without an answer", async () => {
    test = await startGateway();
    const headers = await begin();
    const running = post(test.url, callOf("slow", 1), headers);
    await until(() => test.journal.started.length === 1, "the start");
    const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1, reason: "enough" } };
    expect((await post(test.url, cancel, headers)).status).toBe(202);
    expect(await (await running).text()).toBe("");
    await until(() => test.journal.ended[0]?.end.status === "cancelled", "the cancel");
  });

  it("refuse a second request of an id that is being answered, and ids of other addresses", async () => {
    test = await startGateway({ ports: { serverNames: () => ["files"] } });
    const headers = await begin();
    const running = post(test.url, callOf("slow", 1), headers);
    await until(() => test.journal.started.length === 1, "the start");
    expect((await post(test.url, callOf("echo", 1), headers)).status).toBe(400);
    expect((await post(`${test.url}/files`, callOf("echo", 2), headers)).status).toBe(404);
    await fetch(test.url, { method: "DELETE", headers });
    await running;
  });

  it("end when they are idle for long, and the oldest when there are too many", async () => {
    test = await startGateway({ ports: { limits: { sessionIdleMs: 60, maxSessions: 2 } } });
    const oldest = await begin();
    await new Promise((resolve) => setTimeout(resolve, 5));
    await begin();
    await begin();
    expect(test.gateway.sessionCount()).toBe(2);
    expect((await post(test.url, callOf("echo", 1), oldest)).status).toBe(404);
    await until(() => test.gateway.sessionCount() === 0, "the end of idle sessions");
  });

  it("answer a batch at once", async () => {
    test = await startGateway();
    const headers = await begin();
    const response = await post(
      test.url,
      [callOf("echo", 1), { jsonrpc: "2.0", method: "notifications/initialized" }, callOf("nothing", 2)],
      headers,
    );
    const answers = (await response.json()) as { id: number; error?: { code: number } }[];
    expect(new Map(answers.map(({ id, error }) => [id, error?.code]))).toEqual(
      new Map([
        [1, undefined],
        [2, -32602],
      ]),
    );
    const twins = await post(test.url, [callOf("echo", 1), callOf("echo", 1)], headers);
    expect(twins.status).toBe(400);
  });

  it("keep a long call's stream alive, and what nobody heard for the next stream", async () => {
    test = await startGateway({ ports: { limits: { keepAliveMs: 20 } } });
    const headers = await begin();
    const running = await post(test.url, callOf("slow", 1), headers);
    expect(running.headers.get("content-type")).toBe("text/event-stream");
    const { value } = (await running.body?.getReader().read()) ?? {};
    expect(new TextDecoder().decode(value)).toBe(": keep-alive\n\n");
    await post(test.url, { jsonrpc: "2.0", id: 5, method: "tools/list" }, headers);
    test.engine.registry.register(tool("later", { type: "mock", mock_response: null }));
    test.changed();
    await new Promise((resolve) => setTimeout(resolve, 50));
    const stream = await fetch(test.url, { headers: { ...headers, accept: "text/event-stream" } });
    const first = await stream.body?.getReader().read();
    expect(new TextDecoder().decode(first?.value)).toContain("notifications/tools/list_changed");
    await fetch(test.url, { method: "DELETE", headers });
  });

  it("record calls that the server's end cuts as interrupted", async () => {
    test = await startGateway();
    const headers = await begin();
    const running = post(test.url, callOf("slow", 1), headers);
    await until(() => test.journal.started.length === 1, "the start");
    await test.gateway.close();
    await (await running).text();
    await until(() => test.journal.ended[0]?.end.status === "interrupted", "the record");
  });
});

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

describe("parts of the catalogue", () => {
  const definitions = [mcpTool("notes", "read"), mcpTool("files", "write"), mcpTool("files", "read")];

  it("RTE-04 serves one server's tools under its address, and those that a filter names", async () => {
    await withServers(definitions);
    expect(await namesAt(test.url)).toEqual(["files__read", "files__write", "notes__read"]);
    expect(await namesAt(`${test.url}/files`)).toEqual(["files__read", "files__write"]);
    expect(await namesAt(`${test.url}?tools=notes__read,unknown,files__read`)).toEqual(["files__read", "notes__read"]);
    expect(await namesAt(`${test.url}/files?names=plain`)).toEqual(["read", "write"]);
    expect(await namesAt(`${test.url}/files?names=plain&tools=write`)).toEqual(["write"]);
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
    expect((await post(`${test.url}?names=plain`, INITIALIZE)).status).toBe(400);
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
    const headers = await begin();
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
    const headers = await begin();
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
    const answer = await (await post(test.url, callOf("files__read", 2), headers)).json();
    expect(answer).toEqual({ jsonrpc: "2.0", id: 2, result: ANSWER });
  });

  it("ERR-04 keep their content when they are errors", async () => {
    const result = { content: [{ type: "text", text: "no such file" }], isError: true };
    await withServers([mcpTool("files", "read")], undefined, {
      executor: {
        execute: async () => ({ success: false, error: "no such file", error_kind: "tool_error", result }) as never,
      },
    });
    const headers = await begin();
    expect((await (await post(test.url, callOf("files__read", 2), headers)).json()).result).toEqual(result);
  });

  it("ERR-03 never show what broke inside", async () => {
    await withServers([mcpTool("files", "read")], undefined, {
      executor: { execute: () => Promise.reject(new Error("secret at /etc/path")) },
    });
    const headers = await begin();
    const answer = await (await post(test.url, callOf("files__read", 2), headers)).json();
    expect(answer.error).toEqual({ code: -32603, message: "The call could not be carried out" });
  });
});

describe("questions of tools", () => {
  const FORM = {
    kind: "form",
    message: "Which colour?",
    schema: { type: "object", properties: { colour: { type: "string" } } },
  };
  const SAMPLING = {
    kind: "sampling",
    message: "",
    paramsText: JSON.stringify({ messages: [{ role: "user", content: { type: "text", text: "hi" } }], maxTokens: 5 }),
  };
  const ask = (client: Client | FirstClient, request: unknown) =>
    client.callTool({ name: "ask", arguments: { request } } as never).then((result) => {
      const [block] = result.content as { text: string }[];
      return JSON.parse(block?.text ?? "").answer;
    });

  it("go to a client of a session that can answer them", async () => {
    test = await startGateway();
    const client = new FirstClient(
      { name: "t", version: "1" },
      { capabilities: { elicitation: { form: {}, url: {} }, sampling: {} } },
    );
    client.setRequestHandler(ElicitRequestSchema, ({ params }) =>
      params.mode === "url"
        ? { action: "decline" }
        : { action: "accept", content: { colour: `${params.message} red` } },
    );
    client.setRequestHandler(CreateMessageRequestSchema, () => ({
      role: "assistant",
      model: "tiny",
      content: { type: "text", text: "hello" },
    }));
    await client.connect(new FirstTransport(new URL(test.url)) as never);
    expect(await ask(client, FORM)).toEqual({ action: "accept", content: { colour: "Which colour? red" } });
    expect(await ask(client, { kind: "url", message: "Open", url: "https://example.com" })).toEqual({
      action: "decline",
    });
    expect(await ask(client, SAMPLING)).toMatchObject({ action: "accept", text: "hello", model: "tiny" });
    await client.close();
  });

  it("go to a stateless client between its requests, and the same run goes on", async () => {
    test = await startGateway();
    const client = new Client(
      { name: "t", version: "1" },
      { versionNegotiation: { mode: "auto" }, capabilities: { elicitation: { form: {} }, sampling: {} } },
    );
    client.setRequestHandler("elicitation/create", async () => ({ action: "accept", content: { colour: "blue" } }));
    client.setRequestHandler("sampling/createMessage", async () => ({
      role: "assistant",
      model: "tiny",
      content: { type: "text", text: "hello" },
    }));
    await client.connect(new StreamableHTTPClientTransport(new URL(test.url)));
    expect(await ask(client, FORM)).toEqual({ action: "accept", content: { colour: "blue" } });
    expect(await ask(client, SAMPLING)).toMatchObject({ action: "accept", text: "hello", model: "tiny" });
    expect(test.journal.started.length).toBe(2);
    await client.close();
  });

  it("are left to the console where the client cannot answer", async () => {
    test = await startGateway();
    for (const mode of ["legacy", "auto"] as const) {
      const client = new Client({ name: "t", version: "1" }, { versionNegotiation: { mode } });
      await client.connect(new StreamableHTTPClientTransport(new URL(test.url)));
      expect(await ask(client, FORM)).toBeNull();
      expect(await ask(client, SAMPLING)).toBeNull();
      await client.close();
    }
  });

  it("end the call when a stateless client does not come back", async () => {
    test = await startGateway({ ports: { limits: { answerMs: 30 } } });
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
    };
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "ask" };
    const body = callOf("ask", 1, { arguments: { request: FORM }, _meta });
    const { result } = await (await post(test.url, body, headers)).json();
    expect(result).toMatchObject({
      resultType: "input_required",
      inputRequests: { "question-1": { method: "elicitation/create" } },
    });
    await until(() => test.journal.ended[0]?.end.status === "cancelled", "the end");
    const late = { ...body, params: { ...body.params, requestState: result.requestState, inputResponses: {} } };
    expect((await (await post(test.url, late, headers)).json()).error.code).toBe(-32602);
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
      const body = callOf("files__read", 1, { arguments: args, _meta });
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
