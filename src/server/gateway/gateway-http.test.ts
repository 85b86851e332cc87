import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway, tool, until } from "./gateway.test-support";

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
    await until(() => test.journal.started.length > before, "the call's start");
    abort.abort("enough");
    await expect(running).rejects.toThrow();
    await until(() => test.journal.ended.at(-1)?.end.status === "cancelled", "the record of the cancel");
  });

  it("answers many calls at once, each with its own result", async () => {
    const texts = Array.from({ length: 40 }, (_, index) => `text ${index}`);
    const results = await Promise.all(texts.map((text) => call(client, { name: "echo", arguments: { text } })));
    expect(
      results.map((result) => JSON.parse((result.content as { text: string }[])[0]?.text ?? "").echo.text),
    ).toEqual(texts);
  });

  it("tells of a changed catalogue", async () => {
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
    await new Promise((resolve) => setTimeout(resolve, 100));
    test.engine.registry.register(tool(name, { type: "mock", mock_response: 1 }));
    test.changed();
    await until(() => told > 0, "list_changed");
    expect((await listener.listTools()).tools.map((one) => one.name)).toContain(name);
    test.engine.registry.unregister(name);
    test.changed();
    await listener.close();
  });
});
