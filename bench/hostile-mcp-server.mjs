// A misbehaving MCP server over stdio: `node bench/hostile-mcp-server.mjs <kind> [...]`.
//   tools <count> <parameters>   that many tools with that many parameters
//   schemas <file>               a tool for each schema in a JSON file
//   garbage                      a tool that prints 20 MB of `{"jsonrpc"`
//   large <megabytes>            a tool that returns that much structured content of small values
//   chatty                       a tool that sends 20 progress notifications and 20 log messages
//   keys <count>                 a tool whose structured content is one object with that many names
//   text <megabytes>             a tool that returns one text of that size
//   items <count>                a tool that returns that many content blocks
//   value <url>                  a tool whose structured content has the JSON text at that URL as it is
//   requests <count>             a tool that first sends that many requests to its client
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [kind, ...parameters] = process.argv.slice(2);

/** @param {unknown} message */
const send = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", .../** @type {object} */ (message) })}\n`);

/** @param {number} count @param {number} width */
function wideTools(count, width) {
  const types = ["string", "integer", "boolean", "number"];
  return Array.from({ length: count }, (_, tool) => ({
    name: `tool_${tool}`,
    description: `Tool number ${tool}`,
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(
        Array.from({ length: width }, (_, index) => [
          `parameter_${index}`,
          { type: types[index % types.length], description: `Parameter ${index} of tool ${tool}` },
        ]),
      ),
      required: ["parameter_0"],
    },
  }));
}

function listTools() {
  if (kind === "tools") return wideTools(Number(parameters[0]), Number(parameters[1]));
  if (kind === "schemas") {
    const schemas = JSON.parse(readFileSync(parameters[0] ?? "", "utf8"));
    return schemas.map((/** @type {object} */ inputSchema, /** @type {number} */ index) => ({
      name: `schema_${index}`,
      description: `Schema number ${index}`,
      inputSchema,
    }));
  }
  return [{ name: String(kind), description: `The tool of ${kind}`, inputSchema: { type: "object" } }];
}

/** Servers with very long lists answer in pages; one message of more than 64 MiB is refused by most clients. */
const PAGE_CHARS = 8_000_000;

const tools = listTools();

/** @param {string | undefined} cursor */
function buildPage(cursor) {
  const from = Number(cursor ?? 0);
  let until = from;
  for (let chars = 0; until < tools.length && chars < PAGE_CHARS; until += 1)
    chars += JSON.stringify(tools[until]).length;
  return { tools: tools.slice(from, until), ...(until < tools.length ? { nextCursor: String(until) } : {}) };
}

const ok = { content: [{ type: "text", text: "ok" }] };

/** @param {number} chars */
function largeResult(chars) {
  const rows = Array.from({ length: Math.ceil(chars / 60) }, (_, index) => ({
    index,
    name: `row ${index}`,
    even: index % 2 === 0,
  }));
  return { ...ok, structuredContent: { rows } };
}

/** @param {number} count */
function manyRequests(count) {
  const messages = [{ role: "user", content: { type: "text", text: "Go" } }];
  for (let index = 0; index < count; index += 1) {
    if (index % 3 === 0) send({ id: index, method: "roots/list" });
    else if (index % 3 === 1)
      send({ id: index, method: "sampling/createMessage", params: { messages, maxTokens: 10 } });
    else {
      const requestedSchema = { type: "object", properties: { name: { type: "string" } } };
      send({ id: index, method: "elicitation/create", params: { message: "Who?", requestedSchema } });
    }
  }
}

function buildResult() {
  const count = Number(parameters[0]);
  if (kind === "large") return largeResult(count * 1_000_000);
  if (kind === "keys") {
    const structuredContent = Object.fromEntries(Array.from({ length: count }, (_, index) => [`key ${index}`, index]));
    return { ...ok, structuredContent };
  }
  if (kind === "text") return { content: [{ type: "text", text: "Some text.\n".repeat((count * 1_000_000) / 11) }] };
  if (kind === "items") return { content: Array.from({ length: count }, () => ok.content[0]) };
  return ok;
}

async function printGarbage() {
  const chunk = '{"jsonrpc"'.repeat(100_000);
  for (let megabyte = 0; megabyte < 20; megabyte += 1) {
    if (!process.stdout.write(chunk)) await once(process.stdout, "drain");
  }
  process.stdout.write("\n");
}

/** @param {string | number | undefined} progressToken */
async function chat(progressToken) {
  for (let step = 1; step <= 20; step += 1) {
    if (progressToken !== undefined) {
      send({ method: "notifications/progress", params: { progressToken, progress: step, total: 20 } });
    }
    send({ method: "notifications/message", params: { level: "info", data: `step ${step} of 20` } });
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

createInterface({ input: process.stdin })
  .on("line", async (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined || method === undefined) return;
    if (method === "initialize") {
      const serverInfo = { name: "hostile", version: "1.0.0" };
      const capabilities = { tools: {}, logging: {} };
      send({ id, result: { protocolVersion: params.protocolVersion, capabilities, serverInfo } });
    } else if (method === "tools/list") send({ id, result: buildPage(params?.cursor) });
    else if (method === "tools/call") {
      if (kind === "garbage") await printGarbage();
      if (kind === "chatty") await chat(params._meta?.progressToken);
      if (kind === "requests") manyRequests(Number(parameters[0]));
      if (kind === "value") {
        const value = await (await fetch(parameters[0] ?? "")).text();
        process.stdout.write(
          `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[],"structuredContent":{"value":${value}}}}\n`,
        );
      } else send({ id, result: buildResult() });
    } else if (method === "ping" || method === "logging/setLevel") send({ id, result: {} });
    else send({ id, error: { code: -32601, message: `Method not found: ${method}` } });
  })
  .on("close", () => process.exit(0));
