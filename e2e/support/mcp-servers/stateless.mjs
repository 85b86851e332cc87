// A server of the 2026-07-28 protocol: no `initialize`, no pings, input asked for inside results, changes told on a stream.
import { ANY_OBJECT, send, serveStdio, text } from "./stdio-server.mjs";

const VERSION = "2026-07-28";
const LOG_LEVEL = "io.modelcontextprotocol/logLevel";
const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";
const FORM = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };

let round = 1;
/** @type {string | number | null} */
let listening = null;

/** @param {unknown} id @param {object} result */
const reply = (id, result) => send({ jsonrpc: "2.0", id, result: { resultType: "complete", ...result } });

/** @type {Record<string, (params: any, id: string | number) => object | undefined>} */
const tools = {
  echo: ({ arguments: args, _meta }) => {
    if (_meta[LOG_LEVEL])
      send({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "echoing" } });
    return text(JSON.stringify(args));
  },
  odd: () => ({ content: [{ type: "hologram", data: 1 }], structuredContent: [1, 2] }),
  change: () => {
    round += 1;
    send({
      jsonrpc: "2.0",
      method: "notifications/tools/list_changed",
      params: { _meta: { [SUBSCRIPTION]: listening } },
    });
    return text(`round ${round}`);
  },
  // Asks for a name, and for the answer to be brought back with what the server wants to remember.
  greet: ({ arguments: args, inputResponses, requestState }) => {
    if (inputResponses === undefined) {
      return {
        resultType: "input_required",
        inputRequests: {
          who: { method: "elicitation/create", params: { mode: "form", message: "Who?", requestedSchema: FORM } },
        },
        requestState: `state of ${JSON.stringify(args)}`,
      };
    }
    return text(`${requestState}: ${JSON.stringify(inputResponses)}`);
  },
  // Asks for a model's response, whatever the client declared, which is part of the result.
  sample: ({ inputResponses, _meta }) => {
    const capabilities = _meta["io.modelcontextprotocol/clientCapabilities"];
    if (inputResponses !== undefined) return text(JSON.stringify({ capabilities, ...inputResponses }));
    const messages = [{ role: "user", content: { type: "text", text: "Say hi" } }];
    const draft = { method: "sampling/createMessage", params: { messages, maxTokens: 10 } };
    return { resultType: "input_required", inputRequests: { draft } };
  },
  hang: () => undefined,
};

serveStdio({
  name: "stateless",
  tools: [],
  handle: ({ id, method, params }) => {
    if (method === "notifications/cancelled") process.stderr.write(`cancelled ${JSON.stringify(params.requestId)}\n`);
    if (id === undefined) return true;
    switch (method) {
      case "server/discover":
        reply(id, {
          supportedVersions: [VERSION],
          capabilities: { tools: { listChanged: true }, logging: {} },
          instructions: "stateless",
          ttlMs: 0,
          cacheScope: "private",
          _meta: { "io.modelcontextprotocol/serverInfo": { name: "stateless", version: "2.0.0" } },
        });
        break;
      case "tools/list": {
        const named = Object.keys(tools).map((name) => ({ name, inputSchema: ANY_OBJECT }));
        const added = Array.from({ length: round - 1 }, (_, index) => ({
          name: `added_${index + 1}`,
          inputSchema: ANY_OBJECT,
        }));
        reply(id, { tools: [...named, ...added, { name: "no_schema" }], ttlMs: 0, cacheScope: "private" });
        break;
      }
      case "tools/call": {
        const result = Object.hasOwn(tools, params.name)
          ? tools[params.name]?.(params, id)
          : { ...text("?"), isError: true };
        if (result !== undefined) reply(id, result);
        break;
      }
      case "subscriptions/listen":
        listening = id;
        send({
          jsonrpc: "2.0",
          method: "notifications/subscriptions/acknowledged",
          params: { notifications: params.notifications, _meta: { [SUBSCRIPTION]: id } },
        });
        break;
      default:
        send({ jsonrpc: "2.0", id, error: { code: -32601, message: `Method not found: ${method}` } });
    }
    return true;
  },
});
