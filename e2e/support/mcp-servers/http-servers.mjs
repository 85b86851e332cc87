// MCP servers over HTTP that misbehave, each at a path of its own. Started by tests: `await startHttpServers()`; or by hand:
// `node http-servers.mjs 4000`.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";

const TOOLS = ["echo", "cut", "cut_headers", "slow", "flood", "fail", "forget", "no_type"].map((name) => ({
  name,
  inputSchema: { type: "object" },
}));

/** @typedef {import("node:http").IncomingMessage} Request @typedef {import("node:http").ServerResponse} Response */

/** @param {Response} response @param {number} status @param {unknown} body @param {Record<string, string>} [headers] */
function json(response, status, body, headers = {}) {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

/** @param {Response} response @param {unknown} message */
function event(response, message) {
  response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
}

/** @param {Request} request @returns {Promise<any>} */
async function readBody(request) {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text === "" ? {} : JSON.parse(text);
}

/** The endpoints of a well-behaved server, except its tools. */
class Endpoint {
  sessions = new Set();
  /** @type {{ method: string, tool?: string, session?: string, params?: any, authorization?: string }[]} */
  seen = [];
  needsToken = false;
  /** The sessions' streams for notifications. */
  streams = new Set();

  /** @param {Request} request @param {Response} response */
  async handle(request, response) {
    if (this.needsToken && request.headers.authorization !== "Bearer right-token") {
      json(response, 401, { error: "who are you?" }, { "www-authenticate": "Bearer" });
      return;
    }
    if (request.method === "GET") {
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      this.streams.add(response);
      response.on("close", () => this.streams.delete(response));
      return;
    }
    if (request.method === "DELETE") {
      response.writeHead(405).end();
      return;
    }
    const message = await readBody(request);
    const session = request.headers["mcp-session-id"];
    this.seen.push({
      method: message.method,
      ...(request.headers.authorization !== undefined && { authorization: request.headers.authorization }),
      tool: message.params?.name,
      session: String(session),
      params: message.params,
    });
    if (message.method === "initialize") {
      const id = randomUUID();
      this.sessions.add(id);
      const result = {
        protocolVersion: message.params.protocolVersion,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: "http", version: "1" },
      };
      json(response, 200, { jsonrpc: "2.0", id: message.id, result }, { "mcp-session-id": id });
      return;
    }
    if (message.method === "server/discover") {
      json(response, 400, { jsonrpc: "2.0", id: null, error: { code: -32000, message: "Server not initialized" } });
      return;
    }
    if (!this.sessions.has(session)) {
      json(response, 404, { jsonrpc: "2.0", id: null, error: { code: -32001, message: "Session not found" } });
      return;
    }
    this.answer(message, response);
  }

  /** @param {any} message @param {Response} response */
  answer({ id, method, params }, response) {
    if (id === undefined) response.writeHead(202).end();
    else if (method === "tools/list") json(response, 200, { jsonrpc: "2.0", id, result: { tools: TOOLS } });
    else if (method === "ping") json(response, 200, { jsonrpc: "2.0", id, result: {} });
    else if (method === "tools/call") this.call(params, id, response);
    else json(response, 200, { jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } });
  }

  /** @param {{ name: string, arguments: any }} params @param {unknown} id @param {Response} response */
  call({ name, arguments: args }, id, response) {
    const result = { content: [{ type: "text", text: JSON.stringify(args) }] };
    const stream = () => response.writeHead(200, { "content-type": "text/event-stream" });
    switch (name) {
      case "echo":
        stream();
        event(response, { jsonrpc: "2.0", id, result });
        response.end();
        return;
      // The stream is cut before its answer: by a clean end, or by the loss of the connection.
      case "cut":
        stream();
        event(response, {
          jsonrpc: "2.0",
          method: "notifications/message",
          params: { level: "info", data: "working" },
        });
        setTimeout(() => (args.hard ? response.destroy() : response.end()), 50);
        return;
      case "cut_headers":
        response.destroy();
        return;
      case "slow":
        stream().flushHeaders();
        setTimeout(() => {
          event(response, { jsonrpc: "2.0", id, result });
          response.end();
        }, args.ms ?? 500);
        return;
      case "flood": {
        const chunk = "x".repeat(1024 * 1024);
        if (args.stream) stream();
        else response.writeHead(200, { "content-type": "application/json" });
        response.write(args.stream ? "data: {" : '{"jsonrpc":"2.0","result":"');
        let left = args.megabytes;
        const more = () => {
          while (left > 0 && response.writable) {
            left -= 1;
            if (!response.write(chunk)) {
              response.once("drain", more);
              return;
            }
          }
          response.end(args.stream ? "}\n\n" : '"}');
        };
        more();
        return;
      }
      case "forget":
        this.sessions.clear();
        json(response, 200, { jsonrpc: "2.0", id, result });
        return;
      case "no_type":
        response.writeHead(200, { "content-type": "text/html" }).end("<h1>hello</h1>");
        return;
      default:
        json(response, 500, { error: "the database is away" });
    }
  }
}

