import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { buildContext, openBench, readText, remote } from "../connections.test-support";

const MODERN = "2026-07-28";
const COMPLETE = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
/** How SDKs refuse a request of a tool in the middle of a call on a connection of the newer protocol. */
const REFUSALS: Readonly<Record<string, string>> = {
  "Python SDK":
    "Error executing tool greet: Cannot send 'elicitation/create': this transport context has no back-channel for server-initiated requests.",
  "FastMCP 4": `elicitation via server-initiated requests is unavailable on ${MODERN} connections.`,
  "TypeScript SDK": `Server-to-client requests are not available on protocol revision ${MODERN}`,
  "go-sdk 1.8": `"sampling/createMessage" cannot be sent while serving a request on protocol version ${MODERN}: return an InputRequests map instead`,
  "mcp-go 1.2": `"roots/list": server-initiated requests are not supported in protocol version ${MODERN} or later`,
  "rmcp 3.11": `server-to-client requests are not allowed on protocol ${MODERN} or later; return InputRequiredResult instead`,
};
const TOOLS = [
  { name: "greet", annotations: {} },
  { name: "peek", annotations: { readOnlyHint: true } },
  { name: "set", annotations: { idempotentHint: true } },
].map((tool) => ({ ...tool, inputSchema: { type: "object" } }));

interface Message {
  id?: number | string;
  method: string;
  params?: { name?: string; protocolVersion?: string; _meta?: Record<string, unknown> };
}

/** Speaks both protocols unless `modernOnly`; its tools work in the older one only. */
async function startServer(refuse: () => object, modernOnly = false) {
  let runs = 0;
  const answer = ({ method, params }: Message): object => {
    const isModern = params?._meta?.["io.modelcontextprotocol/protocolVersion"] === MODERN;
    const common = isModern ? COMPLETE : {};
    const capabilities = { tools: {}, prompts: {} };
    if (method === "server/discover" && isModern) {
      return { result: { ...common, supportedVersions: [MODERN], capabilities } };
    }
    if (method === "initialize" && !modernOnly) {
      const { protocolVersion } = params ?? {};
      return { result: { protocolVersion, capabilities, serverInfo: { name: "both", version: "1" } } };
    }
    if (method === "tools/list") return { result: { ...common, tools: TOOLS } };
    if (method === "ping") return { result: {} };
    if (method !== "tools/call" && method !== "prompts/get") return { error: { code: -32_601, message: "Not found" } };
    runs += 1;
    if (isModern) return refuse();
    return { result: method === "prompts/get" ? { messages: [] } : { content: [{ type: "text", text: "asked" }] } };
  };
  const http = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    if (request.method !== "POST") return void response.writeHead(405).end();
    const message = JSON.parse(text) as Message;
    if (message.id === undefined) return void response.writeHead(202).end();
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, ...answer(message) }));
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`, runs: () => runs };
}

const asResult = (text: string) => ({
  result: { resultType: "complete", content: [{ type: "text", text }], isError: true },
});
const asError = (message: string) => ({ error: { code: -32_600, message } });

describe("a tool that asks for input in the middle of a call on a connection of the newer protocol", () => {
  const cases = Object.entries(REFUSALS).flatMap(([sdk, text]) => [
    { sdk, how: "a result", refuse: () => asResult(text) },
    { sdk, how: "an error", refuse: () => asError(text) },
  ]);

  it.each(cases)("fails once with the reason and works from then on: $sdk in $how", async ({ refuse }) => {
    const server = await startServer(refuse);
    const { connections } = openBench();
    connections.apply(remote("both", server.url));
    expect(await connections.ready("both")).toMatchObject({ protocolVersion: MODERN });
    await expect(connections.call("both", "greet", {}, buildContext())).rejects.toMatchObject({
      kind: "unavailable",
      message: expect.stringMatching(/tool 'greet' requested input.*connects with the older protocol: call it again/),
    });
    expect(server.runs()).toBe(1);
    expect(readText(await connections.call("both", "greet", {}, buildContext()))).toBe("asked");
    expect(connections.state("both")?.protocolVersion).toBe("2025-11-25");
  });

  it.each(["peek", "set"])(
    "is called again at once where it says that it may be, and its log says so: %s",
    async (tool) => {
      const server = await startServer(() => asResult(REFUSALS["FastMCP 4"] ?? ""));
      const { connections } = openBench();
      connections.apply(remote("both", server.url));
      const context = buildContext();
      expect(readText(await connections.call("both", tool, {}, context))).toBe("asked");
      expect(server.runs()).toBe(2);
      expect(context.logged.join("\n")).toMatch(/requested input.*called again with the older protocol/);
    },
  );

  it("does not matter to prompts, which are read again", async () => {
    const server = await startServer(() => asError(REFUSALS["rmcp 3.11"] ?? ""));
    const { connections } = openBench();
    connections.apply(remote("both", server.url));
    const read = connections.content("both", (content) =>
      content.request("prompts/get", { name: "p" }, buildContext()),
    );
    expect(await read).toEqual({ messages: [] });
  });

  it("keeps its own words where the server speaks the newer protocol only, without connecting again each time", async () => {
    const text = REFUSALS["go-sdk 1.8"] ?? "";
    const server = await startServer(() => asResult(text), true);
    const { connections, states } = openBench();
    connections.apply(remote("newer", server.url));
    for (const _ of [1, 2, 3])
      expect(readText(await connections.call("newer", "greet", {}, buildContext()))).toBe(text);
    expect(states.filter(({ state }) => state.status === "connecting")).toHaveLength(2);
  });

  it.each([
    "Cannot read the file 'sampling.txt'",
    "The elicitation was declined, no name is known",
    "roots/list is not supported by this client",
    `Report of ${MODERN} not found`,
  ])("is not seen in other errors: %s", async (text) => {
    const server = await startServer(() => asResult(text));
    const { connections } = openBench();
    connections.apply(remote("both", server.url));
    expect(readText(await connections.call("both", "greet", {}, buildContext()))).toBe(text);
    expect(connections.state("both")?.protocolVersion).toBe(MODERN);
  });
});
