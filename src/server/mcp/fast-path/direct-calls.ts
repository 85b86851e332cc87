import {
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
  SdkError,
  SdkErrorCode,
} from "@modelcontextprotocol/server";
import { isPlainObject } from "../../../lib/contract/json";
import { abortReason } from "../gateway/call-notices";

/** The JSON text of a response, in parts, or an error. */
export type CallAnswer = readonly string[] | JSONRPCErrorResponse;

export interface AnsweredCall {
  /** Never rejects. */
  answer: Promise<CallAnswer>;
  /** The client gets nothing before the answer: it asked for no progress and no log, and answers no questions. */
  isQuiet: boolean;
}

/** Answers a `tools/call` until `controller` aborts it; null for one that the SDK has to judge. */
export type CallHandler = (request: JSONRPCRequest, controller: AbortController) => AnsweredCall | null;

interface DirectCall {
  controller: AbortController;
  /** The client canceled the call or disconnected: no answer is sent. */
  isCancelled: boolean;
}

/** The calls of one peer that are answered without the SDK. */
export class DirectCalls {
  handler: CallHandler | null = null;
  readonly #running = new Map<RequestId, DirectCall>();

  /** @returns null for a message that the SDK gets. @param onEnd gets null where nothing is sent */
  take(message: JSONRPCMessage, onEnd: (id: RequestId, answer: CallAnswer | null) => void): AnsweredCall | null {
    if (this.handler === null || !isCall(message)) return null;
    const { id } = message;
    const call: DirectCall = { controller: new AbortController(), isCancelled: false };
    const answered = this.handler(message, call.controller);
    if (answered === null) return null;
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

/** A call that brings no answers. The SDK gets the others, and says what is not in order. */
function isCall(message: JSONRPCMessage): message is JSONRPCRequest {
  return isWellFormedCall(message) && !("inputResponses" in message.params) && !("requestState" in message.params);
}

/** The SDK's demands on a `tools/call`. */
export function isWellFormedCall(
  message: unknown,
): message is JSONRPCRequest & { params: NonNullable<JSONRPCRequest["params"]> } {
  if (!isPlainObject(message) || message.method !== "tools/call" || message.jsonrpc !== "2.0") return false;
  const { id, params } = message;
  if (!isKey(id) || !isPlainObject(params)) return false;
  const { _meta: meta } = params;
  return meta === undefined || (isPlainObject(meta) && (meta.progressToken === undefined || isKey(meta.progressToken)));
}

function isKey(value: unknown): value is RequestId {
  return typeof value === "string" || Number.isSafeInteger(value);
}
