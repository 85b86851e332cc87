/** An MCP server and a model on loopback that keep what they were asked, outside all copies. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { NodeStreamableHTTPServerTransport } from "@modelcontextprotocol/node";
import { Server } from "@modelcontextprotocol/server";

const NOTE = {
  description: "Writes a text down and answers it",
  inputSchema: {
    type: "object" as const,
    properties: { text: { type: "string" }, ms: { type: "integer", description: "How long that takes" } },
    required: ["text"],
  },
};
const TOOLS = [
  { name: "note", ...NOTE },
  { name: "purge", ...NOTE, annotations: { destructiveHint: true } },
];
const LONGEST_MS = 5_000;

interface Question {
  model: string;
  stream?: boolean;
  messages: { role: string; content?: unknown }[];
}

/** How often each text was written down. */
export type Ledger = Awaited<ReturnType<typeof startLedger>>;

export async function startLedger() {
  const counts = new Map<string, number>();

  function createNotes(): Server {
    const server = new Server({ name: "ledger", version: "1.0.0" }, { capabilities: { tools: {} } });
    server.setRequestHandler("tools/list", () => ({ tools: TOOLS }));
    server.setRequestHandler("tools/call", async ({ params }) => {
      const { text = "", ms = 0 } = (params.arguments ?? {}) as { text?: string; ms?: number };
      counts.set(text, (counts.get(text) ?? 0) + 1);
      await sleep(Math.min(ms, LONGEST_MS));
      return { content: [{ type: "text" as const, text }] };
    });
    return server;
  }

  async function serveNotes(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const transport = new NodeStreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    await createNotes().connect(transport);
    await transport.handleRequest(request, response);
  }

  const server = createServer((request, response) => {
    const work = request.url?.startsWith("/v1/chat/completions")
      ? answerModel(request, response)
      : serveNotes(request, response);
    // A copy that was killed has left.
    work.catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    counts: counts as ReadonlyMap<string, number>,
    mcpUrl: `http://127.0.0.1:${port}/mcp`,
    modelUrl: `http://127.0.0.1:${port}/v1`,
    close(): Promise<void> {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Calls `ledger__note` until the conversation has as many results as its first message says: `<key> <number>`. */
async function answerModel(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { model, messages, stream } = JSON.parse(Buffer.concat(chunks).toString()) as Question;
  const first = JSON.stringify(messages.find(({ role }) => role === "user")?.content ?? "");
  const [, key = "none", wanted = "0"] = /(run-\S+) (\d+)/.exec(first) ?? [];
  const done = messages.filter(({ role }) => role === "tool").length;
  const call = {
    id: `call_${key}_${done}`,
    type: "function",
    function: { name: "ledger__note", arguments: JSON.stringify({ text: `${key}/${done}`, ms: 50 }) },
  };
  const isOver = done >= Number(wanted);
  const message = isOver
    ? { role: "assistant", content: "Done." }
    : { role: "assistant", content: null, tool_calls: [call] };
  const finish_reason = isOver ? "stop" : "tool_calls";
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  const common = { id: `chatcmpl-${key}-${done}`, created: 0, model };
  await sleep(50);
  if (stream !== true) {
    response.writeHead(200, { "content-type": "application/json" });
    const choices = [{ index: 0, message, finish_reason }];
    response.end(JSON.stringify({ ...common, object: "chat.completion", choices, usage }));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (data: object): void =>
    void response.write(`data: ${JSON.stringify({ ...common, object: "chat.completion.chunk", ...data })}\n\n`);
  const delta = isOver ? message : { ...message, tool_calls: [{ index: 0, ...call }] };
  send({ choices: [{ index: 0, delta, finish_reason: null }] });
  send({ choices: [{ index: 0, delta: {}, finish_reason }] });
  send({ choices: [], usage });
  response.end("data: [DONE]\n\n");
}
