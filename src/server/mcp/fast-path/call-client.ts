import {
  Client,
  type ClientOptions,
  type Implementation,
  type JSONRPCMessage,
  ProtocolError,
  SdkError,
  SdkErrorCode,
} from "@modelcontextprotocol/client";
import type { LooseMessage, MessageId } from "../client/transport/json-rpc";
import { ObservedTransport } from "../client/transport/observed-transport";
import { type OutgoingRequest, REQUEST } from "../client/transport/sent-request";
import { ANY_RESULT, CALL_OPTIONS } from "./sdk-results";

/** The SDK counts its requests from 0. Within 32 bits, since some servers read ids as such numbers. */
const FIRST_CALL_ID = 1_000_000_000;

/**
 * The SDK's client, with a `tools/call` that does not use `Client.request`, which costs as much as the rest of a short
 * call. The SDK still handles the handshake, lists, notifications and requests of the server (decision 0006).
 */
export class CallClient extends Client {
  readonly #fastPath: boolean;
  #nextId = FIRST_CALL_ID;

  /** @param options.fastPath false: calls are requests of the SDK */
  constructor(info: Implementation, { fastPath, ...options }: ClientOptions & { fastPath: boolean }) {
    super(info, options);
    this.#fastPath = fastPath;
  }

  /**
   * Resolves to the result as received, which may request input. Has no timeout. An abort cancels the call on the server.
   * @param params are completed, not copied
   */
  call(request: OutgoingRequest, params: Record<string, unknown>, signal: AbortSignal): Promise<unknown> {
    if (!this.#fastPath) {
      const outgoing = { method: "tools/call", params: { ...params, [REQUEST]: request } };
      return this.request(outgoing, ANY_RESULT, { ...CALL_OPTIONS, signal });
    }
    const { transport } = this;
    if (!(transport instanceof ObservedTransport)) return Promise.reject(new Error("Not connected"));
    const id = this.#nextId++;
    const envelope = this._outboundMetaEnvelope();
    params._meta = { ...envelope, ...(params._meta as object | undefined), progressToken: id };
    (params as { [REQUEST]?: OutgoingRequest })[REQUEST] = request;
    const message = { jsonrpc: "2.0", id, method: "tools/call", params } as JSONRPCMessage;
    // In the stateless protocol, ending the request cancels it.
    const stream = envelope !== undefined && transport.hasPerRequestStream ? new AbortController() : null;
    return new Promise((resolve, reject) => {
      const end = (): void => signal.removeEventListener("abort", onAbort);
      const fail = (error: unknown): void => {
        end();
        reject(error);
      };
      const onAbort = (): void => {
        request.receive = ignore;
        if (stream !== null) stream.abort();
        else this.#cancel(transport, id, signal.reason);
        fail(new SdkError(SdkErrorCode.RequestTimeout, String(signal.reason)));
      };
      request.receive = (response) => {
        end();
        if (response instanceof Error) return reject(response);
        try {
          resolve(this.#readResponse(response));
        } catch (error) {
          reject(error);
        }
      };
      if (signal.aborted) return fail(new SdkError(SdkErrorCode.RequestTimeout, String(signal.reason)));
      signal.addEventListener("abort", onAbort, { once: true });
      transport.send(message, stream === null ? undefined : { requestSignal: stream.signal }).catch(fail);
    });
  }

  /** @throws the server's error, or what the SDK says of a result that its protocol does not know */
  #readResponse({ error, result }: LooseMessage): unknown {
    if (error !== undefined) {
      const { code, message, data } = error as { code: number; message: string; data?: unknown };
      // The SDK's own classes of errors keep a part of the data.
      throw new ProtocolError(code, message, data);
    }
    const { resultType } = result as { resultType?: unknown };
    const isModern = this._outboundMetaEnvelope() !== undefined;
    // A server of the older protocol has results of one type; the SDK knows nothing of tasks.
    if (isModern ? resultType === "task" : resultType === undefined) return result;
    const asksInput = resultType === "input_required";
    // Content is read by Toolroom: the SDK's schema would reject a result for one block of an unknown type.
    const decoded = this._wireCodec().decodeResult("tools/call", asksInput ? result : { content: [], resultType });
    switch (decoded.kind) {
      case "invalid":
        throw decoded.error;
      case "input_required":
        return { ...decoded, resultType };
      case "complete":
        return asksInput ? decoded.result : result;
    }
  }

  #cancel(transport: ObservedTransport, requestId: MessageId, reason: unknown): void {
    const params = { requestId, reason: String(reason) };
    const envelope = this._outboundMetaEnvelope();
    const all = envelope === undefined ? params : { ...params, _meta: envelope };
    transport.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: all }).catch((error: unknown) => {
      this.onerror?.(new Error(`Failed to send cancellation: ${String(error)}`));
    });
  }
}

/** Handles a response that arrives after the cancellation. */
function ignore(): void {}
