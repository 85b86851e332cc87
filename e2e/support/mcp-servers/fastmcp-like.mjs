// Behaves like a server made with FastMCP for Python (2.x), over stdio, or over HTTP by `startFastMcpLike()`: what it
// answers before `initialize`, its request ids from 0, its event streams, and `ctx.elicit` and `ctx.sample` inside a tool call. With the
// argument `dual` it is one of the later versions, which speak 2026-07-28 too, where `ctx.elicit` fails.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const MODERN = "2026-07-28";
const MODERN_KEY = "io.modelcontextprotocol/protocolVersion";
const NO_BACK_CHANNEL =
  "Error calling tool 'greet': Cannot send 'elicitation/create': this transport context has no back-channel for server-initiated requests.";
const VERSIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
/** The schema of `ctx.elicit("What is your name?", response_type=str)`. */
const NAME_SCHEMA = {
  properties: { value: { title: "Value", type: "string" } },
  required: ["value"],
  title: "ScalarElicitationType",
  type: "object",
};
const TOOLS = [
  {
    name: "greet",
    description: "Asks for a name and greets.",
    inputSchema: { properties: {}, type: "object" },
    outputSchema: {
      properties: { result: { title: "Result", type: "string" } },
      required: ["result"],
      title: "_WrappedResult",
      type: "object",
      "x-fastmcp-wrap-result": true,
    },
    _meta: { _fastmcp: { tags: [] } },
  },
  { name: "summarize", description: "Asks for a model's response.", inputSchema: { properties: {}, type: "object" } },
];
/** The request of `ctx.sample("Summarize this", max_tokens=50)`. */
const SAMPLE = {
  messages: [{ role: "user", content: { type: "text", text: "Summarize this" } }],
  maxTokens: 50,
  includeContext: "none",
};

/** @typedef {{ jsonrpc: "2.0", id?: string | number, method?: string, params?: any, result?: any, error?: any }} Message */

/** One client's session; `send` writes to the stream of the request that is being answered. */
class Session {
  id = randomUUID().replaceAll("-", "");
  initialized = false;
  speaksModern = false;
  #nextId = 0;
  /** @type {Map<unknown, (answer: Message) => void>} */
  #waiting = new Map();

  /** @param {Message} message @param {(message: Message) => void} send @param {() => void} [end] */
  async handle(message, send, end = () => undefined) {
    const { id, method, params } = message;
    if (method === undefined) {
      this.#waiting.get(id)?.(message);
      this.#waiting.delete(id);
    } else if (id === undefined) {
      if (method === "notifications/initialized") this.initialized = true;
    } else {
      const answer = await this.answer(method, params ?? {}, send);
      send({ jsonrpc: "2.0", id, ...answer });
    }
    end();
  }

  /** @param {string} method @param {any} params @param {(message: Message) => void} send */
  async answer(method, params, send) {
    if (method === "initialize") {
      const version = VERSIONS.includes(params.protocolVersion) ? params.protocolVersion : VERSIONS.at(-1);
      const capabilities = { experimental: {}, tools: { listChanged: true } };
      const serverInfo = { name: "FastMCP-like", version: "2.13.0" };
      return { result: { protocolVersion: version, capabilities, serverInfo } };
    }
    if (method === "ping") return { result: {} };
    if (this.speaksModern && params._meta?.[MODERN_KEY] === MODERN) return { result: modernResult(method) };
    const isKnown = method === "tools/list" || method === "tools/call";
    if (!this.initialized || !isKnown) {
      const reason = isKnown ? "Received request before initialization was complete" : "18 validation errors";
      process.stderr.write(`WARNING  Failed to validate request: ${reason}\n`);
      return { error: { code: -32602, message: "Invalid request parameters", data: "" } };
    }
    if (method === "tools/list") return { result: { tools: TOOLS } };
    if (params.name === "summarize") {
      const { result, error } = await this.#ask("sampling/createMessage", SAMPLE, send);
      return { result: { content: [{ type: "text", text: JSON.stringify(result ?? error) }], isError: false } };
    }
    const asked = { message: "What is your name?", requestedSchema: NAME_SCHEMA };
    const { result, error } = await this.#ask("elicitation/create", asked, send);
    const said = error ? `error ${error.code}` : result.action === "accept" ? `Hello, ${result.content.value}!` : "…";
    return { result: { content: [{ type: "text", text: said }], structuredContent: { result: said }, isError: false } };
  }

  /** @param {string} method @param {unknown} params @param {(message: Message) => void} send @returns {Promise<Message>} */
  #ask(method, params, send) {
    const id = this.#nextId++;
    send({ method, params, jsonrpc: "2.0", id });
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }
}

/** @param {string} method */
function modernResult(method) {
  const common = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
  if (method === "server/discover") return { ...common, supportedVersions: [MODERN], capabilities: { tools: {} } };
  if (method === "tools/list") return { ...common, tools: TOOLS };
  return { resultType: "complete", content: [{ type: "text", text: NO_BACK_CHANNEL }], isError: true };
}

/** @param {import("node:http").ServerResponse} response @param {number} status @param {string} message */
function rejectRequest(response, status, message) {
  const error = { jsonrpc: "2.0", id: "server-error", error: { code: -32600, message } };
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(error));
}

/** @param {import("node:http").IncomingMessage} request @param {import("node:http").ServerResponse} response @param {Map<string, Session>} sessions */
async function handleHttp(request, response, sessions) {
  let text = "";
  for await (const chunk of request) text += chunk;
  const named = request.headers["mcp-session-id"];
  /** @type {Message} */
  const message = text === "" ? {} : JSON.parse(text);
  const isInitialize = message.method === "initialize";
  const session = isInitialize ? new Session() : sessions.get(String(named));
  if (named === undefined && !isInitialize) return rejectRequest(response, 400, "Bad Request: Missing session ID");
  if (session === undefined) return rejectRequest(response, 404, "Not Found: Invalid or expired session ID");
  const version = request.headers["mcp-protocol-version"];
  if (!isInitialize && version !== undefined && !VERSIONS.includes(String(version))) {
    return rejectRequest(response, 400, `Bad Request: Unsupported protocol version: ${version}.`);
  }
  if (isInitialize) sessions.set(session.id, session);
  const headers = { "mcp-session-id": session.id, "cache-control": "no-cache, no-transform" };
  if (request.method === "DELETE") return void response.writeHead(200, headers).end();
  if (message.method !== undefined && message.id === undefined) {
    await session.handle(message, () => undefined);
    return void response.writeHead(202, headers).end();
  }
  if (request.method === "POST" && message.method === undefined) {
    await session.handle(message, () => undefined);
    return void response.writeHead(202, headers).end();
  }
  response.writeHead(200, { ...headers, "content-type": "text/event-stream" }).flushHeaders();
  response.write(": ping\r\n\r\n");
  if (request.method === "GET") return;
  const send = (/** @type {Message} */ sent) =>
    response.write(`event: message\r\ndata: ${JSON.stringify(sent)}\r\n\r\n`);
  await session.handle(message, send, () => response.end());
}

export async function startFastMcpLike() {
  /** @type {Map<string, Session>} */
  const sessions = new Map();
  const server = createServer((request, response) => {
    handleHttp(request, response, sessions).catch(() => response.destroy());
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const session = new Session();
  session.speaksModern = process.argv[2] === "dual";
  const lines = createInterface({ input: process.stdin });
  lines.on("line", (line) => {
    void session.handle(JSON.parse(line), (message) => process.stdout.write(`${JSON.stringify(message)}\n`));
  });
  lines.on("close", () => process.exit(0));
}
