import { AsyncLocalStorage } from "node:async_hooks";
import type { JSONRPCMessage, Transport, TransportSendOptions } from "@modelcontextprotocol/client";
import { AnswerLost } from "./connection-fault";
import type { InFlightCall } from "./in-flight-calls";
import { asMessage, type LooseMessage, type MessageId } from "./json-rpc";
import type { ServerLog } from "./server-log";

/** In a request's params: which of our requests it is. A symbol, so it is copied with them and never sent. */
export const REQUEST = Symbol("toolroom.request");

/** One of our requests on its way. */
export interface OutgoingRequest {
  id: MessageId | null;
  /** The result as it came; undefined until then. */
  result: unknown;
  /** Why there will be no result, where that is known better than the SDK knows it. */
  fault: Error | null;
  call: InFlightCall | null;
}

export function createOutgoingRequest(call: InFlightCall | null = null): OutgoingRequest {
  return { id: null, result: undefined, fault: null, call };
}

/** The transport inside, with the texts it has seen where it knows them. */
export type InnerTransport = Transport & { receivedText?: string; sentText?: string };

/**
 * What the SDK is given in the place of a result. It judges results by strict schemas, and on a 2026-07-28 connection even
 * those that were asked for with a loose one: one malformed tool would cost the whole list. So it sees the least that
 * passes, and the result is read as it came.
 */
const HUSKS: Readonly<Record<string, Record<string, unknown>>> = {
  "tools/call": { content: [] },
  "tools/list": { tools: [], ttlMs: 0, cacheScope: "private" },
  "resources/list": { resources: [], ttlMs: 0, cacheScope: "private" },
  "resources/templates/list": { resourceTemplates: [], ttlMs: 0, cacheScope: "private" },
  "resources/read": { contents: [], ttlMs: 0, cacheScope: "private" },
  "prompts/list": { prompts: [], ttlMs: 0, cacheScope: "private" },
  "prompts/get": { messages: [] },
};

interface Asked {
  method: string;
  /** Undefined where it is not known which of our requests it belongs to. */
  call: InFlightCall | null | undefined;
}

interface Pending {
  method: string;
  request: OutgoingRequest | null;
}

