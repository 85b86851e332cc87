import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { buildContext, openBench, readText, remote } from "./connections.test-support";

interface Message {
  id?: number | string;
  method: string;
  params?: { protocolVersion?: string };
}
type Refuse = (message: Message, response: ServerResponse, request: IncomingMessage) => void;

const JSON_HEADERS = { "content-type": "application/json" };
const json =
  (status: number, body: (message: Message) => unknown): Refuse =>
  (message, response) =>
    void response.writeHead(status, JSON_HEADERS).end(JSON.stringify(body(message)));
const unknownMethod = ({ id, method }: Message) => ({
  jsonrpc: "2.0",
  id,
  error: { code: -32_601, message: `Method not found: ${method}` },
});
const plain =
  (status: number, type: string | null, body: string): Refuse =>
  (_message, response) =>
    void response.writeHead(status, type === null ? {} : { "content-type": type }).end(body);

/** What servers of the 2025 revisions answer to a method that they do not know. */
const SHAPES: Readonly<Record<string, Refuse>> = {
  "HTTP 500 with a JSON-RPC error": json(500, unknownMethod),
  "HTTP 500 with text": plain(500, "text/plain", "Internal Server Error"),
  "HTTP 500 without a body": plain(500, null, ""),
  "HTTP 501": plain(501, "text/plain", "Not Implemented"),
  "HTTP 502 of a proxy": plain(502, "text/html", "<html><h1>Bad Gateway</h1></html>"),
  "HTTP 503 with a JSON-RPC error": json(503, unknownMethod),
  "HTTP 503": plain(503, "text/plain", "unavailable"),
  "HTTP 403": plain(403, "text/plain", "Forbidden"),
  "HTTP 400 with text": plain(400, "text/plain", "Bad Request"),
  "HTTP 404 with a JSON-RPC error without id": json(404, (message) =>
    Object.assign(unknownMethod(message), { id: null }),
  ),
  "HTTP 204": plain(204, null, ""),
  "HTTP 200 without a body": plain(200, null, ""),
  "an empty JSON body": plain(200, "application/json", ""),
  "a web page": plain(200, "text/html", "<!doctype html><title>Welcome</title>"),
  text: plain(200, "text/plain", "method not found"),
  "text that calls itself JSON": plain(200, "application/json", "method not found"),
  "a JSON value that is no message": json(200, () => ({ ok: false })),
  "a result that is null": json(200, ({ id }) => ({ jsonrpc: "2.0", id, result: null })),
  "an empty result": json(200, ({ id }) => ({ jsonrpc: "2.0", id, result: {} })),
  "an error with the id null": json(200, (message) => Object.assign(unknownMethod(message), { id: null })),
  "an error without an id": json(200, (message) => Object.assign(unknownMethod(message), { id: undefined })),
  "an error with another id": json(200, (message) => Object.assign(unknownMethod(message), { id: 77 })),
  "an error that is a text": json(200, ({ id }) => ({ jsonrpc: "2.0", id, error: "unknown method" })),
  "an error without jsonrpc": json(200, (message) => Object.assign(unknownMethod(message), { jsonrpc: undefined })),
  "an empty list": json(200, () => []),
  "an empty stream": plain(200, "text/event-stream", ""),
  "a stream with lines that end with CR": (message, response) =>
    void response
      .writeHead(200, { "content-type": "text/event-stream" })
      .end(`data: ${JSON.stringify(unknownMethod(message))}\r\r`),
  "a closed connection": (_message, _response, request) => void request.socket.destroy(),
  silence: () => undefined,
};

async function startOlderServer(refuse: Refuse) {
  const seen: string[] = [];
  const http = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    if (request.method !== "POST") return void response.writeHead(405).end();
    const message = JSON.parse(text) as Message;
    const { id, method, params } = message;
    seen.push(method);
    if (id === undefined) return void response.writeHead(202).end();
    const capabilities = { tools: {} };
    const results: Record<string, unknown> = {
      initialize: {
        protocolVersion: params?.protocolVersion,
        capabilities,
        serverInfo: { name: "older", version: "1" },
      },
      "tools/list": { tools: [{ name: "look", inputSchema: { type: "object" } }] },
      "tools/call": { content: [{ type: "text", text: "seen" }] },
    };
    if (results[method] === undefined) return refuse(message, response, request);
    response.writeHead(200, JSON_HEADERS).end(JSON.stringify({ jsonrpc: "2.0", id, result: results[method] }));
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`, seen };
}

describe("a server of the 2025 revisions that answers server/discover with", () => {
  it.each(Object.entries(SHAPES))("%s is connected in the same attempt", async (_shape, refuse) => {
    const server = await startOlderServer(refuse);
    const { connections, states } = openBench();
    connections.apply(remote("older", server.url, { connectTimeoutMs: 60_000 }));
    const state = await connections.ready("older");
    expect(state).toMatchObject({ status: "connected", protocolVersion: "2025-11-25" });
    expect(states.filter(({ state: { status } }) => status === "disconnected")).toEqual([]);
    expect(readText(await connections.call("older", "look", {}, buildContext()))).toBe("seen");
    expect(server.seen.filter((method) => method === "initialize")).toHaveLength(1);
  });

  it("HTTP 401 is not asked further, since it demands a sign-in", async () => {
    const server = await startOlderServer(plain(401, "text/plain", "Unauthorized"));
    const { connections } = openBench();
    connections.apply(remote("closed", server.url));
    expect(await connections.ready("closed")).toMatchObject({
      status: "failed",
      reason: expect.stringContaining("401"),
    });
    expect(server.seen).not.toContain("initialize");
  });
});
