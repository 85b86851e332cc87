import { AsyncLocalStorage } from "node:async_hooks";
import {
  type JSONRPCMessage,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  type Transport,
  type TransportSendOptions,
} from "@modelcontextprotocol/client";
import { isPlainObject } from "../../../../lib/contract/json";
import { keepExactResult } from "../../../../lib/json/exact-text";
import { stubResult } from "../../fast-path/sdk-results";
import type { ServerLog } from "../log/server-log";
import { ResponseLostError } from "../session/connection-error";
import { getMessage, readErrorTrail } from "../session/describe-error";
import { answersProbe, checkProbeError, checkProbeRefusal, type ProbeAnswer } from "../session/protocol-evidence";
import type { RunningToolCall } from "../session/running-tool-calls";
import { refusesSession } from "../session/session-loss";
import { type LooseMessage, type MessageId, toSdkMessage } from "./json-rpc";
import { dropNulls, readRefusal } from "./normalize-message";
import { describeAbort, describeSendFailure, RequestSpans, type TracedPeer } from "./request-spans";
import { type InnerTransport, normalizeError, type OutgoingRequest, REQUEST, type SentRequest } from "./sent-request";

/** The request that distinguishes the two protocol eras. */
const PROBE = "server/discover";
const HANDSHAKES = ["initialize", PROBE];
/** Requests whose HTTP status says more than the error beside it: whether the server can be used. */
const STATUS_METHODS = ["initialize", "ping"];

interface ServerRequest {
  method: string;
  /** The answer's content before the SDK copies and rounds it. */
  content?: Readonly<Record<string, unknown>>;
  /** Undefined where the call that it belongs to is unknown. */
  call: RunningToolCall | null | undefined;
}

