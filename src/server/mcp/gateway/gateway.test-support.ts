import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { LOCAL_PRINCIPAL } from "../../../lib/contract/access";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { createHostPolicy } from "../../../lib/http-guard";
import { aliasesByName } from "../../../lib/portable-name";
import { createToolEngine, silentLogger, type ToolEngine, type ToolEngineOptions } from "../../create-tool-engine";
import type { ExecutionEnd, ExecutionJournal, ExecutionStart, ToolContext } from "../../engine/ports";
import { createGateway, type Gateway } from "./gateway-http";
import type { GatewayPorts } from "./gateway-ports";

/** Keeps what would be in the logbook. */
export class RecordingJournal implements ExecutionJournal {
  readonly started: ExecutionStart[] = [];
  readonly ended: { start: ExecutionStart; end: ExecutionEnd }[] = [];
  async begin(start: ExecutionStart): Promise<void> {
    this.started.push(start);
  }
  async proceed(): Promise<boolean> {
    return true;
  }
  async finish(start: ExecutionStart, end: ExecutionEnd): Promise<void> {
    this.ended.push({ start, end });
  }
  async record(start: ExecutionStart, end: ExecutionEnd): Promise<void> {
    this.ended.push({ start, end });
  }
}

export interface TestGateway {
  engine: ToolEngine;
  gateway: Gateway;
  journal: RecordingJournal;
  url: string;
  server: Server;
  /** Tells the gateway that the catalog changed. */
  changed(): void;
  close(): Promise<void>;
}

export function tool(name: string, implementation: ToolDefinition["implementation"], more = {}): ToolDefinition {
  return {
    name,
    description: `The tool ${name}`,
    type: "function",
    handler: name,
    parameters: { type: "object", properties: { text: { type: "string" } } },
    implementation,
    ...more,
  };
}

/** Far enough apart that a busy client does not read the last step together with the answer. */
const STEP_MS = 50;

/** Handlers that tests call through the gateway. */
const HANDLERS = {
  async slow(_args: Record<string, unknown>, { signal }: ToolContext) {
    await new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, 15_000);
      signal.addEventListener("abort", () => {
        clearTimeout(timer);
        reject(new Error("aborted"));
      });
    });
    return "late";
  },
  async steps(_args: Record<string, unknown>, { progress, logger }: ToolContext) {
    for (const step of [1, 2, 2, 3]) {
      progress(step, 3, `step ${step}`);
      logger.info(`did step ${step}`);
      await new Promise((resolve) => setTimeout(resolve, STEP_MS));
    }
    return { steps: 3 };
  },
  fails() {
    throw new Error("the disk is full");
  },
  async ask(args: Record<string, unknown>, { interact, signal, hold }: ToolContext) {
    if (interact === undefined) return { asked: false };
    const release = hold();
    const answer = await interact(args.request as never, signal, args.name as never);
    release();
    return { answer };
  },
};

export async function startGateway(
  options: { ports?: Partial<GatewayPorts>; engine?: ToolEngineOptions; port?: number } = {},
): Promise<TestGateway> {
  const journal = new RecordingJournal();
  const engine = createToolEngine({ builtins: HANDLERS as never, journal, ...options.engine });
  for (const name of Object.keys(HANDLERS)) engine.registry.register(tool(name, { type: "builtin", handler: name }));
  engine.registry.register(tool("echo", { type: "builtin", handler: "echo" }));
  const listeners = new Set<() => void>();
  const gateway = createGateway({
    tools: () => engine.registry.list(),
    executor: engine.executor,
    onToolsChanged: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    serverNames: () => [],
    aliasNames: aliasesByName,
    hostPolicy: createHostPolicy({ host: "127.0.0.1" }),
    logger: silentLogger,
    newId: () => `exec_${journal.started.length}_${Math.random().toString(36).slice(2)}`,
    version: "9.9.9",
    authenticate: () => LOCAL_PRINCIPAL,
    fastPath: process.env.TOOLROOM_FAST_PATH !== "off",
    ...options.ports,
    limits: { changeDebounceMs: 10, ...options.ports?.limits },
  });
  const server = createServer((request, response) => {
    if (request.url === "/healthz") response.end(JSON.stringify({ status: "ok" }));
    else void gateway.handle(request, response);
  });
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    engine,
    gateway,
    journal,
    server,
    url: `http://127.0.0.1:${port}/mcp`,
    changed: () => {
      for (const listener of listeners) listener();
    },
    close: async () => {
      await gateway.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await engine.close();
    },
  };
}

export const JSON_HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };
export const INITIALIZE = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};

/** One POST as it goes over the wire. */
export function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { ...JSON_HEADERS, ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

/** Begins a session. @returns the headers of its further requests */
export async function begin(url: string, capabilities = {}): Promise<Record<string, string>> {
  const response = await post(url, { ...INITIALIZE, params: { ...INITIALIZE.params, capabilities } });
  return { "mcp-session-id": response.headers.get("mcp-session-id") ?? "", "mcp-protocol-version": "2025-06-18" };
}

/** Params of a call whose client hears what comes before the answer. */
export const HEARS_PROGRESS = { _meta: { progressToken: "p" } };

export const buildCall = (name: string, id: number, more = {}) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: {}, ...more },
});
