import { spawn } from "node:child_process";
import path from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { startHttpServers } from "../../../../e2e/support/mcp-servers/http-servers.mjs";
import { freePort } from "../../../lib/free-port.test-support";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { buildContext, openBench, readText, remote } from "./connections.test-support";

let servers: Awaited<ReturnType<typeof startHttpServers>>;

beforeEach(async () => {
  servers = await startHttpServers();
  return () => servers.close();
});

describe("calls over HTTP", () => {
  it("RTE-03 sends the arguments unchanged", async () => {
    const { connections } = openBench();
    connections.apply(remote("web", servers.url("/mcp")));
    expect(await connections.ready("web")).toMatchObject({ status: "connected", protocolVersion: "2025-11-25" });
    const args = { n: 1, nil: null, list: [], deep: { a: [{}] } };
    expect(readText(await connections.call("web", "echo", args, buildContext()))).toBe(JSON.stringify(args));
  });

  it.each([false, true])("fails a call at once whose stream ends before the answer (reset: %s)", async (hard) => {
    const { connections } = openBench();
    connections.apply(remote("web", servers.url("/mcp")));
    const slow = connections.call("web", "slow", { ms: 400 }, buildContext());
    await expect(connections.call("web", "cut", { hard }, buildContext())).rejects.toMatchObject({
      kind: "unavailable",
      message: `Server 'web' is unavailable: ${hard ? "the connection was cut" : "it ended its response"} before the answer came`,
    });
    expect(readText(await slow)).toBe('{"ms":400}');
    const calls = servers.endpoint("/mcp").seen.filter(({ tool }) => tool === "cut");
    expect(calls).toHaveLength(1);
  });

  it("ERR-01 names the server when the connection breaks before any answer, and never sends the call again", async () => {
    const { connections } = openBench();
    connections.apply(remote("web", servers.url("/mcp")));
    await expect(connections.call("web", "cut_headers", {}, buildContext())).rejects.toMatchObject({
      kind: "unavailable",
      message: expect.stringMatching(/^Server 'web' is unavailable: the connection was reset/),
    });
    expect(servers.endpoint("/mcp").seen.filter(({ tool }) => tool === "cut_headers")).toHaveLength(1);
  });

  it("ERR-05 does not send a call again that the server failed with 500", async () => {
    const { connections } = openBench();
    connections.apply(remote("web", servers.url("/mcp")));
    await expect(connections.call("web", "fail", {}, buildContext())).rejects.toThrow(
      'Server \'web\' is unavailable: it answered with HTTP 500: {"error":"the database is away"}',
    );
    expect(servers.endpoint("/mcp").seen.filter(({ tool }) => tool === "fail")).toHaveLength(1);
    await expect(connections.call("web", "no_type", {}, buildContext())).rejects.toThrow(/content type/i);
  });

  it("opens a new session when the server forgot the old one, and sends the refused call once more", async () => {
    const { connections } = openBench();
    connections.apply(remote("web", servers.url("/mcp")));
    const slow = connections.call("web", "slow", { ms: 600 }, buildContext());
    await waitUntil(() => servers.endpoint("/mcp").seen.some(({ tool }) => tool === "slow"));
    await connections.call("web", "forget", {}, buildContext());
    const results = await Promise.all([1, 2, 3].map((n) => connections.call("web", "echo", { n }, buildContext())));
    expect(results.map(readText)).toEqual(['{"n":1}', '{"n":2}', '{"n":3}']);
    expect(readText(await slow)).toBe('{"ms":600}');
    const { seen } = servers.endpoint("/mcp");
    expect(seen.filter(({ method }) => method === "initialize")).toHaveLength(2);
    expect(connections.state("web")?.status).toBe("connected");
  });

  it.each([false, true])(
    "stops reading a response that is too large, and stays connected (stream: %s)",
    async (stream) => {
      const { connections } = openBench({ limits: { maxMessageBytes: 2 * 1024 * 1024 } });
      connections.apply(remote("web", servers.url("/mcp")));
      await connections.ready("web");
      const before = process.memoryUsage.rss();
      await expect(connections.call("web", "flood", { megabytes: 100, stream }, buildContext())).rejects.toMatchObject({
        kind: "unavailable",
        message: "Server 'web' is unavailable: the answer is larger than the 2097152 bytes allowed for a message",
      });
      expect(process.memoryUsage.rss() - before).toBeLessThan(60 * 1024 * 1024);
      expect(readText(await connections.call("web", "echo", {}, buildContext()))).toBe("{}");
    },
  );

  it("TIME-03 sends notifications/cancelled when a call is cancelled", async () => {
    const { connections } = openBench();
    connections.apply(remote("web", servers.url("/mcp")));
    await connections.ready("web");
    await expect(
      connections.call("web", "slow", { ms: 5000 }, buildContext({ signal: AbortSignal.timeout(200) })),
    ).rejects.toMatchObject({ kind: "cancelled" });
    await waitUntil(() => servers.endpoint("/mcp").seen.some(({ method }) => method === "notifications/cancelled"));
  });

  it("speaks the 2026-07-28 protocol: arguments in headers, and a closed stream as the cancellation", async () => {
    const { connections } = openBench();
    connections.apply(remote("web", servers.url("/stateless")));
    expect(await connections.ready("web")).toMatchObject({ status: "connected", protocolVersion: "2026-07-28" });
    expect(readText(await connections.call("web", "regional", { region: "eu" }, buildContext()))).toBe("in eu");
    expect(servers.stateless.seen.at(-1)).toEqual({ method: "tools/call", region: "eu" });
    await expect(
      connections.call("web", "hang", {}, buildContext({ signal: AbortSignal.timeout(300) })),
    ).rejects.toMatchObject({ kind: "cancelled" });
    await waitUntil(() => servers.stateless.given_up === 1);
    expect(servers.stateless.seen.some(({ method }) => method === "notifications/cancelled")).toBe(false);
  });
});

