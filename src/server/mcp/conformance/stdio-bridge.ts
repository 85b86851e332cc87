import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { isPlainObject } from "../../../lib/contract/json";
import { DEFAULT_LIMITS } from "../client/connection/connection-limits";
import type { StdioCommand } from "../client/transport/spawn-command";
import { StdioTransport } from "../client/transport/stdio-transport";
import { type LoopbackServer, readBody, startLoopbackServer } from "./loopback-server";

type Message = Record<string, unknown>;
type Id = string | number;

/** Processes of one run at the same time: each session has one. */
const MAX_PROCESSES = 8;

interface PendingCall {
  id: Id;
  response: ServerResponse;
}

/** One process, and the requests that wait for it. */
class BridgedProcess {
  readonly #transport: StdioTransport;
  readonly #pending = new Map<Id, PendingCall>();
  /** The stream of what belongs to no request; null while none is open. */
  #stream: ServerResponse | null = null;
  #lastId = 0;

  constructor(command: StdioCommand, onStderr: (line: string) => void) {
    this.#transport = new StdioTransport(command, DEFAULT_LIMITS, {
      stderr: onStderr,
      noise: () => undefined,
      oversized: () => undefined,
    });
    this.#transport.onmessage = (message) => this.#receive(message as unknown as Message);
    this.#transport.onclose = () => this.#end();
  }

  start(): Promise<void> {
    return this.#transport.start();
  }

  /** Answers with an event stream that ends with the response. */
  async request(message: Message, response: ServerResponse, session: string | null): Promise<void> {
    this.#lastId += 1;
    const id = message.id as Id;
    // Ids of several clients meet in one process; their type stays.
    const sentId = typeof id === "number" ? this.#lastId : `bridge-${this.#lastId}`;
    this.#pending.set(sentId, { id, response });
    response.once("close", () => this.#pending.delete(sentId));
    response.writeHead(200, {
      "content-type": "text/event-stream",
      "cache-control": "no-cache",
      ...(session !== null && { "mcp-session-id": session }),
    });
    response.flushHeaders();
    await this.send({ ...message, id: sentId });
  }

  async send(message: Message): Promise<void> {
    await this.#transport.send(message as unknown as JSONRPCMessage);
  }

  listen(response: ServerResponse): void {
    this.#stream?.end();
    this.#stream = response;
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
    response.flushHeaders();
    response.once("close", () => {
      if (this.#stream === response) this.#stream = null;
    });
  }

  async close(): Promise<void> {
    await this.#transport.close();
    this.#end();
  }

  #receive(message: Message): void {
    const isResponse = !("method" in message);
    const call = isResponse ? this.#pending.get(message.id as Id) : undefined;
    if (call !== undefined) {
      writeEvent(call.response, { ...message, id: call.id });
      call.response.end();
      return;
    }
    // What a server sends while it works belongs to the newest request.
    const target = [...this.#pending.values()].at(-1)?.response ?? this.#stream;
    if (!isResponse && target !== null) writeEvent(target, message);
  }

  #end(): void {
    for (const { response } of this.#pending.values()) response.end();
    this.#stream?.end();
  }
}

function writeEvent(response: ServerResponse, message: Message): void {
  if (!response.writableEnded) response.write(`data: ${JSON.stringify(message)}\n\n`);
}

/**
 * Serves a program over HTTP: each `initialize` starts a process of its own, and requests without a session share one.
 * Messages pass as they are, except for the ids of requests.
 */
export async function startStdioBridge(
  command: StdioCommand,
  onStderr: (line: string) => void,
): Promise<LoopbackServer> {
  const sessions = new Map<string, BridgedProcess>();
  let shared: BridgedProcess | null = null;

  async function open(): Promise<BridgedProcess> {
    const process = new BridgedProcess(command, onStderr);
    await process.start();
    return process;
  }

  async function end(id: string): Promise<void> {
    const process = sessions.get(id);
    sessions.delete(id);
    await process?.close();
  }

  async function openSession(): Promise<{ id: string; process: BridgedProcess }> {
    const [oldest] = sessions.keys();
    // Clients of the suite leave without a word.
    if (sessions.size >= MAX_PROCESSES && oldest !== undefined) await end(oldest);
    const id = randomUUID();
    const process = await open();
    sessions.set(id, process);
    return { id, process };
  }

  async function post(request: IncomingMessage, response: ServerResponse, session: string | null): Promise<void> {
    const message = parseMessage(await readBody(request));
    if (message === null) return void response.writeHead(400).end();
    if (message.method === "initialize") {
      const opened = await openSession();
      return await opened.process.request(message, response, opened.id);
    }
    shared ??= session === null ? await open() : null;
    const process = session === null ? shared : sessions.get(session);
    if (process === undefined || process === null) return void response.writeHead(404).end();
    if ("method" in message && "id" in message) return await process.request(message, response, null);
    await process.send(message);
    response.writeHead(202).end();
  }

  const server = await startLoopbackServer(async (request, response) => {
    const header = request.headers["mcp-session-id"];
    const session = typeof header === "string" ? header : null;
    if (request.method === "POST") return await post(request, response, session);
    const process = sessions.get(session ?? "");
    if (process === undefined) return void response.writeHead(session === null ? 405 : 404).end();
    if (request.method === "GET") return process.listen(response);
    await end(session ?? "");
    response.writeHead(200).end();
  });
  return {
    url: server.url,
    async close() {
      await Promise.all([...sessions.keys()].map(end));
      await shared?.close();
      await server.close();
    },
  };
}

function parseMessage(text: string): Message | null {
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) ? value : null;
  } catch {
    return null;
  }
}
