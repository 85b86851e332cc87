// The least of an MCP server over stdio, written by hand so that the servers beside it can break every rule of it.
import { createInterface } from "node:readline";

/**
 * @typedef {{ jsonrpc: "2.0", id?: string | number, method?: string, params?: any, result?: any, error?: any }} Message
 * @typedef {{ name: string, description?: string, inputSchema?: unknown, icons?: unknown[], run?: (args: any, call: Call) => any }} Tool
 * @typedef {{ id: string | number, params: any, send: (message: unknown) => void, reply: (result: unknown) => void }} Call
 */

export const ANY_OBJECT = { type: "object" };

/** @param {unknown} message */
export function send(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

/** @type {Map<unknown, (answer: Pick<Message, "result" | "error">) => void>} */
const asked = new Map();

/**
 * Sends the client a request, with the ids `ask-1`, `ask-2` and so on.
 * @param {string} method @param {unknown} params @returns {Promise<Pick<Message, "result" | "error">>}
 */
export function ask(method, params) {
  const id = `ask-${asked.size + 1}`;
  send({ jsonrpc: "2.0", id, method, params });
  return new Promise((resolve) => asked.set(id, resolve));
}

/** The id of the newest request of `ask`. */
export const lastAsked = () => `ask-${asked.size}`;

/** @param {string} text */
export const text = (text) => ({ content: [{ type: "text", text }] });

/**
 * A tool's `run` gives its result, or undefined when it answers itself or not at all.
 * @param {{ name: string, icons?: unknown[], tools: Tool[] | (() => Tool[]), capabilities?: object, handle?: (message: Message) => boolean | void, listTools?: (params: any) => unknown }} options
 */
export function serveStdio({ name, icons, tools, capabilities = { tools: { listChanged: true } }, handle, listTools }) {
  const current = () => (typeof tools === "function" ? tools() : tools);
  const lines = createInterface({ input: process.stdin });
  lines.on("line", (line) => {
    /** @type {Message} */
    const message = JSON.parse(line);
    if (handle?.(message) === true) return;
    const { id, method, params, result, error } = message;
    if (method === undefined) asked.get(id)?.({ result, error });
    if (id === undefined || method === undefined) return;
    const reply = (/** @type {unknown} */ result) => send({ jsonrpc: "2.0", id, result });
    switch (method) {
      case "initialize":
        reply({
          protocolVersion: params.protocolVersion,
          capabilities,
          serverInfo: { name, version: "1.0.0", icons },
        });
        return;
      case "ping":
        reply({});
        return;
      case "tools/list":
        reply(
          listTools?.(params ?? {}) ?? {
            tools: current().map(({ run: _, ...tool }) => ({ inputSchema: ANY_OBJECT, ...tool })),
          },
        );
        return;
      case "tools/call": {
        const tool = current().find((candidate) => candidate.name === params.name);
        if (tool?.run === undefined) {
          send({ jsonrpc: "2.0", id, error: { code: -32602, message: `Unknown tool: ${params.name}` } });
          return;
        }
        void Promise.resolve(tool.run(params.arguments, { id, params, send, reply })).then((result) => {
          if (result !== undefined) reply(result);
        });
        return;
      }
      default:
        send({ jsonrpc: "2.0", id, error: { code: -32601, message: `Method not found: ${method}` } });
    }
  });
  // A server that is told to end, or has nobody to talk to, ends.
  lines.on("close", () => process.exit(0));
}
