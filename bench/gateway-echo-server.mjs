// The backend of the gateway's benchmark: one tool that returns its text, over stdio or over HTTP with sessions, as the SDK
// serves it. `node bench/gateway-echo-server.mjs stdio|http`
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { NodeStreamableHTTPServerTransport } from "@modelcontextprotocol/node";
import { Server } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";

const TOOL = {
  name: "echo",
  description: "Answers its text",
  inputSchema: {
    type: /** @type {const} */ ("object"),
    properties: { text: { type: "string" } },
    required: ["text"],
  },
};

function echoServer() {
  const server = new Server({ name: "echo", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({ tools: [TOOL] }));
  server.setRequestHandler("tools/call", ({ params }) => ({
    content: [{ type: "text", text: String(params.arguments?.text) }],
  }));
  return server;
}

if (process.argv[2] === "stdio") {
  // The SDK listens for `drain` and `error` once for each message that the pipe does not take at once.
  process.stdout.setMaxListeners(0);
  await echoServer().connect(new StdioServerTransport());
} else {
  /** @type {Map<string, NodeStreamableHTTPServerTransport>} */
  const sessions = new Map();
  const server = createServer(async (request, response) => {
    const known = sessions.get(String(request.headers["mcp-session-id"]));
    if (known) return known.handleRequest(request, response);
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await echoServer().connect(transport);
    return transport.handleRequest(request, response);
  });
  server.listen(0, "127.0.0.1", () => {
    const address = /** @type {import("node:net").AddressInfo} */ (server.address());
    console.log(`http://127.0.0.1:${address.port}/mcp`);
  });
}