/** Stands between the SDK's client and a transport: notes each message, and knows which request an answer belongs to. */
export class ObservedTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <Message extends JSONRPCMessage>(message: Message) => void;
  /** By these two the SDK tells a process from an HTTP server. */
  declare readonly pid?: number | null;
  declare readonly stderr?: null;
  /** Whether `server/discover` was answered, however late and whatever with. */
  probeAnswered = false;

  /**
   * Hears notifications as they come, and says which ones the SDK need not see. The SDK hands them on a little later than
   * answers, so the last progress of a call would come after its end, and be dropped.
   */
  takeNotification?: (method: string, params: Record<string, unknown>) => boolean;

  readonly #inner: InnerTransport;
  readonly #log: ServerLog;
  readonly #pending = new Map<MessageId, Pending>();
  /** Requests of the server that we have not answered yet. */
  readonly #asked = new Map<MessageId, Asked>();
  /** Over HTTP: the request of ours whose stream is being read, null on the common one. Over stdio nobody can tell. */
  readonly #stream: AsyncLocalStorage<MessageId | null> | null;
  /** What broke a stream, for the request that ends with it in the same breath. */
  #streamFault: Error | null = null;
  /** Something came that is no message; whose it was may turn out later. */
  #unreadable: string | null = null;

  constructor(inner: InnerTransport, log: ServerLog, kind: "stdio" | "http") {
    this.#inner = inner;
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
    this.#inner.setProtocolVersion?.(version);
  }

  async start(): Promise<void> {
    this.#inner.onmessage = (message) => this.#receive(message as LooseMessage);
    this.#inner.onerror = (error) => this.#noteError(error);
    this.#inner.onclose = () => this.onclose?.();
    await this.#onStream(null, () => this.#inner.start());
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const sent = message as LooseMessage;
    const { id, method } = sent;
    const asks = method !== undefined && id !== undefined && id !== null;
    if (asks) this.#expect(id, method, sent);
    const sending = asks
      ? this.#onStream(id, () =>
          this.#inner.send(message, {
            ...options,
            onRequestStreamEnd: () => {
              options?.onRequestStreamEnd?.();
              this.#streamEnded(id);
            },
          }),
        )
      : this.#onStream(null, () => this.#inner.send(message, options));
    let about = method ?? null;
    if (!asks && method === undefined && id !== undefined && id !== null) {
      about = this.#asked.get(id)?.method ?? null;
      this.#asked.delete(id);
    }
    this.#log.note("sent", sent, this.#inner.sentText ?? "", about);
    return sending;
  }

  /** Ends one of our requests: its answer was lost. */
  fail(id: MessageId, fault: Error): boolean {
    const pending = this.#pending.get(id);
    if (pending === undefined) return false;
    this.#pending.delete(id);
    if (pending.request !== null) pending.request.fault = fault;
    this.#deliver({ jsonrpc: "2.0", id, error: { code: -32_000, message: fault.message } });
    return true;
  }

  /** The same for a tool call, whose id the caller does not know. */
  failCall(call: InFlightCall, fault: Error): void {
    for (const [id, { request }] of this.#pending) if (request?.call === call) this.fail(id, fault);
  }

  /** The call that a progress token was given out for; null when it is over. */
  callOf(token: unknown): InFlightCall | null {
    const id = typeof token === "string" && /^\d+$/.test(token) ? Number(token) : token;
    return this.#pending.get(id as MessageId)?.request?.call ?? null;
  }

  /** Nobody waits for this answer any more: should it come, it is late. */
  forget(request: OutgoingRequest): void {
    if (request.id !== null) this.#pending.delete(request.id);
  }

  /** The call that a request of the server came in; null for none, undefined where that cannot be told. */
  callBehind(id: MessageId): InFlightCall | null | undefined {
    return this.#asked.get(id)?.call;
  }

  has(id: MessageId): boolean {
    return this.#pending.has(id);
  }

  /** What comes on the stream that this work opens is read in the same asynchronous context, however late. */
  #onStream<Result>(id: MessageId | null, work: () => Result): Result {
    return this.#stream === null ? work() : this.#stream.run(id, work);
  }

  #callOfStream(): InFlightCall | null | undefined {
    const id = this.#stream?.getStore();
    return id === undefined || id === null ? undefined : (this.#pending.get(id)?.request?.call ?? null);
  }

  #expect(id: MessageId, method: string, message: LooseMessage): void {
    const given = (message.params as { [REQUEST]?: OutgoingRequest } | undefined)?.[REQUEST] ?? null;
    if (given !== null) given.id = id;
    this.#pending.set(id, { method, request: given });
  }

  #streamEnded(id: MessageId): void {
    if (!this.#pending.has(id)) return;
    const unreadable = this.#unreadable;
    this.#unreadable = null;
    const why =
      unreadable === null
        ? "the connection was cut before the answer came"
        : `its answer is no message of the protocol (${unreadable})`;
    this.fail(id, this.#streamFault ?? new AnswerLost(why));
  }

  #noteError(error: Error): void {
    const tooLarge = /larger than the .*/.exec(error.message)?.[0];
    if (tooLarge !== undefined) {
      this.#streamFault = new AnswerLost(`the answer is ${tooLarge}`);
      queueMicrotask(() => {
        this.#streamFault = null;
      });
    }
    if (error.name === "SyntaxError" || error.name === "ZodError") {
      this.#unreadable = this.#log.quote(error.message, 200);
    }
    this.onerror?.(error);
  }

  /** Nothing that a message makes its readers throw may end the connection, or leave a request without an end. */
  #receive(message: LooseMessage): void {
    try {
      this.#read(message);
    } catch (error) {
      const reason = String(error);
      this.#log.add("toolroom", "error", `A message of the server could not be read: ${reason}`);
      const { id, method } = message;
      if (method !== undefined || id === undefined || id === null) return;
      this.#deliver({
        jsonrpc: "2.0",
        id,
        error: { code: -32_603, message: `The answer could not be read: ${reason}` },
      });
    }
  }

  #read(message: LooseMessage): void {
    const text = this.#inner.receivedText ?? "";
    const { id, method } = message;
    if (method !== undefined) {
      if (id !== undefined && id !== null) this.#asked.set(id, { method, call: this.#callOfStream() });
      this.#log.note("received", message, text, method);
      if (method === "notifications/cancelled") this.#forgetCancelled(message);
      const taken = id === undefined && this.takeNotification?.(method, message.params ?? {}) === true;
      if (!taken) this.#deliver(message);
      return;
    }
    const pending = id === undefined || id === null ? undefined : this.#pending.get(id);
    this.#log.note("received", message, text, pending?.method ?? null);
    if (pending === undefined || id === undefined || id === null) {
      this.#log.add("toolroom", "debug", `An answer that nobody waits for (any more) was ignored: id ${String(id)}`);
      return;
    }
    if (pending.method === "server/discover") this.probeAnswered = true;
    this.#pending.delete(id);
    this.#answer(id, pending, message);
  }

  #answer(id: MessageId, { method, request }: Pending, message: LooseMessage): void {
    if (message.error !== undefined) {
      this.#deliver({ jsonrpc: "2.0", id, error: wellFormedError(message.error) });
      return;
    }
    const { result } = message;
    if (typeof result !== "object" || result === null || Array.isArray(result)) {
      const error = { code: -32_603, message: `The answer to ${method} is no object, as the protocol wants it` };
      this.#deliver({ jsonrpc: "2.0", id, error });
      return;
    }
    const { resultType } = result as { resultType?: unknown };
    if (request === null || resultType === "input_required") {
      this.#deliver(message);
      return;
    }
    request.result = result;
    const husk = Object.hasOwn(HUSKS, method) ? HUSKS[method] : {};
    this.#deliver({ jsonrpc: "2.0", id, result: resultType === undefined ? husk : { ...husk, resultType } });
  }

  #forgetCancelled(message: LooseMessage): void {
    const id = message.params?.requestId;
    if (typeof id === "string" || typeof id === "number") this.#asked.delete(id);
  }

  #deliver(message: LooseMessage): void {
    this.onmessage?.(asMessage(message));
  }
}

/** An error object without code or message would be dropped by the SDK, and its call would wait for ever. */
function wellFormedError(error: unknown): { code: number; message: string; data?: unknown } {
  const given = typeof error === "object" && error !== null ? (error as Record<string, unknown>) : {};
  const code = Number.isSafeInteger(given.code) ? (given.code as number) : -32_603;
  const message = typeof given.message === "string" ? given.message : JSON.stringify(error);
  return given.data === undefined ? { code, message } : { code, message, data: given.data };
}
