import type { Transport } from "@modelcontextprotocol/client";
import type { RunningToolCall } from "../session/running-tool-calls";
import type { LooseMessage, MessageId } from "./json-rpc";
import type { RequestSpan } from "./request-spans";

/** Key of the `OutgoingRequest` in a request's params. A symbol is copied with the params and never serialized. */
export const REQUEST = Symbol("toolroom.request");

/** A request of Toolroom that waits for its response. */
export interface OutgoingRequest {
  id: MessageId | null;
  /** The result as received; undefined until then. */
  result: unknown;
  /** Why there is no result, where Toolroom knows more than the SDK. */
  error: Error | null;
  call: RunningToolCall | null;
  /** Headers that are added to those of the SDK, or replace them. */
  headers?: Readonly<Record<string, string>>;
  /** Gets the response, or why none will come; null where the SDK sent the request and gets it. */
  receive: ((response: LooseMessage | Error) => void) | null;
}

/** A request that waits for its response, sent by Toolroom or by the SDK. */
export interface SentRequest {
  method: string;
  /** Null for one of the SDK's own. */
  request: OutgoingRequest | null;
  /** Null where telemetry is off. */
  span: RequestSpan | null;
}

/** The wrapped transport; one that keeps the texts of messages shares them. */
export type InnerTransport = Transport & {
  receivedText?: string;
  sentText?: string;
  /** The text of the result of a response that the SDK has parsed. */
  takeResultText?(id: MessageId): string | undefined;
  /** The request on whose stream a message came, where the transport knows it. */
  receivedOn?: MessageId | undefined;
  /** Set by the wrapper of a transport that reads calls itself: runs what makes the SDK read one instead. */
  inSdk?: (<Result>(id: MessageId, work: () => Result) => Result) | undefined;
};

export function createOutgoingRequest(call: RunningToolCall | null = null): OutgoingRequest {
  return { id: null, result: undefined, error: null, call, receive: null };
}

/** The SDK drops an error without code or message, and its call would wait forever. */
export function normalizeError(error: unknown): { code: number; message: string; data?: unknown } {
  const given = typeof error === "object" && error !== null ? (error as Record<string, unknown>) : {};
  const code = Number.isSafeInteger(given.code) ? (given.code as number) : -32_603;
  const message = typeof given.message === "string" ? given.message : JSON.stringify(error);
  return given.data === undefined ? { code, message } : { code, message, data: given.data };
}
