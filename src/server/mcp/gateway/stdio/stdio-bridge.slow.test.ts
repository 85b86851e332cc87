import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { createInterface } from "node:readline";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { waitUntil } from "../../../../lib/wait-until.test-support";
import { startGateway, type TestGateway, tool } from "../gateway.test-support";

const COMMAND = path.resolve(import.meta.dirname, "../../../../../scripts/mcp.mjs");
const INFO = { name: "interop-test", version: "1.2.3" };
const FORM = { kind: "form", message: "Which?", schema: { type: "object", properties: {} } };

let test: TestGateway;
beforeAll(async () => {
  test = await startGateway();
});
afterAll(() => test.close());

function parameters(args: string[] = [], url = new URL(test.url).origin) {
  return { command: process.execPath, args: [COMMAND, ...args], env: { TOOLROOM_URL: url }, stderr: "ignore" as const };
}

type AnyClient = FirstClient | Client;
type Told = { changed: number };

const PEERS: [string, (told?: Told, args?: string[]) => Promise<AnyClient>][] = [
  [
    "a 1.x client",
    async (told, args) => {
      const client = new FirstClient(INFO, { capabilities: { elicitation: { form: {} } } });
      client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: { by: "1.x" } }));
      client.fallbackNotificationHandler = async ({ method }) => {
        if (told && method === "notifications/tools/list_changed") told.changed += 1;
      };
      await client.connect(new FirstTransport(parameters(args)) as never);
      return client;
    },
  ],
  ["a 2.x client of the sessions' era", (told, args) => connectSecond("legacy", told, args)],
  ["a 2.x client of the stateless era", (told, args) => connectSecond("auto", told, args)],
];

async function connectSecond(mode: "legacy" | "auto", told?: Told, args?: string[]): Promise<Client> {
  const onChanged = () => {
    if (told) told.changed += 1;
  };
  const client = new Client(INFO, {
    versionNegotiation: { mode },
    capabilities: { elicitation: { form: {} } },
    listChanged: { tools: { autoRefresh: false, onChanged } },
  });
  client.setRequestHandler("elicitation/create", async () => ({ action: "accept", content: { by: mode } }));
  await client.connect(new StdioClientTransport(parameters(args)));
  return client;
}

function call(
  client: AnyClient,
  params: { name: string; arguments?: Record<string, unknown> },
  options?: { signal?: AbortSignal; onprogress?: (progress: { progress: number }) => void },
) {
  return client instanceof Client
    ? client.callTool(params, options as never)
    : client.callTool(params, undefined, options as never);
}

describe.each(PEERS)("%s over stdio", (_name, connect) => {
  let client: AnyClient;
  const told = { changed: 0 };
  beforeAll(async () => {
    client = await connect(told);
  });
  afterAll(() => client.close());

  it("EXE-05 EXE-06 lists and calls, recorded under the client's own name", async () => {
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["ask", "echo", "fails", "slow", "steps"]);
    const result = await call(client, { name: "echo", arguments: { text: "over ☃ stdio" } });
    expect(result.content).toEqual([{ type: "text", text: JSON.stringify({ echo: { text: "over ☃ stdio" } }) }]);
    expect(test.journal.started.at(-1)).toMatchObject({ source: "gateway", client: "interop-test/1.2.3" });
  });

  it("EXE-02 ERR-02 tells of unknown tools and failures", async () => {
    await expect(call(client, { name: "nothing" })).rejects.toMatchObject({ code: -32602 });
    expect(await call(client, { name: "fails" })).toMatchObject({ isError: true });
  });

  it("passes progress, cancels, questions and changes", async () => {
    const seen: number[] = [];
    await call(client, { name: "steps" }, { onprogress: ({ progress }) => seen.push(progress) });
    // A 2.x client forgets the listener when the answer comes in one piece with the last notification.
    expect([1, 2, 3].slice(0, seen.length)).toEqual(seen);
    expect(seen.length).toBeGreaterThan(1);

    const answered = await call(client, { name: "ask", arguments: { request: FORM } });
    expect(JSON.stringify(answered.content)).toContain("accept");

    const abort = new AbortController();
    const before = test.journal.started.length;
    const running = call(client, { name: "slow" }, { signal: abort.signal });
    running.catch(() => {});
    await waitUntil(() => test.journal.started.length > before, { what: "the start" });
    abort.abort("enough");
    await expect(running).rejects.toThrow();
    await waitUntil(() => test.journal.ended.at(-1)?.end.status === "cancelled", { what: "the cancel" });

    test.engine.registry.register(tool("later", { type: "mock", mock_response: 1 }));
    test.changed();
    await waitUntil(() => told.changed > 0, { what: "list_changed" });
    test.engine.registry.unregister("later");
    test.changed();
  });

  it("serves the tools that its arguments name", async () => {
    const some = await connect(undefined, ["--tools", "echo,fails"]);
    expect((await some.listTools()).tools.map(({ name }) => name)).toEqual(["echo", "fails"]);
    await some.close();
  });
});

