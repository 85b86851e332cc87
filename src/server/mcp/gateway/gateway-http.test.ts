import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { begin, post, startGateway, type TestGateway, tool } from "./gateway.test-support";

let test: TestGateway;
beforeAll(async () => {
  test = await startGateway();
});
afterAll(() => test.close());

type AnyClient = FirstClient | Client;
const INFO = { name: "interop-test", version: "1.2.3" };

async function connectFirst(url = test.url): Promise<FirstClient> {
  const client = new FirstClient(INFO);
  await client.connect(new FirstTransport(new URL(url)) as never);
  return client;
}
async function connectSecond(mode: "legacy" | "auto", url = test.url): Promise<Client> {
  const client = new Client(INFO, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client;
}

const PEERS: [string, () => Promise<AnyClient>, string][] = [
  ["a 1.x client", () => connectFirst(), "2025-11-25"],
  ["a 2.x client of the sessions' era", () => connectSecond("legacy"), "2025-11-25"],
  ["a 2.x client of the stateless era", () => connectSecond("auto"), "2026-07-28"],
];

/** Both generations take the same arguments but in another place. */
function call(
  client: AnyClient,
  params: { name: string; arguments?: Record<string, unknown> },
  options?: { signal?: AbortSignal; onprogress?: (progress: { progress: number }) => void },
) {
  return client instanceof Client
    ? client.callTool(params, options as never)
    : client.callTool(params, undefined, options as never);
}

const ODD_TEXTS = [
  ' { "text" : "a" ,\n "n": 1.0, "e": 1e2 } '.trim(),
  '{"text":"\\u0041\\/","__proto__":{"x":1}}',
  '{"a":1,"a":2,"big":12345678901234567890,"10":1,"9":2}',
];

describe("null in place of an optional member", () => {
  it.each([
    '{"jsonrpc":"2.0","id":1,"method":"ping","params":null}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":null}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":null,"_meta":null}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":null,"_meta":{"progressToken":null},"task":null}}',
  ])("counts as absent in a session: %s", async (body) => {
    const session = await begin(test.url);
    const answer = await post(test.url, body, session);
    expect(await answer.json()).toMatchObject({ id: 1, result: {} });
  });

  it("counts as absent in initialize, and keeps no notification out", async () => {
    const clientInfo = { name: "raw", version: "1", title: null, icons: null };
    const capabilities = { sampling: null, roots: { listChanged: null }, experimental: null };
    const params = { protocolVersion: "2025-11-25", capabilities, clientInfo, _meta: null };
    const opened = await post(test.url, { jsonrpc: "2.0", id: 1, method: "initialize", params });
    expect(opened.status).toBe(200);
    const session = {
      "mcp-session-id": opened.headers.get("mcp-session-id") ?? "",
      "mcp-protocol-version": "2025-11-25",
    };
    const told = await post(test.url, { jsonrpc: "2.0", method: "notifications/initialized", params: null }, session);
    expect(told.status).toBe(202);
  });

  it("stays a value in arguments, and an error where the member is required", async () => {
    const session = await begin(test.url);
    const call = { name: "echo", arguments: { text: "a", extra: null } };
    await post(test.url, { jsonrpc: "2.0", id: 1, method: "tools/call", params: call }, session);
    expect(test.journal.started.at(-1)?.argumentsText).toBe('{"text":"a","extra":null}');
    const nameless = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: null } };
    expect(await (await post(test.url, nameless, session)).json()).toMatchObject({ error: { code: -32602 } });
  });
});

