import { readdirSync, readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { startOAuthServer } from "../../../../e2e/support/mcp-servers/oauth-server.mjs";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { buildContext, isAlive, openBench, readText, remote, script } from "./connections.test-support";

const FRAME = pathToFileURL(
  path.resolve(import.meta.dirname, "../../../../e2e/support/mcp-servers/stdio-server.mjs"),
).href;
const CALLBACK = "http://127.0.0.1:3999/oauth/callback";
const SECRET = "s3cr3t-0123456789-abcdefghij";

/** A server whose source stands in the test. */
function source(name: string, code: string, given: Parameters<typeof script>[1] = {}) {
  const text = `import { send, serveStdio, text } from ${JSON.stringify(FRAME)};\n${code}`;
  return { ...script(name, given), args: ["--input-type=module", "-e", text] };
}

const SILENT = `
const tools = [{ name: "ok", run: () => text("ok") }];
serveStdio({ name: "s", tools, handle: ({ method }) => method === "tools/list" });`;

async function untilListing(connections: ReturnType<typeof openBench>["connections"], server: string): Promise<void> {
  const asked = () => connections.messages(server).some(({ method }) => method === "tools/list");
  await waitUntil(asked);
}

describe("a server that answers 'initialize' and never lists its tools", () => {
  it.skipIf(process.platform !== "linux")("is ended at once, with its process, when it is removed", async () => {
    const { connections } = openBench();
    const before = new Set(childPids());
    connections.apply(source("silent", SILENT, { connectTimeoutMs: 60_000 }));
    const waiting = connections.ready("silent");
    await untilListing(connections, "silent");
    const pids = childPids().filter((pid) => !before.has(pid));
    expect(pids.length).toBeGreaterThan(0);
    // Far below the minute that connecting and the 30 s that each page may take.
    await Promise.race([connections.remove("silent"), failAfter(5000)]);
    expect(pids.filter(isAlive)).toEqual([]);
    await waiting;
  });

  it("ends a waiting call as soon as it is cancelled", async () => {
    const { connections } = openBench();
    connections.apply(source("silent", SILENT, { connectTimeoutMs: 60_000 }));
    const abort = new AbortController();
    const calling = connections.call("silent", "ok", {}, buildContext({ signal: abort.signal }));
    const outcome = expect(Promise.race([calling, failAfter(5000)])).rejects.toMatchObject({ kind: "cancelled" });
    await untilListing(connections, "silent");
    abort.abort();
    await outcome;
  });

  it("is connected without tools after the connect timeout, also when its pages never end", async () => {
    const { connections } = openBench();
    connections.apply(source("silent", SILENT, { connectTimeoutMs: 700 }));
    const endless = `
serveStdio({ name: "s", tools: [], handle: ({ id, method }) => {
  if (method !== "tools/list") return false;
  setTimeout(() => send({ jsonrpc: "2.0", id, result: { tools: [], nextCursor: String(Math.random()) } }), 50);
  return true;
} });`;
    connections.apply(source("endless", endless, { connectTimeoutMs: 700 }));
    for (const server of ["silent", "endless"]) {
      expect(await connections.ready(server)).toMatchObject({ status: "connected" });
      const said = connections.log(server).map(({ text }) => text);
      expect(said.join("\n")).toContain("tools/list took longer than 0.7 s: set a longer connect timeout");
    }
  });
});

function failAfter(ms: number): Promise<never> {
  return new Promise((_, reject) => setTimeout(() => reject(new Error(`not within ${ms} ms`)), ms).unref());
}

/** Lists the child processes of this process; Linux only. */
function childPids(): number[] {
  return readdirSync("/proc/self/task").flatMap((task) =>
    readFileSync(`/proc/self/task/${task}/children`, "utf8").split(" ").filter(Boolean).map(Number),
  );
}

describe("floods", () => {
  it("of questions leave a user with twenty, and the rest with an error", async () => {
    const { connections, questions } = openBench({ answer: () => new Promise(() => undefined) });
    const flood = `
const got = [];
const params = { message: "?", requestedSchema: { type: "object", properties: {} } };
serveStdio({ name: "s",
  tools: [{ name: "ask", run: () => {
    for (let at = 0; at < 500; at += 1) send({ jsonrpc: "2.0", id: "q" + at, method: "elicitation/create", params });
    send({ jsonrpc: "2.0", id: "big", method: "elicitation/create", params: { ...params, message: "x".repeat(20000) } });
    return new Promise((resolve) => setInterval(() => got.length >= 481 && resolve(text(JSON.stringify(got))), 20));
  } }],
  handle: ({ id, method, error }) => { if (method === undefined) got.push([id, error?.message]); return method === undefined; },
});`;
    connections.apply(source("asks", flood));
    const got: [string, string][] = JSON.parse(readText(await connections.call("asks", "ask", {}, buildContext())));
    expect(questions).toHaveLength(20);
    expect(got.filter(([, error]) => /Too many pending requests/.test(error))).toHaveLength(480);
    expect(got.find(([id]) => id === "big")?.[1]).toMatch(/'message' is larger than the 10240 bytes/);
    expect(connections.log("asks").filter(({ text }) => /too many requests/.test(text))).toHaveLength(1);
  });

  it("of other text and of progress reach neither the listeners nor the call line by line", async () => {
    const { connections, lines } = openBench();
    const flood = `
const note = (params) => send({ jsonrpc: "2.0", method: "notifications/message", params });
serveStdio({ name: "s", tools: [{ name: "flood", run: (_, { params }) => {
  const { progressToken } = params._meta;
  for (let at = 0; at < 10000; at += 1) {
    process.stdout.write("garbage " + at + "\\n");
    note({ level: "info", data: "note " + at });
    send({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken, progress: at, total: 9999 } });
  }
  return text("done");
} }] });`;
    connections.apply(source("floods", flood));
    const context = buildContext();
    expect(readText(await connections.call("floods", "flood", {}, context))).toBe("done");
    const count = (stream: string): number => lines.filter(({ line }) => line.stream === stream).length;
    for (const stream of ["stdout", "notification"]) {
      expect(count(stream)).toBeGreaterThan(0);
      expect(count(stream)).toBeLessThan(5000);
    }
    expect(context.logged.length).toBe(count("stdout") + count("notification"));
    expect(context.steps[0]?.progress).toBe(0);
    expect(context.steps.at(-1)?.progress).toBe(9999);
    expect(context.steps.length).toBeLessThan(1000);
    expect(context.remarks.at(-1)).toMatch(/garbage 9999/);
  });
});

it("a tool with a deeply nested schema costs no connection, even when it makes a listener throw", async () => {
  const deep = `
const deep = (levels) => '{"properties":{"a":'.repeat(levels) + "{}" + "}}".repeat(levels);
const list = (id) => process.stdout.write('{"jsonrpc":"2.0","id":' + id + ',"result":{"tools":[{"name":"deep","inputSchema":' + deep(3000) + '},{"name":"ok","inputSchema":{"type":"object"}}]}}\\n');
serveStdio({ name: "s", tools: [{ name: "ok", run: () => {
  process.stdout.write('{"jsonrpc":"2.0","method":"notifications/message","params":{"data":' + deep(50000) + '}}\\n');
  return text("ok");
} }], handle: ({ id, method }) => { if (method === "tools/list") list(id); return method === "tools/list"; } });`;
  const bench = openBench();
  bench.lists.push = () => {
    throw new RangeError("Maximum call stack size exceeded");
  };
  bench.connections.apply(source("deep", deep));
  expect(await bench.connections.ready("deep")).toMatchObject({ status: "connected", attempts: 0 });
  expect(readText(await bench.connections.call("deep", "ok", {}, buildContext()))).toBe("ok");
  expect(bench.connections.state("deep")?.status).toBe("connected");
  expect(() => JSON.stringify(bench.connections.messages("deep"))).not.toThrow();
});

it("an error of a server is shown without a secret that lies across its cut", async () => {
  const { connections } = openBench();
  const error = `
const message = "x".repeat(1990) + process.env.API_TOKEN + "y".repeat(5000);
serveStdio({ name: "s", tools: [], handle: ({ id, method }) => {
  if (method === "tools/call") send({ jsonrpc: "2.0", id, error: { code: -32000, message } });
  return method === "tools/call";
} });`;
  connections.apply(source("errs", error, { env: { API_TOKEN: SECRET } }));
  const failed = await connections.call("errs", "any", {}, buildContext()).catch((thrown: Error) => thrown.message);
  expect(failed).toMatch(/^errs: x{1990}\[redacted\]… \[5000 more characters\] \(code -32000\)$/);
});

it("a question on a call's own stream belongs to that call, also while others wait (HTTP)", async () => {
  const url = await startAskingServer();
  const { connections, questions } = openBench({ answer: () => ({ action: "accept", content: {} }) });
  connections.apply(remote("web", url));
  const calls = ["one", "two", "three"].map((executionId) =>
    connections.call("web", "ask", { executionId }, buildContext({ executionId })),
  );
  expect((await Promise.all(calls)).map(readText)).toEqual(["one", "two", "three"]);
  const asked = questions.map(({ question: { executionId, request } }) => [executionId, request.message]);
  expect(asked.sort()).toEqual(["one", "three", "two"].map((name) => [name, name]));
});

/** Asks within each call, once three of them wait. */
async function startAskingServer(): Promise<string> {
  const waiting: (() => void)[] = [];
  const asked = new Map<string, () => void>();
  const event = (response: ServerResponse, message: object): void =>
    void response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`);
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    if (request.method !== "POST") return void response.writeHead(405).end();
    const { id, method, params } = JSON.parse(body);
    const reply = (result: object) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    };
    if (method === undefined) {
      asked.get(id)?.();
      return void response.writeHead(202).end();
    }
    if (method === "initialize") {
      const { protocolVersion } = params;
      return reply({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "web", version: "1" } });
    }
    if (method === "tools/list") return reply({ tools: [{ name: "ask", inputSchema: { type: "object" } }] });
    if (method !== "tools/call") return void response.writeHead(id === undefined ? 202 : 400).end();
    const name = params.arguments.executionId;
    response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    waiting.push(() => {
      const question = { message: name, requestedSchema: { type: "object", properties: {} } };
      event(response, { id: `q-${name}`, method: "elicitation/create", params: question });
    });
    asked.set(`q-${name}`, () => {
      event(response, { id, result: { content: [{ type: "text", text: name }] } });
      response.end();
    });
    if (waiting.length === 3) for (const ask of waiting.reverse()) ask();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

describe("sign-ins", () => {
  it("show no raw answer of the authorization server when they fail", async () => {
    const server = await startOAuthServer();
    onTestFinished(() => server.close());
    const { connections } = openBench();
    connections.apply(remote("files", server.url, { auth: { type: "oauth" } }));
    await connections.ready("files");
    const address = await connections.startSignIn("files", CALLBACK);
    const response = await fetch(address ?? "", { redirect: "manual" });
    server.behaviour.tokenStatus = 400;
    const failing = connections.finishSignIn(new URL(response.headers.get("location") ?? "").searchParams);
    await expect(failing).rejects.toThrow(/^Server 'files': (?!.*(?:Raw body|out of order))/s);
  });

  it("that were encrypted with another key are obtained again, and those of other servers stay", async () => {
    const [lost, good] = await Promise.all([startOAuthServer(), startOAuthServer()]);
    onTestFinished(async () => void (await Promise.all([lost.close(), good.close()])));
    const stored = new Map<string, string>();
    const credentials = {
      read: async (server: string) => {
        if (server === "lost" && !stored.has("lost")) throw new Error("A stored secret was encrypted with another key");
        return stored.get(server) ?? null;
      },
      write: async (server: string, text: string | null) =>
        void (text === null ? stored.delete(server) : stored.set(server, text)),
    };
    const { connections } = openBench({ credentials });
    connections.apply(remote("lost", lost.url, { auth: { type: "oauth" } }));
    connections.apply(remote("good", good.url, { auth: { type: "oauth" } }));
    expect(await connections.ready("lost")).toMatchObject({ status: "sign_in_needed", nextAttemptAt: null });
    expect(stored.has("lost")).toBe(false);
    for (const name of ["good", "lost"]) {
      const address = await connections.startSignIn(name, CALLBACK);
      const response = await fetch(address ?? "", { redirect: "manual" });
      const back = new URL(response.headers.get("location") ?? "").searchParams;
      expect(await connections.finishSignIn(back)).toEqual({ server: name, returnTo: null });
      await waitUntil(() => connections.state(name)?.status === "connected");
    }
    expect(connections.log("lost").some(({ text }) => /cannot be read and is ignored/.test(text))).toBe(true);
  });
});

const text = (value: string): object => ({ content: [{ type: "text", text: value }] });

/** A server whose stream of GET is `stream`; it answers everything else. */
async function streamServer(
  stream: (response: ServerResponse, opened: number) => void,
  called: () => object = () => text("ok"),
) {
  let opened = 0;
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request.setEncoding("utf8")) body += part;
    if (request.method === "GET") {
      opened += 1;
      response.writeHead(200, { "content-type": "text/event-stream" });
      return stream(response, opened);
    }
    const { id, method, params } = request.method === "POST" ? JSON.parse(body) : {};
    if (id === undefined || method === undefined) return response.writeHead(202).end();
    const serverInfo = { name: "streams", version: "1" };
    const results: Record<string, object> = {
      initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {}, logging: {} }, serverInfo },
      "tools/list": { tools: [{ name: "ok", inputSchema: { type: "object" } }] },
      "tools/call": called(),
    };
    const answer = { jsonrpc: "2.0", id, result: results[method] ?? {} };
    return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, opened: () => opened };
}

describe("a server with a stream for notifications", () => {
  it.each(["0", "99999999999999999999"])("that ends it with 'retry: %s' is not asked in a loop", async (retry) => {
    const web = await streamServer((response) => response.end(`id: 1\nretry: ${retry}\ndata:\n\n`));
    const { connections } = openBench({
      limits: { reopen: { minMs: 400, maxShortMs: 60_000, maxMs: 900, calmMs: 60_000 } },
    });
    connections.apply(remote("web", web.url, { protocol: "legacy" }));
    expect(await connections.ready("web")).toMatchObject({ status: "connected" });
    await waitUntil(() => web.opened() >= 3);
    const startedAt = performance.now();
    await waitUntil(() => web.opened() >= 5);
    // The waits have reached their most.
    expect(performance.now() - startedAt).toBeGreaterThan(900);
  });

  it("that floods it is read more slowly, its calls go on, and it is disconnected with a reason", async () => {
    const message = { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "x" } };
    const event = `data: ${JSON.stringify(message)}\n\n`.repeat(100);
    const web = await streamServer((response) => {
      const write = (): void => {
        while (!response.destroyed && response.write(event));
      };
      response.on("drain", write);
      write();
    });
    const { connections, lines } = openBench({
      limits: { inflow: { perSecond: 100, perCall: 0, burst: 100, maxFloodMs: 1500 } },
    });
    connections.apply(remote("web", web.url, { protocol: "legacy" }));
    expect(await connections.ready("web")).toMatchObject({ status: "connected" });
    const said = (): string => lines.map(({ line }) => line.text).join("\n");
    await waitUntil(() => said().includes("too many requests and notifications: its messages are read more slowly"));
    expect(readText(await connections.call("web", "ok", {}, buildContext()))).toBe("ok");
    await waitUntil(() => connections.state("web")?.status === "failed");
    expect(connections.state("web")?.reason).toBe(
      "The server kept sending too many requests and notifications: correct it, then reconnect",
    );
  });
});

describe("a result with an object of very many keys", () => {
  const buildKeys = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`key ${index}`, 0]));
  const fault = "the server's answer was dropped: An object in the text has more than 100,000 keys: split it";

  it("fails its call with the limit, and the connection stays (stdio)", async () => {
    const wide = `
const wide = (count) => Object.fromEntries(Array.from({ length: count }, (_, index) => ["key " + index, 0]));
serveStdio({ name: "s", tools: [{ name: "wide", run: ({ count }) => ({ ...text("x"), structuredContent: wide(count) }) }] });`;
    const { connections } = openBench();
    connections.apply(source("wide", wide));
    const call = (count: number) => connections.call("wide", "wide", { count }, buildContext());
    await expect(call(120_000)).rejects.toThrow(fault);
    expect((await call(60_000)).structuredContent).toEqual(buildKeys(60_000));
  });

  it("fails its call with the limit of lists, and the connection stays (stdio)", async () => {
    const lists = `
const lists = (count) => Array.from({ length: count }, () => []);
serveStdio({ name: "s", tools: [{ name: "lists", run: ({ count }) => ({ ...text("x"), structuredContent: { lists: lists(count) } }) }] });`;
    const { connections } = openBench();
    connections.apply(source("lists", lists));
    const call = (count: number) => connections.call("lists", "lists", { count }, buildContext());
    await expect(call(1_000_000)).rejects.toThrow(
      "the server's answer was dropped: The text has more than 1,000,000 lists and objects: send it in parts",
    );
    expect((await call(500_000)).structuredContent).toMatchObject({ lists: { length: 500_000 } });
  });

  it("fails its call with the limit (HTTP)", async () => {
    const web = await streamServer(
      (response) => response.end(),
      () => ({ ...text("x"), structuredContent: buildKeys(120_000) }),
    );
    const { connections } = openBench();
    connections.apply(remote("web", web.url, { protocol: "legacy" }));
    await expect(connections.call("web", "ok", {}, buildContext())).rejects.toThrow(fault);
  });
});
