// A misbehaving MCP server and API on loopback; the path of a request selects how it misbehaves.
//   /api        an API whose answer has 400,000 names
//   /requests   an MCP server that floods the stream of GET with sampling requests
//   /messages   an MCP server that floods the stream of GET with log messages
//   /retry      an MCP server that ends the stream of GET at once and asks to be called again at once
//   /value      takes a text by PUT; /api/value returns it as an API does
//   /opened     how often a stream was opened
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";

let opened = 0;
let value = "null";

const sampling = (/** @type {number} */ id) => ({
  id,
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text: "Go" } }], maxTokens: 10 },
});
const logged = () => ({ method: "notifications/message", params: { level: "info", data: "x".repeat(200) } });

/** @param {import("node:http").ServerResponse} response @param {(index: number) => object} next */
async function flood(response, next) {
  const closed = once(response, "close");
  for (let index = 0; !response.destroyed; index += 100) {
    const events = Array.from({ length: 100 }, (_, at) => {
      return `data: ${JSON.stringify({ jsonrpc: "2.0", ...next(index + at) })}\n\n`;
    });
    if (!response.write(events.join(""))) await Promise.race([once(response, "drain"), closed]);
  }
}

/** @param {string} path @param {import("node:http").ServerResponse} response */
function stream(path, response) {
  opened += 1;
  response.writeHead(200, { "content-type": "text/event-stream" });
  if (path === "/requests") return flood(response, sampling);
  if (path === "/messages") return flood(response, logged);
  return response.end("id: 1\nretry: 0\ndata:\n\n");
}

/** @param {{ method: string, params?: Record<string, unknown> }} message */
function answer({ method, params }) {
  if (method === "initialize") {
    const serverInfo = { name: "hostile", version: "1.0.0" };
    return { protocolVersion: params?.protocolVersion, capabilities: { tools: {}, logging: {} }, serverInfo };
  }
  if (method === "tools/list") return { tools: [{ name: "plain", inputSchema: { type: "object" } }] };
  return { content: [{ type: "text", text: "ok" }] };
}

const names = JSON.stringify(
  Object.fromEntries(Array.from({ length: 400_000 }, (_, index) => [`key ${index}`, index])),
);

const server = createServer(async (request, response) => {
  const path = request.url ?? "/";
  const json = { "content-type": "application/json" };
  let body = "";
  for await (const part of request.setEncoding("utf8")) body += part;
  if (path === "/value" && request.method === "PUT") {
    value = body;
    return response.writeHead(204).end();
  }
  if (path === "/value" || path === "/api/value") return response.writeHead(200, json).end(value);
  if (path === "/opened") return response.writeHead(200, json).end(String(opened));
  if (path === "/api/names") return response.writeHead(200, json).end(names);
  if (request.method === "GET") return void stream(path, response);
  const message = request.method === "POST" ? JSON.parse(body) : {};
  if (message.id === undefined || message.method === undefined) return response.writeHead(202).end();
  if (message.method === "server/discover") return response.writeHead(400).end();
  const result = { jsonrpc: "2.0", id: message.id, result: answer(message) };
  return response.writeHead(200, { ...json, "mcp-session-id": randomUUID() }).end(JSON.stringify(result));
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.stdout.write(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}\n`);
});