describe("arguments over HTTP", () => {
  const META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const buildBody = (id: number, text: string, meta = ""): string =>
    `{"jsonrpc":"2.0","id":${id},"params":{"arguments":{"text":"no"}},"method":"tools/call","params":{${meta}"arguments" : ${text} ,"name":"echo"}}`;
  const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call" };

  it.each(["null", " null "])(
    "runs a call whose arguments are %s as one without arguments, in every way in",
    async (text) => {
      const session = await begin(test.url);
      const answers = [
        await post(test.url, buildBody(1, text), session),
        await post(test.url, buildBody(2, text, `"_meta":${JSON.stringify(META)},`), {
          ...headers,
          "mcp-name": "echo",
        }),
      ];
      for (const answer of answers) {
        expect(JSON.stringify(await answer.text())).not.toContain("rror");
        expect(test.journal.started.at(-1)?.argumentsText).toBe("{}");
      }
    },
  );

  it.each(ODD_TEXTS)("EXE-06 %s is recorded exactly as sent, in a session and in a batch", async (text) => {
    const session = await begin(test.url);
    expect((await (await post(test.url, buildBody(1, text), session)).json()).result.isError).toBeFalsy();
    expect(test.journal.started.at(-1)?.argumentsText).toBe(text);
    const before = test.journal.started.length;
    await (await post(test.url, ` [${buildBody(2, text)},\n${buildBody(3, '{"text" :"x"}')} ]`, session)).text();
    const recorded = test.journal.started.slice(before).map(({ argumentsText }) => argumentsText);
    expect(recorded).toEqual([text, '{"text" :"x"}']);
  });

  it.each(ODD_TEXTS)("EXE-06 %s is recorded exactly as sent, without a session", async (text) => {
    const body = buildBody(1, text, `"_meta":${JSON.stringify(META)},`);
    for (const name of ["echo", "=?base64?ZWNobw==?="]) {
      const before = test.journal.started.length;
      await (await post(test.url, body, { ...headers, "mcp-name": name })).text();
      expect(test.journal.started.slice(before).map(({ argumentsText }) => argumentsText)).toEqual([text]);
    }
  });
});