/** The command itself, line by line. */
class RawPeer {
  readonly lines: string[] = [];
  errors = "";
  readonly child: ChildProcess;
  constructor(env: Record<string, string>, more: string[] = []) {
    this.child = spawn(process.execPath, [...more, COMMAND], { env: { ...process.env, ...env } });
    if (this.child.stdout) createInterface(this.child.stdout).on("line", (line) => this.lines.push(line));
    this.child.stderr?.on("data", (chunk) => {
      this.errors += chunk;
    });
  }
  send(message: unknown): void {
    this.child.stdin?.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`);
  }
  async answer(id: number) {
    let found: { id?: number; result?: unknown; error?: unknown } | undefined;
    await waitUntil(
      () => {
        found = this.lines
          .map((line) => JSON.parse(line))
          .find((message) => message.id === id && message.method === undefined);
        return found !== undefined;
      },
      { what: `the answer to ${id}\n${this.errors}` },
    );
    return found as { result?: { isError?: boolean; content?: { text: string }[] }; error?: { message: string } };
  }
  async end(): Promise<number | null> {
    this.child.stdin?.end();
    return await new Promise((resolve) => this.child.once("exit", resolve));
  }
}

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};
const buildCall = (id: number, name: string) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name } });

describe("the stdio gateway", () => {
  let peer: RawPeer | undefined;
  afterEach(() => peer?.child.kill("SIGKILL"));

  it("MCP-01 writes nothing but JSON-RPC to stdout, whatever a library prints or the client sends", async () => {
    // A library that prints by itself, from when the command's own code has begun.
    const noisy = `data:text/javascript,${encodeURIComponent(`
      const before = process.stdout.write;
      setInterval(() => {
        if (process.stdout.write === before) return;
        console.log("noise");
        process.stdout.write("more noise\\n");
        console.info("x");
      }, 2).unref();
    `)}`;
    peer = new RawPeer({ TOOLROOM_URL: new URL(test.url).origin }, ["--import", noisy]);
    peer.send("this is no JSON");
    peer.send(INITIALIZE);
    await peer.answer(0);
    peer.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    peer.send(buildCall(1, "echo"));
    expect((await peer.answer(1)).result?.isError).toBeFalsy();
    await waitUntil(() => peer?.errors.includes("more noise") === true, { what: "the noise" });
    expect(await peer.end()).toBe(0);
    expect(peer.lines.length).toBeGreaterThan(1);
    for (const line of peer.lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
    await waitUntil(() => test.gateway.sessionCount() === 0, { what: "the end of the session" });
  });

  it("EXE-06 the arguments of a program are recorded exactly as its line has them", async () => {
    const child = new RawPeer({ TOOLROOM_URL: new URL(test.url).origin });
    child.send(INITIALIZE);
    await child.answer(0);
    const texts = [
      '{ "text" : "a" , "n": 1.0, "e": 1e2, "10":1, "9":2 }',
      '{"text":"\\u0041\\/","__proto__":{"x":1},"a":1,"a":2,"big":12345678901234567890}',
    ];
    for (const [index, text] of texts.entries()) {
      child.send(
        `{"jsonrpc":"2.0","id":${index + 1},"method":"tools/call","params":{"name":"echo","arguments": ${text}}}`,
      );
      expect((await child.answer(index + 1)).result?.isError).toBeFalsy();
      expect(test.journal.started.at(-1)?.argumentsText).toBe(text);
    }
    await child.end();
  });

  it("says what is wrong while Toolroom is down, and continues once it is back", async () => {
    const first = await startGateway();
    const port = Number(new URL(first.url).port);
    peer = new RawPeer({ TOOLROOM_URL: new URL(first.url).origin });
    peer.send(INITIALIZE);
    await peer.answer(0);
    peer.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    peer.send(buildCall(1, "slow"));
    await waitUntil(() => first.journal.started.length === 1, { what: "the start" });
    first.server.closeAllConnections();
    const cut = await peer.answer(1);
    expect(cut.result?.isError).toBe(true);
    expect(cut.result?.content?.[0]?.text).toMatch(/Toolroom did not answer: .*may have run/);
    await first.close();

    peer.send(buildCall(2, "echo"));
    expect((await peer.answer(2)).result?.content?.[0]?.text).toMatch(/Toolroom cannot be reached: .*ECONNREFUSED/);
    const second = await startGateway({ port });
    peer.send(buildCall(3, "echo"));
    expect((await peer.answer(3)).result).toMatchObject({ content: [{ type: "text" }] });
    expect(second.journal.started.at(-1)).toMatchObject({ client: "raw/1", toolName: "echo" });
    expect(peer.lines.some((line) => line.includes("list_changed"))).toBe(true);
    await peer.end();
    await second.close();
  });

  it("answers a message that is too large with an error, says so on stderr, and serves the next one", async () => {
    peer = new RawPeer({ TOOLROOM_URL: new URL(test.url).origin });
    peer.send(INITIALIZE);
    await peer.answer(0);
    peer.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    const text = "x".repeat(17 * 1024 * 1024);
    peer.send({ ...buildCall(1, "echo"), params: { name: "echo", arguments: { text } } });
    peer.send(buildCall(2, "echo"));
    const { error } = await peer.answer(1);
    expect(error).toMatchObject({ code: -32600, message: expect.stringContaining("at most") });
    expect((await peer.answer(2)).result?.isError).toBeFalsy();
    expect(peer.errors).toMatch(/The message of \d+ bytes was not sent/);
    expect(await peer.end()).toBe(0);
  });

  it("tells a server that waits for an answer when the answer was too large", async () => {
    peer = new RawPeer({ TOOLROOM_URL: new URL(test.url).origin });
    const capabilities = { elicitation: { form: {} } };
    peer.send({ ...INITIALIZE, params: { ...INITIALIZE.params, capabilities } });
    await peer.answer(0);
    peer.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    peer.send({ ...buildCall(1, "ask"), params: { name: "ask", arguments: { request: FORM } } });
    const findQuestion = () =>
      peer?.lines.map((line) => JSON.parse(line)).find(({ method }) => method === "elicitation/create");
    await waitUntil(() => findQuestion() !== undefined, { what: "the question" });
    const content = { text: "x".repeat(17 * 1024 * 1024) };
    peer.send({ jsonrpc: "2.0", id: findQuestion()?.id, result: { action: "accept", content } });
    // The test has no console to ask, so the tool gets no answer.
    expect((await peer.answer(1)).result?.content?.[0]?.text).toBe('{"answer":null}');
    expect(await peer.end()).toBe(0);
  });

  it("MCP-01 answers everything that was written at once before its input ended", async () => {
    const lines = [
      { id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: INFO } },
      { method: "notifications/initialized" },
      { id: 2, method: "tools/list" },
    ].map((message) => JSON.stringify({ jsonrpc: "2.0", ...message }));
    const child = spawn(process.execPath, [COMMAND], {
      env: { ...process.env, TOOLROOM_URL: new URL(test.url).origin },
      stdio: ["pipe", "pipe", "ignore"],
    });
    child.stdin.end(`${lines.join("\n")}\n`);
    const answers: { id: number; result?: { tools?: unknown[] } }[] = [];
    for await (const line of createInterface({ input: child.stdout })) answers.push(JSON.parse(line));
    expect(answers.map(({ id }) => id)).toEqual([1, 2]);
    expect(answers[1]?.result?.tools?.length).toBeGreaterThan(0);
  });
});
