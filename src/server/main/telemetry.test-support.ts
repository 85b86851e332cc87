import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { LOCAL_PRINCIPAL } from "../../lib/contract/access";
import {
  type GatewayContainer,
  newDatabaseUrl,
  startGatewayContainer,
} from "../mcp/gateway/gateway-container.test-support";

interface ReceivedRequest {
  method: string;
  params: Record<string, unknown>;
  headers: Record<string, unknown>;
}

export interface RecordingServer {
  url: string;
  port: number;
  sessionId: string;
  /** The calls of tools that it received. */
  calls(): ReceivedRequest[];
  stop(): Promise<void>;
}

const TOOLS = ["echo", "fails", "breaks"].map((name) => ({ name, inputSchema: { type: "object" } }));
const PROMPT = { messages: [{ role: "user", content: { type: "text", text: "hello" } }] };
const RESULTS: Record<string, unknown> = {
  "tools/list": { tools: TOOLS },
  "resources/list": { resources: [{ uri: "memo://one", name: "one" }] },
  "resources/templates/list": { resourceTemplates: [] },
  "resources/read": { contents: [{ uri: "memo://one", text: "1" }] },
  "prompts/list": { prompts: [{ name: "greet" }] },
  "prompts/get": PROMPT,
};

/** An MCP server over HTTP that keeps the requests it receives. */
export async function startRecordingServer(): Promise<RecordingServer> {
  const received: ReceivedRequest[] = [];
  const sessionId = randomUUID();
  const server = createServer(async (request, response) => {
    if (request.method !== "POST") return void response.writeHead(405).end();
    let text = "";
    for await (const chunk of request) text += chunk;
    const { id, method, params = {} } = JSON.parse(text);
    received.push({ method, params, headers: request.headers });
    const answer = (body: object): void =>
      void response
        .writeHead(200, { "content-type": "application/json", "mcp-session-id": sessionId })
        .end(JSON.stringify({ jsonrpc: "2.0", id, ...body }));
    if (id === undefined) return void response.writeHead(202).end();
    if (method === "initialize") {
      const capabilities = { tools: {}, resources: {}, prompts: {} };
      const serverInfo = { name: "recording", version: "1" };
      return answer({ result: { protocolVersion: params.protocolVersion, capabilities, serverInfo } });
    }
    if (method === "tools/call") {
      if (params.name === "breaks") return answer({ error: { code: -32_050, message: "Quota is used up" } });
      const content = [{ type: "text", text: JSON.stringify(params.arguments) }];
      return answer({ result: { content, isError: params.name === "fails" } });
    }
    answer(
      RESULTS[method] === undefined ? { error: { code: -32_601, message: "Unknown" } } : { result: RESULTS[method] },
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    port,
    sessionId,
    calls: () => received.filter(({ method }) => method === "tools/call"),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const OTEL = /^OTEL_/;

/** A container with these variables of OpenTelemetry, which its SDK reads from the process. */
export async function startTraced(
  variables: Readonly<Record<string, string>>,
  recording: RecordingServer | null,
): Promise<GatewayContainer> {
  const before = Object.entries(process.env).filter(([name]) => OTEL.test(name));
  for (const [name] of before) delete process.env[name];
  Object.assign(process.env, variables);
  try {
    const running = await startGatewayContainer(await newDatabaseUrl(), 0, variables);
    const { servers } = running.container.services;
    if (recording === null) return running;
    await servers.create(LOCAL_PRINCIPAL, { name: "rec", transport: "http", url: recording.url });
    await servers.reconnect(LOCAL_PRINCIPAL, "rec");
    return running;
  } finally {
    for (const name of Object.keys(variables)) delete process.env[name];
    for (const [name, value] of before) process.env[name] = value;
  }
}
