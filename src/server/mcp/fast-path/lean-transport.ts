import {
  type JSONRPCMessage,
  PROTOCOL_VERSION_META_KEY,
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
  type TransportSendOptions,
} from "@modelcontextprotocol/client";
import { isPlainObject } from "../../../lib/contract/json";
import { isBeyondLimits } from "../../../lib/json/limits";
import type { OutgoingResponse } from "../../platform/outgoing/outgoing-response";
import type { Inflow } from "../client/transport/inflow";
import { isLooseMessage, type LooseMessage, type MessageId, toSdkMessage } from "../client/transport/json-rpc";
import type { NodeFetch } from "../client/transport/node-fetch";
import { adoptBody, adoptResponse } from "../client/transport/normalize-message";
import { CONTEXT_HEADERS } from "../client/transport/request-spans";
import { CUT, readAll, tooLarge } from "../client/transport/response-body";
import { EventSplitter, formatEvent, type StreamEvent } from "./event-splitter";
import { joinForWriting, toLoggedText, toMessageText } from "./long-text";
import { readPaced } from "./paced-reading";
import { parseMessage } from "./parse-message";

export interface LeanTransportOptions extends StreamableHTTPClientTransportOptions {
  requests: Pick<NodeFetch, "post" | "hand" | "sendExact">;
  /** Limit of a whole body, or of one event of a stream. */
  maxBytes: number;
  /** Returns a promise that delays the next read. Default: no delay. */
  pause?: Inflow["pause"] | undefined;
  /** The access token of a signed-in connection; absent where the settings have no OAuth. */
  token?: (() => Promise<string | undefined>) | undefined;
}

const JSON_TYPE = "application/json";
const STREAM_TYPE = "text/event-stream";
/** Names that a header can contain unchanged; the SDK encodes others. */
const PLAIN_NAME = /^[\w./-]+$/;
/** Other headers repeat arguments, which the SDK encodes. */
const PLAIN_HEADERS: ReadonlySet<string> = new Set(CONTEXT_HEADERS);

interface LeanCall {
  id: MessageId;
  message: JSONRPCMessage;
  options: TransportSendOptions | undefined;
  /** The response to the call was delivered. */
  answered: boolean;
}

/**
 * The SDK's Streamable HTTP transport, with `tools/call` read from the socket's bytes instead of through web streams. What
 * is not the plain answer to a call (a refusal, a redirect, a stream that can be resumed) is handed to the SDK unread.
 */
export class LeanHttpTransport extends StreamableHTTPClientTransport {
  /** The text of the message that is being delivered, and of the one that was sent last; empty for the SDK's, and for a long one that was sent. */
  receivedText = "";
  sentText = "";
  /** The request on whose stream the current message arrived; undefined for the SDK's. */
  receivedOn: MessageId | undefined;
  inSdk: (<Result>(id: MessageId, work: () => Result) => Result) | undefined = undefined;
  readonly #target: URL;
  readonly #options: LeanTransportOptions;
  readonly #closing = new AbortController();

  constructor(url: URL, options: LeanTransportOptions) {
    super(url, options);
    this.#target = url;
    this.#options = options;
  }

  override close(): Promise<void> {
    this.#closing.abort();
    return super.close();
  }

