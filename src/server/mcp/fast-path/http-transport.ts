import type { ServerResponse } from "node:http";
import {
  isJSONRPCErrorResponse,
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type MessageExtraInfo,
  type RequestId,
  SdkError,
  SdkErrorCode,
  type Transport,
  type TransportSendOptions,
} from "@modelcontextprotocol/server";
import { writeKeptParts } from "../../../lib/json/known-text";
import { isWrittenExactly, stringifyWithDigits } from "../../../lib/json/number-digits";
import { abortReason } from "../gateway/call-notices";
import { CLIENT_GONE } from "../gateway/client-interaction";
import { type Heartbeat, HttpExchange, SessionStream } from "./http-exchange";

/** The JSON text of a response, in parts, or an error. */
export type CallAnswer = readonly string[] | JSONRPCErrorResponse;

interface AnsweredCall {
  /** Never rejects. */
  answer: Promise<CallAnswer>;
  /** The client gets nothing before the answer: it asked for no progress and no log, and answers no questions. */
  isQuiet: boolean;
}

/** Answers calls without the SDK. */
export interface CallHandler {
  /** False for a message that the SDK receives. */
  takes(message: JSONRPCMessage): message is JSONRPCRequest;
  /** Answers a call until `controller` aborts it. */
  answer(request: JSONRPCRequest, controller: AbortController): AnsweredCall;
}

interface DirectCall {
  controller: AbortController;
  /** The client canceled the call or disconnected: no answer is sent. */
  isCancelled: boolean;
}

/** The calls of one peer that are answered without the SDK. */
class DirectCalls {
  handler: CallHandler | null = null;
  readonly #running = new Map<RequestId, DirectCall>();

