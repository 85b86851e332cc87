// MCP servers over HTTP with tools of the size and shape that published servers list, at `/<number>` each:
// `node bench/catalog-servers.mjs <tools per server>`. Prints its address; calls are not answered.
import { createServer } from "node:http";

const toolsPerServer = Number(process.argv[2] ?? 50);
const VERBS = ["create", "get", "list", "search", "update", "delete", "merge", "fork", "push", "add"];
const NOUNS = ["issue", "repository", "pull_request", "file_contents", "branch", "commit", "comment", "review", "user"];
const FIELDS = [
  "owner",
  "repo",
  "title",
  "body",
  "branch",
  "path",
  "state",
  "labels",
  "assignees",
  "page",
  "sort",
  "sha",
];

/** @param {number} seed @param {number} index */
function describeField(seed, index) {
  const field = FIELDS[(seed + index * 5) % FIELDS.length] ?? "query";
  const description = `The ${field} of the object that the request reads or changes`;
  if (index % 4 === 1) return [field, { type: "array", items: { type: "string" }, description }];
  if (index % 4 === 2) return [field, { type: "string", enum: ["open", "closed", "all"], description }];
  return [field, { type: index % 4 === 3 ? "number" : "string", description }];
}

/** @param {number} server @param {number} index */
function describeTool(server, index) {
  const verb = VERBS[index % VERBS.length];
  const noun = NOUNS[Math.floor(index / VERBS.length) % NOUNS.length];
  const properties = Object.fromEntries(Array.from({ length: 3 + (index % 6) }, (_, at) => describeField(index, at)));
  const reads = verb === "get" || verb === "list" || verb === "search";
  return {
    name: `${verb}_${noun}_${index}`,
    title: `${verb} ${noun}`.replaceAll("_", " "),
    description:
      `${verb} a ${noun} of the project ${server}, by its owner and name. Returns its number, state, author and dates. ` +
      `Use it when the number is known; otherwise search first.`,
    inputSchema: { type: "object", properties, required: Object.keys(properties).slice(0, 2) },
    annotations: { readOnlyHint: reads, destructiveHint: verb === "delete", openWorldHint: true },
  };
}

/** @param {number} server @param {{ method: string, params?: { protocolVersion?: string } }} message */
function answer(server, { method, params }) {
  if (method === "initialize") {
    return {
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: `project-${server}`, version: "1.0.0" },
    };
  }
  if (method !== "tools/list") return {};
  return { tools: Array.from({ length: toolsPerServer }, (_, index) => describeTool(server, index)) };
}

const http = createServer(async (request, response) => {
  if (request.method !== "POST") return void response.writeHead(405).end();
  let text = "";
  for await (const chunk of request) text += chunk;
  const message = JSON.parse(text);
  if (message.id === undefined) return void response.writeHead(202).end();
  const result = answer(Number(request.url?.slice(1)), message);
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result }));
});
http.listen(0, "127.0.0.1", () => {
  const address = /** @type {import("node:net").AddressInfo} */ (http.address());
  console.log(`http://127.0.0.1:${address.port}`);
});