  override send(message: JSONRPCMessage | JSONRPCMessage[], options?: TransportSendOptions): Promise<void> {
    this.sentText = "";
    const { id, method, params } = message as LooseMessage;
    if (method === undefined && !Array.isArray(message)) {
      return this.#options.requests.sendExact(message as LooseMessage, () => super.send(message, options));
    }
    if (method !== "tools/call" || id === undefined || id === null || options?.resumptionToken !== undefined) {
      return super.send(message as JSONRPCMessage, options);
    }
    const headers = this.#buildHeaders(params ?? {}, options);
    if (headers === null) return this.#sendBySdk(id, message as JSONRPCMessage, options);
    const text = toMessageText(message as LooseMessage);
    this.sentText = toLoggedText(text);
    return this.#call(
      { id, message: message as JSONRPCMessage, options, answered: false },
      headers,
      joinForWriting(text),
    );
  }

  /** Null where the SDK has to write them. */
  #buildHeaders(
    params: Record<string, unknown>,
    options: TransportSendOptions | undefined,
  ): Record<string, string> | null {
    const given = options?.headers ?? {};
    if (Object.keys(given).some((name) => !PLAIN_HEADERS.has(name))) return null;
    const headers: Record<string, string> = {
      ...given,
      "content-type": JSON_TYPE,
      accept: `${JSON_TYPE}, ${STREAM_TYPE}`,
    };
    if (this.sessionId !== undefined) headers["mcp-session-id"] = this.sessionId;
    const version = isPlainObject(params._meta) ? params._meta[PROTOCOL_VERSION_META_KEY] : undefined;
    if (typeof version !== "string") {
      if (this.protocolVersion !== undefined) headers["mcp-protocol-version"] = this.protocolVersion;
      return headers;
    }
    const { name } = params;
    if (typeof name !== "string" || !PLAIN_NAME.test(name)) return null;
    return Object.assign(headers, { "mcp-protocol-version": version, "mcp-method": "tools/call", "mcp-name": name });
  }

  async #call(call: LeanCall, headers: Record<string, string>, body: string | Buffer): Promise<void> {
    const { requestSignal } = call.options ?? {};
    const closing = this.#closing.signal;
    const signal = requestSignal === undefined ? closing : AbortSignal.any([closing, requestSignal]);
    let response: OutgoingResponse;
    try {
      const token = this.#options.token === undefined ? undefined : await this.#options.token();
      if (token) headers.authorization = `Bearer ${token}`;
      response = await this.#options.requests.post(this.#target, { headers, body, signal });
    } catch (error) {
      if (requestSignal?.aborted !== true) this.onerror?.(error as Error);
      throw error;
    }
    const { "content-type": type = "" } = response.headers;
    const mediaType = type.split(";", 1)[0]?.trim().toLowerCase();
    if (response.statusCode !== 200) return this.#handToSdk(call, response);
    if (mediaType === STREAM_TYPE) return this.#readStream(call, response, signal);
    if (mediaType !== JSON_TYPE) return this.#handToSdk(call, response);
    try {
      const text = (await readAll(response, this.#options.maxBytes)).toString("utf8");
      const parsed = parseMessage(text);
      const value = adoptBody(parsed instanceof Promise ? await parsed : parsed, call.id);
      if (!Array.isArray(value)) this.#deliver(call, value, text);
      else for (const message of value) this.#deliver(call, message, "");
    } catch (error) {
      if (requestSignal?.aborted !== true) this.onerror?.(error as Error);
      throw error;
    }
  }

  /** The SDK receives this response to its own request, and continues with it. */
  #handToSdk({ id, message, options }: LeanCall, response: OutgoingResponse): Promise<void> {
    const discard = this.#options.requests.hand(JSON.stringify(message), response);
    return this.#sendBySdk(id, message, options).finally(discard);
  }

  #sendBySdk(id: MessageId, message: JSONRPCMessage, options: TransportSendOptions | undefined): Promise<void> {
    const send = (): Promise<void> =>
      this.#options.requests.sendExact(message as LooseMessage, () => super.send(message, options));
    return this.inSdk === undefined ? send() : this.inSdk(id, send);
  }

  #readStream(call: LeanCall, response: OutgoingResponse, signal: AbortSignal): void {
    const splitter = new EventSplitter();
    const { maxBytes } = this.#options;
    let ended = false;
    const end = (error: Error | null): void => {
      if (ended) return;
      ended = true;
      if (signal.aborted) return;
      if (error !== null) this.onerror?.(new Error(`SSE stream disconnected: ${error}`));
      call.options?.onRequestStreamEnd?.();
    };
    const handOver = (event: StreamEvent, rest: Buffer): void => {
      ended = true;
      stopReading();
      response.pause();
      response.unshift(Buffer.concat([Buffer.from(formatEvent(event)), rest]));
      this.#handToSdk(call, response).catch(() => call.options?.onRequestStreamEnd?.());
    };
    const read = (chunk: Buffer, from: number): Promise<void> | null => {
      for (let at = from; at < chunk.length && !ended; ) {
        const { event, end: next } = splitter.next(chunk, at);
        at = next;
        if (event === null) break;
        // Hands the stream to the SDK, which alone can resume it, unless the answer has arrived.
        if ((event.id !== null || event.retry !== null) && !call.answered && !holdsAnswer(event)) {
          handOver(event, chunk.subarray(at));
          return null;
        }
        const delivered = this.#readEvent(call, event) ?? this.#options.pause?.() ?? null;
        if (delivered !== null) return delivered.then(() => read(chunk, at) ?? undefined);
      }
      if (ended || splitter.pendingBytes <= maxBytes) return null;
      response.destroy();
      end(tooLarge(maxBytes));
      return null;
    };
    const stopReading = readPaced(response, (chunk) => (ended ? null : read(chunk, 0)));
    response.on("end", () => {
      const last = ended ? null : splitter.takeLast();
      const reading = last === null ? null : this.#readEvent(call, last);
      if (reading === null) end(null);
      else void reading.then(() => end(null));
    });
    response.on("error", (error) => end(error));
    response.on("close", () => {
      if (!ended) end(new Error(CUT));
    });
  }

  /** A promise where the event is so long that it is parsed in slices. */
  #readEvent(call: LeanCall, { data, event }: StreamEvent): Promise<void> | null {
    if (data === null || data === "" || (event !== null && event !== "" && event !== "message")) return null;
    const fail = (error: unknown): void => {
      if (isBeyondLimits(error)) {
        const dropped = { code: -32_603, message: `The answer was dropped: ${error.message}` };
        this.#deliver(call, { jsonrpc: "2.0", id: call.id, error: dropped }, "");
      } else this.onerror?.(error as Error);
    };
    try {
      const value = parseMessage(data);
      if (value instanceof Promise) return value.then((parsed) => this.#deliver(call, parsed, data)).catch(fail);
      this.#deliver(call, value, data);
    } catch (error) {
      fail(error);
    }
    return null;
  }

  /** @throws SyntaxError for a text that is not a message */
  #deliver(call: LeanCall, value: unknown, text: string): void {
    const read = adoptResponse(value, call.id);
    if (!isLooseMessage(read)) throw new SyntaxError("it is not a JSON-RPC message");
    const message = toSdkMessage(read);
    if (!("method" in message)) call.answered = true;
    this.receivedText = text;
    this.receivedOn = call.id;
    try {
      this.onmessage?.(message);
    } finally {
      this.receivedText = "";
      this.receivedOn = undefined;
    }
  }
}

function holdsAnswer({ data }: StreamEvent): boolean {
  return data !== null && /^\s*\{/.test(data) && /"(?:result|error)"\s*:/.test(data) && !/"method"\s*:/.test(data);
}
