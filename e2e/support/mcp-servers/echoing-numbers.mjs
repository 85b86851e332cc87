// Answers a call with the text of its arguments as it came: in the content as a text, in the structured content digit for digit.
// `fail` has them in the data of an error; `ask` repeats what its client answered to a request for input.
// Speaks stdio, or HTTP where PORT is set; FORM is how its messages are written: `sdk`, `spaced`, or `numbered` events, which only
// an SDK resumes. `routed` speaks the stateless protocol, and `echo` answers with the headers that repeat its parameters.
import { createServer } from "node:http";
import { createInterface } from "node:readline";

const FORM = process.env.FORM ?? "sdk";
const TOOL = {
  name: "echo",
  description: "Echoes its arguments",
  inputSchema: { type: "object", properties: { team: {} } },
};
const FORM_SCHEMA = { type: "object", properties: { id: { type: "number" }, price: { type: "number" } } };
const TOOLS = [TOOL, { ...TOOL, name: "fail" }, { ...TOOL, name: "ask" }];
/** The ids of the calls of `ask` that wait, by the ids of their requests. */
const asked = new Map();

/** The value of the first member of this name; its texts have no braces. */
function findValue(text, name) {
  const start = text.indexOf(`"${name}":`) + name.length + 3;
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === "{" || text[at] === "[") depth += 1;
    if (text[at] === "}" || text[at] === "]") depth -= 1;
    if (depth === 0) return text.slice(start, at + 1);
  }
  return "null";
}

function writeResult(method, text) {
  if (method === "initialize") {
    const { protocolVersion } = JSON.parse(text).params;
    return JSON.stringify({
      protocolVersion: protocolVersion === "2025-06-18" ? protocolVersion : "2025-11-25",
      capabilities: { tools: {} },
      serverInfo: { name: "echoing-numbers", version: "1" },
    });
  }
  if (method === "tools/list") return JSON.stringify({ tools: TOOLS });
  const args = findValue(text, "arguments");
  return `{"content":[{"type":"text","text":${JSON.stringify(args)}}],"structuredContent":{"echo":${args}}}`;
}

function ask(id) {
  const request = `ask-${asked.size}`;
  asked.set(request, id);
  const params = { mode: "form", message: "Which numbers?", requestedSchema: FORM_SCHEMA };
  return JSON.stringify({ jsonrpc: "2.0", id: request, method: "elicitation/create", params });
}

/** Null for a notification. */
function answer(text) {
  const { id, method, params } = JSON.parse(text);
  if (id === undefined) return null;
  if (method === undefined) {
    const given = JSON.stringify(text.includes('"content":') ? findValue(text, "content") : text);
    return `{"jsonrpc":"2.0","id":${asked.get(id)},"result":{"content":[{"type":"text","text":${given}}]}}`;
  }
  if (method === "tools/call" && params.name === "ask") return ask(id);
  if (method === "tools/call" && params.name === "fail") {
    const data = findValue(text, "arguments");
    return `{"jsonrpc":"2.0","id":${id},"error":{"code":-32010,"message":"refused","data":${data}}}`;
  }
  if (!["initialize", "tools/list", "tools/call", "ping"].includes(method)) {
    return JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "unknown" } });
  }
  const result = writeResult(method, text);
  if (FORM === "spaced") return `{"jsonrpc": "2.0", "result": ${result}, "id": ${id}}`;
  return `{"jsonrpc":"2.0","id":${id},"result":${result}}`;
}

const routed = (name) => ({ type: "integer", "x-mcp-header": name });
const ROUTED_TOOL = {
  ...TOOL,
  inputSchema: { type: "object", properties: { id: routed("Id"), count: routed("Count") } },
};

function answerRouted(text, headers) {
  const { id, method } = JSON.parse(text);
  if (id === undefined) return null;
  const read = `id=${headers["mcp-param-id"]} count=${headers["mcp-param-count"]}`;
  const results = {
    "server/discover": { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } },
    "tools/list": { tools: [ROUTED_TOOL] },
    "tools/call": { content: [{ type: "text", text: read }] },
  };
  if (results[method] === undefined)
    return JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "unknown" } });
  const common = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
  return JSON.stringify({ jsonrpc: "2.0", id, result: { ...common, ...results[method] } });
}

if (process.env.PORT === undefined) {
  createInterface({ input: process.stdin }).on("line", (line) => {
    const text = answer(line);
    if (text !== null) process.stdout.write(`${text}\n`);
  });
} else {
  createServer(async (request, response) => {
    if (request.method !== "POST") return response.writeHead(405).end();
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    const text = FORM === "routed" ? answerRouted(body, request.headers) : answer(body);
    if (text === null) return response.writeHead(202).end();
    if (FORM !== "numbered") return response.writeHead(200, { "content-type": "application/json" }).end(text);
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(`id: 1\ndata: \n\nid: 2\ndata: ${text}\n\n`);
  }).listen(Number(process.env.PORT), "127.0.0.1", () => process.stderr.write("listening\n"));
}