describe("servers that cannot be connected to", () => {
  it.each([
    ["/html", {}, "failed", /does not speak MCP .*web page/],
    ["/old-sse", {}, "failed", /It probably speaks the older SSE transport: choose 'sse'/],
    ["/nowhere", {}, "failed", /Nothing was found at this URL \(404\): check the path/],
    ["/moved", {}, "failed", /another address .*elsewhere\.example/],
    ["/busy", {}, "disconnected", /is overloaded \(HTTP 429\)\. It says: come back later/],
    ["/broken", {}, "disconnected", /HTTP 503.*maintenance/],
    ["/silent", { connectTimeoutMs: 300 }, "disconnected", /did not answer within 0\.3 s/],
    ["/locked", {}, "failed", /\(401\): add an Authorization header/],
    ["/locked", { headers: { Authorization: "Bearer wrong-token" } }, "failed", /refused the Authorization header/],
    ["/locked", { auth: { type: "oauth" } }, "sign_in_needed", /requires a sign-in/],
  ] as const)("says why and what to do: %s %o", async (at, given, status, reason) => {
    const { connections } = openBench();
    connections.apply(remote("web", servers.url(at), given));
    const state = await connections.ready("web");
    expect([state.status, state.reason]).toEqual([status, expect.stringMatching(reason)]);
    expect(state.nextAttemptAt === null).toBe(status !== "disconnected");
  });

  it("tries again when nothing listens yet", async () => {
    const { connections } = openBench();
    await servers.close();
    const { port } = servers;
    connections.apply(remote("web", `http://127.0.0.1:${port}/mcp`));
    expect(await connections.ready("web")).toMatchObject({
      status: "disconnected",
      reason: expect.stringMatching(/the connection was refused: is the server running.*\(ECONNREFUSED\)/),
    });
    servers = await startHttpServers({ port });
    await waitUntil(() => connections.state("web")?.status === "connected");
  });

  it("sends configured headers, fills in variables, and keeps both out of everything it tells", async () => {
    const bench = openBench({ variables: { TOKEN: "right-token" } });
    const { connections } = bench;
    connections.apply(
      remote("web", servers.url("/locked"), {
        headers: { authorization: "Bearer $" + "{TOKEN}", "X-Extra-Token": "extra-value", "X-Model": "gpt-4o-mini" },
      }),
    );
    expect(await connections.ready("web")).toMatchObject({ status: "connected" });
    servers.endpoint("/locked").needsToken = true;
    await connections.call("web", "echo", { leak: "right-token extra-value gpt-4o-mini" }, buildContext());
    const told = JSON.stringify([connections.messages("web"), bench.lines, bench.states]);
    expect(told).not.toMatch(/right-token|extra-value/);
    expect(told).toContain("[redacted]");
    expect(told).toContain("gpt-4o-mini");
  });

  it("notices that a server went away, and that it came back", async () => {
    const { connections, states } = openBench({ limits: { pingEveryMs: 60, pingTimeoutMs: 200 } });
    connections.apply(remote("web", servers.url("/mcp")));
    await waitUntil(() => (connections.state("web")?.pingMs ?? null) !== null);
    const { port } = servers;
    await servers.close();
    await waitUntil(() => connections.state("web")?.status === "disconnected");
    servers = await startHttpServers({ port });
    await waitUntil(() => connections.state("web")?.status === "connected");
    expect(states.some(({ state }) => state.reason?.includes("no longer answers pings"))).toBe(true);
  });
});

describe("the reference server over HTTP", () => {
  it.each([
    ["streamableHttp", "/mcp", "http"],
    ["sse", "/sse", "sse"],
  ] as const)("everything (%s): lists, calls, asks, and is gone when it ends", async (mode, at, transport) => {
    const port = await freePort();
    const server = await startEverything(mode, port);
    const { connections, lists } = openBench();
    connections.apply(remote("web", `http://127.0.0.1:${port}${at}`, { transport }));
    expect(await connections.ready("web")).toMatchObject({ status: "connected", reason: null });
    expect(lists[0]?.tools.length).toBeGreaterThanOrEqual(13);
    const context = buildContext();
    expect(readText(await connections.call("web", "echo", { message: "hi" }, context))).toBe("Echo: hi");
    await connections.call("web", "trigger-long-running-operation", { duration: 0.2, steps: 2 }, context);
    expect(context.steps.map(({ progress }) => progress)).toEqual([1, 2]);
    expect(readText(await connections.call("web", "trigger-elicitation-request", {}, buildContext()))).toContain(
      "declined",
    );
    const countCalls = (): number =>
      connections.messages("web").filter(({ kind, method }) => kind === "request" && method === "tools/call").length;
    const before = countCalls();
    const call = connections.call("web", "trigger-long-running-operation", { duration: 20, steps: 2 }, buildContext());
    const cut = expect(call).rejects.toMatchObject({ kind: "unavailable" });
    await waitUntil(() => countCalls() > before);
    server.kill("SIGKILL");
    await cut;
    await waitUntil(() => connections.state("web")?.status !== "connected");
  });
});

async function startEverything(mode: string, port: number) {
  const file = path.resolve("node_modules/@modelcontextprotocol/server-everything/dist/index.js");
  const child = spawn(process.execPath, [file, mode], {
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  await waitUntil(() => /listening|running/i.test(said));
  return child;
}
