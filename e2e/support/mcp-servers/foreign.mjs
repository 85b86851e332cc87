// A server with an extension of its own, which no SDK knows: requests, notifications, and requests to its client. Arguments, in
// any order: `stateless` for the 2026-07-28 protocol, `undeclared` for a server that has the methods and does not declare them,
// `experimental` for one that declares them there. `node foreign.mjs http [port]` serves the same over HTTP.
import { createServer } from "node:http";
import { createInterface } from "node:readline";

const EXTENSION = "com.example/jobs";
const VERSION = "2026-07-28";

/** @typedef {{ jsonrpc: "2.0", id?: string | number, method?: string, params?: any, result?: any, error?: any }} Message */

/** @param {readonly string[]} options @param {(message: Message) => void} send what goes to the client @returns {(message: Message) => void} */
function createForeign(options, send) {
  const stateless = options.includes("stateless");
  const declared = { [EXTENSION]: { version: 1 } };
  const extended = options.includes("experimental") ? { experimental: declared } : { extensions: declared };
  const capabilities = { tools: {}, ...(options.includes("undeclared") ? {} : extended) };
  /** @type {Message[]} */
  const seen = [];
  /** @type {Map<unknown, (answer: Message) => void>} */
  const asked = new Map();

  /** @type {Record<string, (params: any) => any>} */
  const methods = {
    "server/discover": () =>
      stateless
        ? {
            supportedVersions: [VERSION],
            capabilities,
            ttlMs: 0,
            cacheScope: "private",
            _meta: { "io.modelcontextprotocol/serverInfo": { name: "foreign", version: "1.0.0" } },
          }
        : undefined,
    initialize: ({ protocolVersion }) =>
      stateless ? undefined : { protocolVersion, capabilities, serverInfo: { name: "foreign", version: "1.0.0" } },
    ping: () => ({}),
    "tools/list": () => ({ tools: [], ...(stateless ? { ttlMs: 0, cacheScope: "private" } : {}) }),
    "jobs/submit": (params) => ({ accepted: params, nested: { list: [1, null, "x"] } }),
    "jobs/seen": () => ({ seen }),
    "jobs/huge": ({ chars }) => ({ text: "x".repeat(chars) }),
    "jobs/announce": (params) => {
      send({ jsonrpc: "2.0", method: "notifications/jobs/changed", params });
      return {};
    },
    "jobs/flood": ({ count }) => {
      for (let at = 0; at < count; at += 1)
        send({ jsonrpc: "2.0", method: "notifications/jobs/changed", params: { at } });
      return {};
    },
    "jobs/confirm": async (params) => ({ answer: await ask("jobs/confirm_with_user", params) }),
  };

  /** @param {string} method @param {unknown} params @returns {Promise<unknown>} */
  function ask(method, params) {
    const id = `ask-${asked.size + 1}`;
    send({ jsonrpc: "2.0", id, method, params });
    return new Promise((resolve) => asked.set(id, ({ result, error }) => resolve(result ?? { error })));
  }

  return (message) => {
    const { id, method, params = {} } = message;
    if (method === undefined) return void asked.get(id)?.(message);
    if (id === undefined) {
      if (!method.startsWith("notifications/initialized")) seen.push({ jsonrpc: "2.0", method, params });
      return;
    }
    if (method === "jobs/hang") return;
    if (method === "jobs/fail") {
      send({ jsonrpc: "2.0", id, error: { code: 4711, message: "no such job", data: { job: params.job } } });
      return;
    }
    void Promise.resolve(Object.hasOwn(methods, method) ? methods[method]?.(params) : undefined).then((result) => {
      if (result === undefined) send({ jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } });
      else send({ jsonrpc: "2.0", id, result: stateless ? { resultType: "complete", ...result } : result });
    });
  };
}

/** Streamable HTTP: every answer on the stream of its request, and what belongs to none on the newest stream of a GET. */
export function createForeignHttp(/** @type {readonly string[]} */ options) {
  /** @type {import("node:http").ServerResponse | null} */
  let listening = null;
  /** @type {Map<unknown, import("node:http").ServerResponse>} */
  const open = new Map();
  const event = (/** @type {Message} */ message) => `event: message\ndata: ${JSON.stringify(message)}\n\n`;
  const take = createForeign(options, (message) => {
    const answered = message.method === undefined ? open.get(message.id) : undefined;
    open.delete(message.method === undefined ? message.id : undefined);
    if (answered !== undefined) answered.end(event(message));
    else (message.id === undefined ? listening : ([...open.values()].at(-1) ?? listening))?.write(event(message));
  });
  return createServer(async (request, response) => {
    if (request.method === "GET") {
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      listening = response;
      return;
    }
    let text = "";
    for await (const chunk of request) text += chunk;
    /** @type {Message} */
    const message = text === "" ? { jsonrpc: "2.0" } : JSON.parse(text);
    if (request.method !== "POST" || message.method === undefined || message.id === undefined) {
      response.writeHead(request.method === "POST" ? 202 : 405).end();
    } else {
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      open.set(message.id, response);
    }
    if (request.method === "POST") take(message);
  });
}

if (process.argv[1] === import.meta.filename) {
  const [, , ...options] = process.argv;
  if (options[0] === "http") {
    createForeignHttp(options).listen(Number(options[1] ?? 0), "127.0.0.1");
  } else {
    const take = createForeign(options, (message) => process.stdout.write(`${JSON.stringify(message)}\n`));
    const lines = createInterface({ input: process.stdin });
    lines.on("line", (line) => take(JSON.parse(line)));
    lines.on("close", () => process.exit(0));
  }
}