describe.each(PEERS)("%s over HTTP", (_name, connect, protocol) => {
  let client: AnyClient;
  beforeAll(async () => {
    client = await connect();
  });
  afterAll(() => client.close());

  it("lists every tool in the order of names", async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["ask", "echo", "fails", "slow", "steps"]);
    expect(tools[1]).toMatchObject({ description: "The tool echo", inputSchema: { type: "object" } });
  });

  it("EXE-05 EXE-06 runs a call through the executor and records who asked, from where", async () => {
    const result = await call(client, { name: "echo", arguments: { text: "héllo ☃" } });
    expect(result.isError).toBeFalsy();
    expect(result.content).toEqual([{ type: "text", text: JSON.stringify({ echo: { text: "héllo ☃" } }) }]);
    expect(test.journal.started.at(-1)).toMatchObject({
      toolName: "echo",
      source: "gateway",
      client: "interop-test/1.2.3",
      argumentsText: JSON.stringify({ text: "héllo ☃" }),
    });
    expect(protocol).toBeTruthy();
  });

  it("EXE-02 answers an unknown tool with -32602 and records the attempt", async () => {
    await expect(call(client, { name: "constructor" })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("Tool 'constructor' not found"),
    });
    expect(test.journal.ended.at(-1)?.end).toMatchObject({ errorKind: "not_found" });
  });

  it("EXE-04 gives a failing tool's message as a result that is an error", async () => {
    const result = await call(client, { name: "fails" });
    expect(result).toMatchObject({ isError: true, content: [{ type: "text", text: "Error: the disk is full" }] });
  });

  it("ERR-02 gives invalid arguments as a result that is an error", async () => {
    const result = await call(client, { name: "echo", arguments: { text: 5 } });
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result.content)).toContain("Invalid parameters: 'text' must be string");
  });

  it("passes progress on, growing", async () => {
    const seen: number[] = [];
    await call(client, { name: "steps" }, { onprogress: ({ progress }) => seen.push(progress) });
    // A 2.x client forgets the listener when the answer comes in one piece with the last notification.
    expect([1, 2, 3].slice(0, seen.length)).toEqual(seen);
    expect(seen.length).toBeGreaterThan(1);
  });

  it("TIME-03 cancels the tool when the caller does", async () => {
    const abort = new AbortController();
    const before = test.journal.started.length;
    const running = call(client, { name: "slow" }, { signal: abort.signal });
    running.catch(() => {});
    await waitUntil(() => test.journal.started.length > before, { what: "the call's start" });
    abort.abort("enough");
    await expect(running).rejects.toThrow();
    await waitUntil(() => test.journal.ended.at(-1)?.end.status === "cancelled", { what: "the record of the cancel" });
  });

  it("answers many calls at once, each with its own result", async () => {
    const texts = Array.from({ length: 40 }, (_, index) => `text ${index}`);
    const results = await Promise.all(texts.map((text) => call(client, { name: "echo", arguments: { text } })));
    expect(
      results.map((result) => JSON.parse((result.content as { text: string }[])[0]?.text ?? "").echo.text),
    ).toEqual(texts);
  });

  it("tells of a changed catalog", async () => {
    const { url } = test;
    let told = 0;
    const onChanged = () => {
      told += 1;
    };
    const name = `added_${protocol}_${Date.now()}`;
    const listener: AnyClient =
      client instanceof Client
        ? new Client(INFO, {
            versionNegotiation: { mode: protocol === "2026-07-28" ? "auto" : "legacy" },
            listChanged: { tools: { autoRefresh: false, onChanged } },
          })
        : new FirstClient(INFO, { listChanged: { tools: { autoRefresh: false, onChanged } } } as never);
    await listener.connect(
      (listener instanceof Client
        ? new StreamableHTTPClientTransport(new URL(url))
        : new FirstTransport(new URL(url))) as never,
    );
    await listener.listTools();
    test.engine.registry.register(tool(name, { type: "mock", mock_response: 1 }));
    await waitUntil(
      () => {
        // Again and again: the client's stream may not be open yet.
        test.changed();
        return told > 0;
      },
      { what: "list_changed" },
    );
    expect((await listener.listTools()).tools.map((one) => one.name)).toContain(name);
    test.engine.registry.unregister(name);
    test.changed();
    await listener.close();
  });
});

describe("a message that is nested too deeply", () => {
  const levels = 100_000;
  const list = "[".repeat(levels) + "]".repeat(levels);
  const object = `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
  it.each([
    ["a list", list, null],
    ["an object", object, null],
    ["the id", `{"jsonrpc":"2.0","method":"ping","id":${list}}`, null],
    [
      "the capabilities",
      `{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"experimental":${object}},"clientInfo":{"name":"a","version":"1"}}}`,
      7,
    ],
  ])("ERR-02 is answered with 400 and a JSON-RPC error (%s)", async (_what, body, id) => {
    const response = await fetch(test.url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      body,
    });
    expect(response.status).toBe(400);
    const message = "Invalid request: the message is nested deeper than 200 levels";
    expect(await response.json()).toEqual({ jsonrpc: "2.0", id, error: { code: -32_600, message } });
  });
});

it("a body with an object of very many keys is refused with the limit", async () => {
  const session = await begin(test.url);
  const keys = Array.from({ length: 100_001 }, (_, index) => `"key ${index}":0`).join();
  const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{${keys}}}}`;
  const response = await post(test.url, body, session);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    error: { code: -32_700, message: "Parse error: An object in the text has more than 100,000 keys: split it" },
  });
});

it("a body with millions of lists is refused with the limit", async () => {
  const session = await begin(test.url);
  const lists = `[${Array.from({ length: 1_000_000 }, () => "[]").join()}]`;
  const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":${lists}}}}`;
  const response = await post(test.url, body, session);
  expect(response.status).toBe(400);
  const message = "Parse error: The text has more than 1,000,000 lists and objects: send it in parts";
  expect(await response.json()).toMatchObject({ error: { code: -32_700, message } });
});
