import type { ServerResponse } from "node:http";
import {
  isJSONRPCErrorResponse,
  type JSONRPCMessage,
  type MessageExtraInfo,
  type RequestId,
  type Transport,
  type TransportSendOptions,
} from "@modelcontextprotocol/server";
import { type Heartbeat, HttpExchange, SessionStream } from "./http-exchange";

/** JSON-RPC errors that HTTP has a status for when they answer a stateless request. */
const STATELESS_STATUS: ReadonlyMap<number, number> = new Map([
  [-32601, 404],
  [-32020, 400],
  [-32021, 400],
  [-32022, 400],
]);

/**
 * Streamable HTTP for one peer of an SDK server: a session of the 2025 protocols, or one stateless request. Requests keep
 * their ids; what a handler sends while it runs goes to the stream of the request it belongs to.
 */
export class HttpServerTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void;
  readonly #exchanges = new Map<RequestId, HttpExchange>();
  #stream: SessionStream | null = null;
  /** A message that nobody could hear, for the next stream; the newest of a kind is enough. */
  readonly #unheard = new Map<string, JSONRPCMessage>();
  #closed = false;

  /** @param sessionId undefined for a stateless request */
  constructor(
    private readonly heartbeat: Heartbeat,
    readonly sessionId?: string,
  ) {}

  async start(): Promise<void> {}

  get busy(): boolean {
    return this.#exchanges.size > 0 || this.#stream?.open === true;
  }

  /** Serves one POST. A batch is answered at once with all its answers. */
  receive(messages: readonly JSONRPCMessage[], batch: boolean, response: ServerResponse, streams: boolean): void {
    const requests = messages.filter(isRequest);
    if (requests.length === 0) {
      response.writeHead(202).end();
    } else {
      const { sessionId } = this;
      const exchange = new HttpExchange(response, { expected: requests.length, batch, streams, sessionId });
      this.heartbeat.add(exchange, response);
      for (const { id } of requests) this.#exchanges.set(id, exchange);
      response.once("close", () => this.#disconnected(exchange));
    }
    for (const message of messages) {
      this.onmessage?.(message);
      if ("method" in message && message.method === "notifications/cancelled")
        this.#cancelled(message.params?.requestId);
    }
  }

  /** Whether a request of this id is being answered: two at a time could not be told apart. */
  answering(id: unknown): boolean {
    return this.#exchanges.has(id as RequestId);
  }

  /** Opens the session's own stream; a client that comes back ends its earlier one. */
  listen(response: ServerResponse): void {
    this.#stream?.end();
    const stream = new SessionStream(response);
    this.#stream = stream;
    this.heartbeat.add(stream, response);
    for (const message of this.#unheard.values()) stream.push(message);
    this.#unheard.clear();
  }

  endStream(): void {
    this.#stream?.end();
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (this.#closed) return;
    if (!("method" in message)) {
      const exchange = message.id === undefined ? undefined : this.#exchanges.get(message.id);
      if (exchange === undefined || message.id === undefined) return;
      this.#exchanges.delete(message.id);
      exchange.answer(message, this.#statusOf(message));
      return;
    }
    const related = options?.relatedRequestId;
    if (related !== undefined) {
      this.#exchanges.get(related)?.push(message);
    } else if (this.#stream?.open) {
      this.#stream.push(message);
    } else if (!("id" in message)) {
      this.#unheard.set(message.method, message);
    } else {
      throw new Error(`Nobody hears '${message.method}': the client has no stream open`);
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#stream?.end();
    for (const exchange of new Set(this.#exchanges.values())) exchange.abandon();
    this.#exchanges.clear();
    this.onclose?.();
  }

  #statusOf(message: JSONRPCMessage): number {
    if (this.sessionId !== undefined || !isJSONRPCErrorResponse(message)) return 200;
    return STATELESS_STATUS.get(message.error.code) ?? 200;
  }

  /** The protocol wants no answer to what was cancelled, but the HTTP request has to end. */
  #cancelled(id: unknown): void {
    this.#exchanges.get(id as RequestId)?.drop();
    this.#exchanges.delete(id as RequestId);
  }

  /** In a session a lost connection is no cancel: the protocol has a message for that. A stateless call has nothing else. */
  #disconnected(exchange: HttpExchange): void {
    if (this.sessionId === undefined) void this.close();
    else for (const [id, open] of this.#exchanges) if (open === exchange) this.#exchanges.delete(id);
  }
}

function isRequest(message: JSONRPCMessage): message is Extract<JSONRPCMessage, { method: string; id: RequestId }> {
  return "method" in message && "id" in message && message.id !== undefined;
}