  /** @returns null for a message that the SDK gets. @param onEnd gets null where nothing is sent */
  take(message: JSONRPCMessage, onEnd: (id: RequestId, answer: CallAnswer | null) => void): AnsweredCall | null {
    if (this.handler?.takes(message) !== true) return null;
    const { id } = message;
    const call: DirectCall = { controller: new AbortController(), isCancelled: false };
    const answered = this.handler.answer(message, call.controller);
    this.#running.set(id, call);
    void answered.answer.then((answer) => {
      if (this.#running.get(id) === call) this.#running.delete(id);
      onEnd(id, call.isCancelled ? null : answer);
    });
    return answered;
  }

  cancel(id: unknown, reason: unknown): void {
    const call = this.#running.get(id as RequestId);
    if (call === undefined) return;
    call.isCancelled = true;
    call.controller.abort(abortReason(reason));
  }

  close(): void {
    const reason = new SdkError(SdkErrorCode.ConnectionClosed, "Connection closed");
    for (const id of this.#running.keys()) this.cancel(id, reason);
  }
}

/** More than a session may subscribe to. */
const MAX_UNDELIVERED = 1100;
/** JSON-RPC errors that HTTP has a status for when they answer a stateless call. Not -32601: it is the tool's server that lacks a method. */
const STATELESS_STATUS: ReadonlyMap<number, number> = new Map([
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
  /** The calls that are answered without the SDK. */
  readonly calls = new DirectCalls();
  /** Every request until its answer is sent; null once its client is gone. */
  readonly #running = new Map<RequestId, HttpExchange | null>();
  /** Questions to the client, on the stream that they went out on. */
  readonly #questions = new Map<RequestId, HttpExchange>();
  #stream: SessionStream | null = null;
  /** Undelivered notifications for the next stream, the newest of each method. */
  readonly #undelivered = new Map<string, JSONRPCMessage>();
  /** Requests of an earlier process, by id. */
  readonly #replayed = new Map<RequestId, () => void>();
  #closed = false;

  /** @param sessionId undefined for a stateless request */
  constructor(
    private readonly heartbeat: Heartbeat,
    readonly sessionId?: string,
  ) {}

  async start(): Promise<void> {}

  get busy(): boolean {
    return this.#running.size > 0 || this.#stream?.open === true;
  }

  /** Whether a notification reaches the client at once. */
  get isListening(): boolean {
    return this.#stream?.open === true;
  }

  /** Whether a notification waits for the next stream. */
  holds(method: string): boolean {
    return this.#undelivered.has(method);
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
      for (const { id } of requests) this.#running.set(id, exchange);
      response.once("close", () => this.#disconnected(exchange));
    }
    for (const message of messages) {
      if (!("method" in message) && message.id !== undefined) this.#questions.delete(message.id);
      const call = this.calls.take(message, this.#answerCall);
      if (call === null) this.onmessage?.(message);
      else if (call.isQuiet && isRequest(message)) this.#sendHead(message.id);
      if ("method" in message && message.method === "notifications/cancelled") {
        this.calls.cancel(message.params?.requestId, message.params?.reason);
        this.#cancelled(message.params?.requestId);
      }
    }
  }

  readonly #answerCall = (id: RequestId, answer: CallAnswer | null): void => {
    if (this.#closed || answer === null) this.release(id);
    else if ("error" in answer) void this.send(answer);
    else this.#answer(id, answer);
  };

  /**
   * Sends the response headers of the session's only call while its tool runs, so that the client parses them early.
   * With concurrent calls the extra packet costs more than it saves.
   */
  #sendHead(id: RequestId): void {
    if (this.sessionId === undefined || this.#running.size > 1) return;
    setImmediate(() => this.#running.get(id)?.sendHead(id));
  }

  #answer(id: RequestId, text: readonly string[], status = 200): void {
    const exchange = this.#running.get(id);
    this.#running.delete(id);
    exchange?.answer(text, status);
  }

  /** Gives the server a request of an earlier process again, to restore its state. Resolves once it is answered. */
  replay(method: string, params: Record<string, unknown>): Promise<void> {
    return new Promise((resolve) => {
      const id = `toolroom-replay-${method}`;
      this.#replayed.set(id, resolve);
      this.onmessage?.({ jsonrpc: "2.0", id, method, params });
    });
  }

  /** Whether a request of this id runs: two at a time could not be distinguished. */
  answering(id: unknown): boolean {
    return this.#running.has(id as RequestId);
  }

  /** Whether the client of a running request has disconnected, so that its answer cannot be sent. */
  isGone(id: RequestId): boolean {
    return this.#running.get(id) === null;
  }

  /** A cancelled request has ended: nothing is sent for it, and its id is free. */
  release(id: RequestId): void {
    this.#running.delete(id);
  }

  /** Opens the session's own stream; a client that reconnects ends its earlier one. */
  listen(response: ServerResponse): void {
    this.#stream?.end();
    const stream = new SessionStream(response);
    this.#stream = stream;
    this.heartbeat.add(stream, response);
    // A session outlives its connection: the response would keep the request, the socket and their buffers, 11 kB.
    response.once("close", () => {
      if (this.#stream === stream) this.#stream = null;
    });
    for (const message of this.#undelivered.values()) stream.push(message);
    this.#undelivered.clear();
  }

  endStream(): void {
    this.#stream?.end();
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (this.#closed) return;
    if (!("method" in message)) {
      if (message.id === undefined) return;
      const replayed = this.#replayed.get(message.id);
      if (replayed !== undefined) {
        this.#replayed.delete(message.id);
        return replayed();
      }
      const text = isJSONRPCErrorResponse(message) ? writeKeptParts(message) : writeResponse(message);
      return this.#answer(message.id, [text ?? ""], this.#getStatus(message));
    }
    if (message.method === "notifications/cancelled") this.#questions.delete(message.params?.requestId as RequestId);
    const related = options?.relatedRequestId;
    if (related !== undefined) {
      this.#pushRelated(message, this.#running.get(related));
    } else if (this.#stream?.open) {
      this.#stream.push(message);
    } else if (!("id" in message)) {
      this.#keepUndelivered(message);
    } else {
      throw noStream(message.method);
    }
  }

  /** The newest of each method; of updated resources, of each resource. */
  #keepUndelivered(message: Extract<JSONRPCMessage, { method: string }>): void {
    const { uri } = (message.params ?? {}) as { uri?: unknown };
    if (this.#undelivered.size >= MAX_UNDELIVERED) return;
    this.#undelivered.set(typeof uri === "string" ? `${message.method} ${uri}` : message.method, message);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.calls.close();
    this.#stream?.end();
    for (const exchange of new Set(this.#running.values())) exchange?.abandon();
    this.#running.clear();
    this.#questions.clear();
    for (const resolve of this.#replayed.values()) resolve();
    this.#replayed.clear();
    this.onclose?.();
  }

  #getStatus(message: JSONRPCMessage): number {
    if (this.sessionId !== undefined || !isJSONRPCErrorResponse(message)) return 200;
    return STATELESS_STATUS.get(message.error.code) ?? 200;
  }

  /** The protocol forbids an answer to a cancelled request, but the HTTP request has to end. */
  #cancelled(id: unknown): void {
    if (!this.#running.has(id as RequestId)) return;
    this.#running.get(id as RequestId)?.drop();
    this.#running.set(id as RequestId, null);
  }

  #pushRelated(message: JSONRPCMessage & { method: string }, exchange: HttpExchange | null | undefined): void {
    const sent = exchange?.push(message) === true;
    if (!isRequest(message)) return;
    if (!sent || !exchange) throw noStream(message.method);
    this.#questions.set(message.id, exchange);
  }

  /**
   * In a session a lost connection cancels nothing: the protocol has a message for that. A stateless call has no other
   * way to be cancelled.
   */
  #disconnected(exchange: HttpExchange): void {
    if (this.sessionId === undefined) {
      void this.close();
      return;
    }
    for (const [id, open] of this.#running) if (open === exchange) this.#running.set(id, null);
    for (const [id, asked] of this.#questions) {
      if (asked !== exchange) continue;
      this.#questions.delete(id);
      // This error makes the console ask instead.
      this.onmessage?.({ jsonrpc: "2.0", id, error: { code: CLIENT_GONE, message: "The client disconnected" } });
    }
  }
}

const writeResponse = (message: { result: object }): string =>
  isWrittenExactly(message.result) ? stringifyWithDigits(message) : JSON.stringify(message);

function noStream(method: string): Error {
  return new Error(`'${method}' could not be sent: the client has no open stream`);
}

function isRequest(message: JSONRPCMessage): message is Extract<JSONRPCMessage, { method: string; id: RequestId }> {
  return "method" in message && "id" in message && message.id !== undefined;
}
