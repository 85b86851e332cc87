import { AsyncLocalStorage } from "node:async_hooks";
import {
  type JSONRPCMessage,
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
import { judgeProbeError, judgeProbeRefusal, type ProbeAnswer } from "../session/protocol-evidence";
import type { RunningToolCall } from "../session/running-tool-calls";
import { type LooseMessage, type MessageId, toSdkMessage } from "./json-rpc";
import { describeAbort, describeSendFailure, RequestSpans, type TracedPeer } from "./request-spans";
import { type InnerTransport, normalizeError, type OutgoingRequest, REQUEST, type SentRequest } from "./sent-request";

/** The request that tells the two protocol eras apart. */
const PROBE = "server/discover";

interface ServerRequest {
  method: string;
  /** What the SDK copies and rounds, as it was answered. */
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
  /** The server's response to `server/discover`, however late. */
  probeAnswer: ProbeAnswer = "none";

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
  /** Over HTTP: the id of the call whose stream the SDK reads. Stdio has one stream. */
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
    const send = (): Promise<void> => this.#inner.send(message, { ...options, ...headers, onRequestStreamEnd });
    // An asynchronous context slows every promise of the process down, so only the calls get one that the SDK reads.
    const isReadByInner = request?.receive && "inSdk" in this.#inner;
    const sending = request?.call && !isReadByInner ? this.#onStream(id, send) : send();
    if (span !== null) sending.catch((error: unknown) => span.end({ failure: describeSendFailure(error) }));
    return sending;
  }

  /** The SDK takes any 4xx for an older server; a busy server is probed again later. */
  #probeRefused(error: unknown): never {
    this.probeAnswer = judgeProbeRefusal(error);
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
        ? "the connection was cut before the answer came"
        : `its response is not a protocol message (${unreadable})`;
    this.failRequest(id, this.#streamError ?? new ResponseLostError(why));
  }

  #noteError(error: Error): void {
    const tooLarge = /larger than the .*/.exec(error.message)?.[0];
    if (tooLarge !== undefined) {
      this.#streamError = new ResponseLostError(`the answer is ${tooLarge}`);
      queueMicrotask(() => {
        this.#streamError = null;
      });
    }
    if (error.name === "SyntaxError" || error.name === "ZodError") {
      this.#unreadable = this.#log.quote(error.message, 200);
    }
    this.onerror?.(error);
  }

  /** An exception while reading a message must neither end the connection nor leave a request without a response. */
  #receive(message: LooseMessage): void {
    const pending = this.#pending.get(message.id ?? "");
    try {
      this.#read(message);
    } catch (error) {
      const reason = String(error);
      this.#log.add("toolroom", "error", `A message of the server could not be read: ${reason}`);
      const { id, method } = message;
      if (method !== undefined || id === undefined || id === null) return;
      pending?.span?.end({ failure: "unreadable" });
      const said = { code: -32_603, message: `The answer could not be read: ${reason}` };
      this.#respond(pending, { jsonrpc: "2.0", id, error: said });
    }
  }

  #read(message: LooseMessage): void {
    const text = this.#inner.receivedText ?? "";
    const { id, method } = message;
    if (method !== undefined) {
      this.onServerMessage?.(id !== undefined);
      if (id !== undefined && id !== null) this.#serverRequests.set(id, { method, call: this.#callOfStream() });
      this.#log.recordMessage("received", message, text, method);
      if (method === "notifications/cancelled") this.#forgetCancelled(message);
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
      this.probeAnswer = message.error === undefined ? "proof" : judgeProbeError(message.error);
    }
    this.#pending.delete(id);
    this.#answer(id, pending, message);
  }

  #answer(id: MessageId, pending: SentRequest, message: LooseMessage): void {
    const { method, request, span } = pending;
    if (message.error !== undefined) {
      const error = normalizeError(message.error);
      const dataText = this.#inner.takeResultText?.(id);
      if (dataText !== undefined) keepExactResult(error.data, dataText);
      span?.end({ error });
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