/** Wraps a transport for the SDK's client: records each message and matches responses with requests. */
export class ObservedTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <Message extends JSONRPCMessage>(message: Message) => void;
  /** The SDK recognizes stdio transports by these two properties. */
  declare readonly pid?: number | null;
  declare readonly stderr?: null;
  /** The server's response to `server/discover`, at any time. */
  probeAnswer: ProbeAnswer = "none";
  /** After `initialize`, no later request reveals the protocol. */
  hasSentInitialize = false;

  /**
   * Handles a notification and returns true, or leaves it to the SDK, which delivers notifications later than responses: the
   * last progress of a call would arrive after its end and be dropped.
   */
  onNotification?: (method: string, params: Record<string, unknown>) => boolean;
  /** Called with each request and notification. */
  onServerMessage?: (isRequest: boolean) => void;
  readonly #inner: InnerTransport;
  readonly #log: ServerLog;
  /** Null where telemetry is off. */
  readonly #spans: RequestSpans | null;
  readonly #pending = new Map<MessageId, SentRequest>();
  /** Requests of the server without a response yet. */
  readonly #serverRequests = new Map<MessageId, ServerRequest>();
  /** Used over HTTP: the id of the call whose stream the SDK reads. Stdio has one stream. */
  readonly #stream: AsyncLocalStorage<MessageId> | null;
  /** Why a stream broke, for the request that ends with it in the same tick. */
  #streamError: Error | null = null;
  /** Why the latest unreadable message could not be parsed; its request is known when its stream ends. */
  #unreadable: string | null = null;

  constructor(inner: InnerTransport, log: ServerLog, kind: "stdio" | "http", traced?: TracedPeer) {
    this.#inner = inner;
    this.#spans = traced === undefined ? null : new RequestSpans(traced);
    this.#log = log;
    this.#stream = kind === "http" ? new AsyncLocalStorage() : null;
    if (kind === "stdio") Object.assign(this, { pid: null, stderr: null });
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  get hasPerRequestStream(): boolean {
    return this.#inner.hasPerRequestStream === true;
  }

  setProtocolVersion(version: string): void {
    this.#spans?.setProtocol(version);
    this.#inner.setProtocolVersion?.(version);
  }

  async start(): Promise<void> {
    this.#inner.onmessage = (message) => this.#receive(message as LooseMessage);
    this.#inner.onerror = (error) => this.#noteError(error);
    this.#inner.onclose = () => this.#close();
    if ("inSdk" in this.#inner) this.#inner.inSdk = (id, work) => this.#onStream(id, work);
    await this.#inner.start();
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  #close(): void {
    this.onclose?.();
    this.#spans?.endSession();
    for (const { request, span } of this.#pending.values()) {
      span?.end({ failure: "connection_closed" });
      request?.receive?.(new SdkError(SdkErrorCode.ConnectionClosed, "Connection closed"));
    }
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const { id, method } = message as LooseMessage;
    const asks = method !== undefined && id !== undefined && id !== null;
    if (method === "initialize") this.hasSentInitialize = true;
    const sent = asks || method !== undefined ? (message as LooseMessage) : this.#withContent(message as LooseMessage);
    const sending = asks ? this.#ask(id, method, message, options) : this.#inner.send(toSdkMessage(sent), options);
    let about = method ?? null;
    if (!asks && method === undefined && id !== undefined && id !== null) {
      about = this.#serverRequests.get(id)?.method ?? null;
      this.#serverRequests.delete(id);
    }
    this.#log.recordMessage("sent", sent, this.#inner.sentText ?? "", about);
    return method === PROBE ? sending.catch((error: unknown) => this.#probeRefused(error)) : sending;
  }

  /** Keeps the content of an answer to a request of the server until it is sent. */
  noteContent(id: MessageId, content: Readonly<Record<string, unknown>>): void {
    const request = this.#serverRequests.get(id);
    if (request !== undefined) request.content = content;
  }

  /** An answer with the digits of its numbers. */
  #withContent(answer: LooseMessage): LooseMessage {
    const content = this.#serverRequests.get(answer.id ?? "")?.content;
    if (content === undefined || !isPlainObject(answer.result)) return answer;
    return { ...answer, result: { ...answer.result, content } };
  }

  #ask(
    id: MessageId,
    method: string,
    message: JSONRPCMessage,
    options: TransportSendOptions | undefined,
  ): Promise<void> {
    const { request, span } = this.#expect(id, method, message as LooseMessage);
    const onRequestStreamEnd = (): void => {
      options?.onRequestStreamEnd?.();
      this.#streamEnded(id);
    };
    const own = { ...request?.headers, ...span?.headers };
    const headers = Object.keys(own).length > 0 ? { headers: { ...options?.headers, ...own } } : undefined;
    const send = (): Promise<void> =>
      this.#inner
        .send(message, { ...options, ...headers, onRequestStreamEnd })
        .catch((error: unknown) => this.#readRefusal(id, method, error));
    // An asynchronous context slows every promise of the process down, so only the calls get one that the SDK reads.
    const isReadByInner = request?.receive && "inSdk" in this.#inner;
    const sending = request?.call && !isReadByInner ? this.#onStream(id, send) : send();
    if (span !== null) sending.catch((error: unknown) => span.end({ failure: describeSendFailure(error) }));
    return sending;
  }

  /** A JSON-RPC error that came with an HTTP status is the answer to its request, as with HTTP 200. @throws any other error */
  #readRefusal(id: MessageId, method: string, error: unknown): void {
    const { status, body, unauthorized } = readErrorTrail(error);
    const isAboutConnection = STATUS_METHODS.includes(method) || unauthorized || status === 401;
    const refusal = status === null || isAboutConnection ? null : readRefusal(body, id);
    if (refusal === null || !this.#pending.has(id)) throw error;
    const answer = normalizeError(refusal.error);
    if (method === PROBE && !answersProbe(answer)) throw error;
    if (this.sessionId !== undefined && refusesSession(status, answer, refusal.id)) throw error;
    this.#receive({ ...refusal, id });
  }

  /** The SDK takes any 4xx for an older server; a busy server is probed again later. */
  #probeRefused(error: unknown): never {
    this.probeAnswer = checkProbeRefusal(error);
    if (this.probeAnswer === "failure")
      throw new Error("The server could not answer 'server/discover'", { cause: error });
    throw error;
  }

  /** Ends a request whose response was lost. @returns false when it is not pending */
  failRequest(id: MessageId, error: Error): boolean {
    const pending = this.#pending.get(id);
    if (pending === undefined) return false;
    this.#pending.delete(id);
    if (pending.request !== null) pending.request.error = error;
    pending.span?.end({ failure: error.name });
    this.#respond(pending, { jsonrpc: "2.0", id, error: { code: -32_000, message: error.message } });
    return true;
  }

  failCall(call: RunningToolCall, error: Error): void {
    for (const [id, { request }] of this.#pending) if (request?.call === call) this.failRequest(id, error);
  }

  /** The call that a progress token was issued for; null when it is over. */
  findCallOfToken(token: unknown): RunningToolCall | null {
    const id = typeof token === "string" && /^\d+$/.test(token) ? Number(token) : token;
    return this.#pending.get(id as MessageId)?.request?.call ?? null;
  }

  /** A response that arrives after this is late. */
  forgetRequest(request: OutgoingRequest): void {
    if (request.id === null) return;
    this.#pending.get(request.id)?.span?.end({ failure: describeAbort(request.call?.context.signal) });
    this.#pending.delete(request.id);
  }

  /** The call that a request of the server belongs to; null for none, undefined where that is unknown. */
  findCallOfRequest(id: MessageId): RunningToolCall | null | undefined {
    return this.#serverRequests.get(id)?.call;
  }

  isPending(id: MessageId): boolean {
    return this.#pending.has(id);
  }

  /** Messages on a stream that `work` opens are read in the same asynchronous context. */
  #onStream<Result>(id: MessageId, work: () => Result): Result {
    return this.#stream === null ? work() : this.#stream.run(id, work);
  }

  #callOfStream(): RunningToolCall | null | undefined {
    const id = this.#inner.receivedOn ?? this.#stream?.getStore();
    return id === undefined ? undefined : (this.#pending.get(id)?.request?.call ?? null);
  }

  #expect(id: MessageId, method: string, message: LooseMessage): SentRequest {
    const request = (message.params as { [REQUEST]?: OutgoingRequest } | undefined)?.[REQUEST] ?? null;
    if (request !== null) request.id = id;
    const span = this.#spans?.start({ id, method, params: message.params }, this.sessionId) ?? null;
    this.#pending.set(id, { method, request, span });
    return { method, request, span };
  }

  #streamEnded(id: MessageId): void {
    if (!this.#pending.has(id)) return;
    const unreadable = this.#unreadable;
    this.#unreadable = null;
    const why =
      unreadable === null
        ? "it ended its response before the answer came"
        : `its response is not a protocol message (${unreadable})`;
    this.failRequest(id, this.#streamError ?? new ResponseLostError(why));
  }

  #noteError(error: Error): void {
    const tooLarge = /larger than the .*/.exec(error.message)?.[0];
    const isCut = error.message.startsWith("SSE stream disconnected");
    if (tooLarge !== undefined || isCut) {
      this.#streamError = new ResponseLostError(
        tooLarge === undefined ? "the connection was cut before the answer came" : `the answer is ${tooLarge}`,
      );
      queueMicrotask(() => {
        this.#streamError = null;
      });
    }
    if (error.name === "SyntaxError" || error.name === "ZodError") {
      this.#unreadable = this.#log.quote(getMessage(error), 200);
    }
    this.onerror?.(error);
  }

  /** An exception while reading a message must neither end the connection nor leave a request without a response. */
  #receive(message: LooseMessage): void {
    const id = this.#findRequestId(message);
    const pending = this.#pending.get(id ?? "");
    try {
      this.#read(id === message.id ? message : { ...message, id });
    } catch (error) {
      const reason = getMessage(error);
      this.#log.add("toolroom", "error", `A message of the server could not be read: ${reason}`);
      const { method } = message;
      if (method !== undefined || id === undefined || id === null) return;
      pending?.span?.end({ failure: "unreadable" });
      const said = { code: -32_603, message: `The answer could not be read: ${reason}` };
      this.#respond(pending, { jsonrpc: "2.0", id, error: said });
    }
  }

  /** The id of the request that a message answers, which some servers write in another type; an error without one concerns the only request. */
  #findRequestId({ id, method, error }: LooseMessage): LooseMessage["id"] {
    if (method !== undefined || this.#pending.has(id ?? "")) return id;
    if (id === null || id === undefined) {
      const [only, ...others] = this.#pending.keys();
      return error !== undefined && others.length === 0 ? (only ?? id) : id;
    }
    const other = typeof id === "number" ? String(id) : /^\d{1,15}$/.test(id) ? Number(id) : id;
    return this.#pending.has(other) ? other : id;
  }

  #read(message: LooseMessage): void {
    const text = this.#inner.receivedText ?? "";
    const { id, method } = message;
    if (method !== undefined) {
      this.onServerMessage?.(id !== undefined);
      if (id !== undefined && id !== null) this.#serverRequests.set(id, { method, call: this.#callOfStream() });
      this.#log.recordMessage("received", message, text, method);
      if (method === "notifications/cancelled") this.#forgetCancelled(message);
      if (method === "ping" && id !== undefined && id !== null) return void this.#answerPing(id);
      if (id !== undefined || this.onNotification?.(method, message.params ?? {}) !== true) this.#deliver(message);
      return;
    }
    const pending = id === undefined || id === null ? undefined : this.#pending.get(id);
    this.#log.recordMessage("received", message, text, pending?.method ?? null);
    if (pending === undefined || id === undefined || id === null) {
      this.#log.add("toolroom", "debug", `A response to no pending request was ignored: id ${String(id)}`);
      return;
    }
    if (pending.method === PROBE) {
      this.probeAnswer = message.error === undefined ? "proof" : checkProbeError(message.error);
    }
    this.#pending.delete(id);
    this.#answer(id, pending, message);
  }

  /** Answers pings in every protocol, since the SDK does not do so in the stateless one. */
  #answerPing(id: MessageId): void {
    this.send(toSdkMessage({ jsonrpc: "2.0", id, result: {} })).catch((error: unknown) =>
      this.#noteError(error as Error),
    );
  }

  #answer(id: MessageId, pending: SentRequest, message: LooseMessage): void {
    const { method, request, span } = pending;
    if (message.error !== undefined) {
      const error = normalizeError(message.error);
      const dataText = this.#inner.takeResultText?.(id);
      if (dataText !== undefined) keepExactResult(error.data, dataText);
      span?.end({ error });
      // The SDK's own classes of errors keep a part of the data.
      if (request !== null && request.receive === null)
        request.error = new ProtocolError(error.code, error.message, error.data);
      return void this.#respond(pending, { jsonrpc: "2.0", id, error });
    }
    const { result } = message;
    span?.end({ result });
    if (typeof result !== "object" || result === null || Array.isArray(result)) {
      const error = { code: -32_603, message: `The answer to ${method} is not an object` };
      this.#respond(pending, { jsonrpc: "2.0", id, error });
      return;
    }
    const resultText = this.#inner.takeResultText?.(id);
    if (resultText !== undefined) keepExactResult(result, resultText);
    if (HANDSHAKES.includes(method)) return void this.#deliver({ jsonrpc: "2.0", id, result: dropNulls(result) });
    if (request?.receive) return void request.receive(message);
    const { resultType } = result as { resultType?: unknown };
    if (request === null || resultType === "input_required") return void this.#deliver(message);
    request.result = result;
    this.#deliver({ jsonrpc: "2.0", id, result: stubResult(method, resultType) });
  }

  #forgetCancelled(message: LooseMessage): void {
    const id = message.params?.requestId;
    if (typeof id === "string" || typeof id === "number") this.#serverRequests.delete(id);
  }

  #respond(pending: SentRequest | undefined, response: LooseMessage): void {
    if (pending?.request?.receive) pending.request.receive(response);
    else this.#deliver(response);
  }

  #deliver(message: LooseMessage): void {
    this.onmessage?.(toSdkMessage(message));
  }
}
