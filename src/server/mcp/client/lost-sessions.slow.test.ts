import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { buildContext, openBench, readText, remote } from "./connections.test-support";

interface Message {
  id?: number | string;
  method: string;
  params?: Record<string, unknown>;
}
type Refuse = (id: Message["id"], response: ServerResponse) => void;

const error = (id: unknown, code: number, message: string) =>
  JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } });
const json =
  (status: number, body: (id: Message["id"]) => string): Refuse =>
  (id, response) =>
    void response.writeHead(status, { "content-type": "application/json" }).end(body(id));
const text =
  (status: number, body: string): Refuse =>
  (_id, response) =>
    void response.writeHead(status, { "content-type": "text/plain" }).end(body);
const event =
  (body: (id: Message["id"]) => string): Refuse =>
  (id, response) =>
    void response.writeHead(200, { "content-type": "text/event-stream" }).end(`event: message\ndata: ${body(id)}\n\n`);

/** How servers answer a request of a session that they do not know; `repeats` where that says that it has not run. */
const SHAPES: Readonly<Record<string, { refuse: Refuse; repeats: boolean }>> = {
  "HTTP 404": { refuse: text(404, ""), repeats: true },
  "HTTP 404 with an error": { refuse: json(404, () => error(null, -32_001, "Session not found")), repeats: true },
  "HTTP 404 with an error of another id": {
    refuse: json(404, () => error("server-error", -32_600, "Invalid or expired session ID")),
    repeats: true,
  },
  "HTTP 400": { refuse: text(400, "Invalid session ID"), repeats: true },
  "HTTP 400 with an error": {
    refuse: json(400, () => error(null, -32_000, "Bad Request: No valid session ID provided")),
    repeats: true,
  },
  "HTTP 503 with an error": {
    refuse: json(503, () => error(null, -32_000, "Session expired, please reconnect")),
    repeats: false,
  },
  "HTTP 500 with text": { refuse: text(500, "unknown session"), repeats: false },
  "HTTP 410": { refuse: text(410, "the session has been terminated"), repeats: false },
  "HTTP 200 with -32001": { refuse: json(200, (id) => error(id, -32_001, "Not found")), repeats: false },
  "HTTP 200 with a message": { refuse: json(200, (id) => error(id, -32_000, "Session not found")), repeats: false },
  "HTTP 200 with the id null": { refuse: json(200, () => error(null, -32_600, "invalid session id")), repeats: false },
  "HTTP 200 with an event": { refuse: event((id) => error(id, -32_603, "Server not initialized")), repeats: false },
  "HTTP 200 with an event without id": {
    refuse: event(() => error(null, -32_001, "Session not found")),
    repeats: false,
  },
};

async function startForgetful(refuse: Refuse, toolError: string | null = null) {
  let session = "";
  let sessions = 0;
  let runs = 0;
  const http = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    if (request.method !== "POST") return void response.writeHead(405).end();
    const { id, method, params } = JSON.parse(body) as Message;
    const headers: Record<string, string> = { "content-type": "application/json" };
    const reply = (said: object) =>
      response.writeHead(200, headers).end(JSON.stringify({ jsonrpc: "2.0", id, ...said }));
    if (method === "server/discover") return void reply({ error: { code: -32_601, message: "Method not found" } });
    if (method === "initialize") {
      sessions += 1;
      session = `session-${sessions}`;
      headers["mcp-session-id"] = session;
      const serverInfo = { name: "forgetful", version: "1" };
      return void reply({
        result: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo },
      });
    }
    if (request.headers["mcp-session-id"] !== session) return refuse(id, response);
    if (id === undefined) return void response.writeHead(202).end();
    if (method === "tools/list")
      return void reply({ result: { tools: [{ name: "look", inputSchema: { type: "object" } }] } });
    if (method !== "tools/call") return void reply({ result: {} });
    runs += 1;
    if (toolError !== null) return void reply({ error: { code: -32_000, message: toolError } });
    reply({ result: { content: [{ type: "text", text: "seen" }] } });
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  const forget = (): void => {
    session = "";
  };
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  return { url, forget, runs: () => runs, sessions: () => sessions };
}

describe("a session that its server forgot", () => {
  it.each(Object.entries(SHAPES))("is replaced, and the next call works: %s", async (_, { refuse, repeats }) => {
    const server = await startForgetful(refuse);
    const { connections, states } = openBench();
    connections.apply(remote("forgetful", server.url));
    await connections.ready("forgetful");
    server.forget();
    const first = connections.call("forgetful", "look", {}, buildContext());
    if (repeats) expect(readText(await first)).toBe("seen");
    else {
      await expect(first).rejects.toMatchObject({
        kind: "unavailable",
        message: expect.stringMatching(
          /The server no longer knows the session, and Toolroom has started a new one: call again/,
        ),
      });
    }
    expect(server.runs()).toBe(repeats ? 1 : 0);
    expect(readText(await connections.call("forgetful", "look", {}, buildContext()))).toBe("seen");
    expect(server.sessions()).toBe(2);
    expect(states.filter(({ state }) => state.status === "connecting")).toHaveLength(2);
  });

  it.each(Object.entries(SHAPES))("is noticed without a call, and replaced: %s", async (_, { refuse }) => {
    const server = await startForgetful(refuse);
    const { connections } = openBench({ limits: { pingEveryMs: 50 } });
    connections.apply(remote("forgetful", server.url));
    await connections.ready("forgetful");
    server.forget();
    await waitUntil(() => server.sessions() === 2 && connections.state("forgetful")?.status === "connected");
    expect(readText(await connections.call("forgetful", "look", {}, buildContext()))).toBe("seen");
  });

  it.each(["Browser session not found", "unknown session 'shell-3'"])(
    "is not taken for one when a tool has sessions of its own: %s",
    async (message) => {
      const server = await startForgetful(text(404, ""), message);
      const { connections } = openBench();
      connections.apply(remote("tools", server.url));
      await expect(connections.call("tools", "look", {}, buildContext())).rejects.toMatchObject({
        kind: "tool_error",
        protocolError: { code: -32_000, message },
      });
      expect([server.runs(), server.sessions()]).toEqual([1, 1]);
    },
  );
});