/** A server of the 2026-07-28 protocol: no sessions, and arguments repeated in headers where a tool's schema says so. */
class Stateless {
  /** @type {{ method: string, region?: string }[]} */
  seen = [];
  /** Calls whose stream the client closed. */
  given_up = 0;

  /** @param {Request} request @param {Response} response */
  async handle(request, response) {
    if (request.method !== "POST") {
      response.writeHead(405).end();
      return;
    }
    const { id, method, params } = await readBody(request);
    const region = request.headers["mcp-param-region"];
    this.seen.push(region === undefined ? { method } : { method, region: String(region) });
    const reply = (/** @type {object} */ result) =>
      json(response, 200, {
        jsonrpc: "2.0",
        id,
        result: { resultType: "complete", ttlMs: 0, cacheScope: "private", ...result },
      });
    if (method === "server/discover") reply({ supportedVersions: ["2026-07-28"], capabilities: { tools: {} } });
    else if (method === "tools/list") reply({ tools: STATELESS_TOOLS });
    else if (method !== "tools/call")
      json(response, 200, { jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } });
    else if (params.name === "hang") {
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      response.on("close", () => {
        this.given_up += 1;
      });
    } else if (params.arguments.region !== region) {
      json(response, 400, { jsonrpc: "2.0", id, error: { code: -32020, message: "Header mismatch" } });
    } else reply({ content: [{ type: "text", text: `in ${params.arguments.region}` }] });
  }
}

const STATELESS_TOOLS = [
  {
    name: "regional",
    inputSchema: { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" } } },
  },
  { name: "hang", inputSchema: { type: "object" } },
];

/** @type {Record<string, (request: Request, response: Response) => void>} */
const OTHERS = {
  "/html": (_, response) => void response.writeHead(200, { "content-type": "text/html" }).end("<h1>A web page</h1>"),
  "/old-sse": (_, response) => void response.writeHead(405, { allow: "GET" }).end(),
  "/busy": (_, response) => void response.writeHead(429, { "content-type": "text/plain" }).end("come back later"),
  "/broken": (_, response) => void response.writeHead(503, { "content-type": "text/plain" }).end("maintenance"),
  "/moved": (_, response) => void response.writeHead(301, { location: "https://elsewhere.example/mcp" }).end(),
  "/silent": () => undefined,
};

/** @param {{ port?: number }} [options] */
export async function startHttpServers({ port = 0 } = {}) {
  /** @type {Record<string, Endpoint>} */
  const endpoints = { "/mcp": new Endpoint(), "/locked": new Endpoint() };
  const stateless = new Stateless();
  if (endpoints["/locked"]) endpoints["/locked"].needsToken = true;
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://x").pathname;
    const endpoint = endpoints[path];
    if (endpoint !== undefined) endpoint.handle(request, response).catch(() => response.destroy());
    else if (path === "/stateless") stateless.handle(request, response).catch(() => response.destroy());
    else if (OTHERS[path]) OTHERS[path](request, response);
    else response.writeHead(404, { "content-type": "text/plain" }).end("nothing here");
  });
  await new Promise((resolve) => server.listen(port, "127.0.0.1", () => resolve(undefined)));
  const address = server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  return {
    url: (/** @type {string} */ path) => `http://127.0.0.1:${bound}${path}`,
    port: bound,
    stateless,
    endpoint: (/** @type {string} */ path) => {
      const found = endpoints[path];
      if (found === undefined) throw new Error(`no endpoint at ${path}`);
      return found;
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve(undefined)));
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { url } = await startHttpServers({ port: Number(process.argv[2] ?? 0) });
  process.stderr.write(`listening on ${url("/mcp")}\n`);
}
