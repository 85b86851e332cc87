import type {
  ChatErrorKind,
  ChatMessage,
  ChatOptions,
  ChatResponse,
  ChatResponseUpdate,
  ChatTool,
} from "../../../lib/contract/chat";
import type { ModelPrice, ModelProviderKind } from "../../../lib/contract/model";
import type { Provider } from "../../../lib/contract/tool-definition";
import type { ExecutionLimits } from "../ports";

/** The limits of reading a model's response. */
export type ResponseLimits = Pick<ExecutionLimits, "maxResponseBytes" | "maxResponseCalls" | "maxArgumentBytes">;

export const DEFAULT_RESPONSE_LIMITS: Readonly<ResponseLimits> = {
  maxResponseBytes: 8_388_608,
  maxResponseCalls: 128,
  maxArgumentBytes: 1_048_576,
};

/** One provider's chat API. A client holds no conversation: everything it needs is in messages and options. */
export interface ChatClient {
  /**
   * Sends the messages and resolves with the whole answer.
   * @throws ChatClientError; an abort of `options.signal` is one of kind `aborted`
   */
  getResponse(messages: readonly ChatMessage[], options?: ChatOptions): Promise<ChatResponse>;
  /** Streams the response; the last update is the whole `response`. Leaving the loop ends the request. */
  getStreamingResponse(messages: readonly ChatMessage[], options?: ChatOptions): AsyncIterable<ChatResponseUpdate>;
}

/** A model did not give an answer. The message is for users: no key, no stack, at most a few hundred characters. */
export class ChatClientError extends Error {
  override readonly name = "ChatClientError";
  constructor(
    readonly kind: ChatErrorKind,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}

/** A client with the console's further needs of a provider. */
export interface ModelConnection extends ChatClient {
  /** Whether a message of a user may hold media of this type. A single model may take less. */
  acceptsMedia(mimeType: string): boolean;
  /** Names of models that can chat, as the provider lists them. @throws ChatClientError */
  listModels(signal?: AbortSignal): Promise<string[]>;
}

/** The settings of a client; keys in plain text, never logged. */
export interface ModelConnectionSettings {
  kind: ModelProviderKind;
  /** The key; null where none is needed, as for a local server. */
  apiKey: string | null;
  /** Null for the vendor's own address. */
  baseUrl: string | null;
}

/** The run or the call that sends the request to a model. */
export interface ModelCaller {
  runId?: string | undefined;
  executionId?: string | undefined;
}

export interface ModelDirectory {
  /** @throws AppError NOT_FOUND for an unknown provider, INVALID for one without its key */
  client(provider: string, caller?: ModelCaller): Promise<ChatClient>;
  /** Names the service behind a provider's name now: kind and address. */
  endpoint(provider: string): string;
  /** Tools that one request may offer, as the provider documents it; null where it documents no number. */
  maxTools(provider: string): number | null;
  /** The price of a model; null where none is configured. */
  price(provider: string, model: string): ModelPrice | null;
}

/** A tool exactly as a provider's client sends it. */
export interface WireFormat {
  /** The tool as JSON. */
  tool: unknown;
  /** Every difference from the definition. */
  notes: string[];
}

/** A provider's format, or OpenAI's with `strict: true`, which other programs may ask for. */
export type WireFormatName = Provider | "openai-strict";

/** The body of a request that offers one tool: JSON. */
export type ToRequestBody = (format: WireFormatName, tool: ChatTool) => unknown;

export type ToWireFormat = (format: WireFormatName, tool: ChatTool) => WireFormat;
