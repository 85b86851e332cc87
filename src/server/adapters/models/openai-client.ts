import type OpenAI from "openai";
import type { ChatMessage, ChatOptions, ChatResponse, ChatResponseUpdate } from "../../../lib/contract";
import type { ModelConnection } from "../../engine/chat-ports";
import { baseAddress } from "./base-address";
import { CallIds } from "./call-ids";
import type { ChatClientOptions } from "./chat-client-options";
import { listOpenAIModels } from "./openai/list-openai-models";
import { createOpenAISdk, openAIFault } from "./openai/openai-sdk";
import { type ResponsesReading, readResponse, readResponsesStream } from "./openai/read-responses";
import { RefusedParts } from "./openai/refused-parts";
import { isConversation, isStored, RESPONSES_PARTS, toResponsesRequest } from "./openai/to-responses";
import { requireModel } from "./request-basics";
import { type ToolAliases, toolAliases } from "./tool-aliases";
import type { VendorIdentity } from "./vendor-fault";
import { type RetryOptions, type RetryPolicy, withRetries, withStreamRetries } from "./with-retries";

const VENDOR_ADDRESS = "https://api.openai.com/v1";

/** OpenAI's Responses API. Conversations are held by the vendor only where that is asked for. */
export class OpenAIClient implements ModelConnection {
  readonly #sdk: OpenAI;
  readonly #identity: VendorIdentity;
  readonly #retry: RetryOptions | undefined;
  readonly #refused = new RefusedParts(RESPONSES_PARTS);

  constructor({ apiKey, baseUrl, retry }: ChatClientOptions) {
    this.#identity = { vendor: "OpenAI", apiKey };
    this.#retry = retry;
    this.#sdk = createOpenAISdk(apiKey, baseAddress(baseUrl ?? VENDOR_ADDRESS, "/v1"));
  }

  async getResponse(messages: readonly ChatMessage[], options: ChatOptions = {}): Promise<ChatResponse> {
    const aliases = toolAliases(messages, options.tools);
    return withRetries(async () => {
      const answer = await this.#refused.send(requireModel(options), (without) => {
        const request = toResponsesRequest(messages, options, aliases, without);
        return this.#sdk.responses.create({ ...request, stream: false }, signalOf(options));
      });
      return readResponse(answer, this.#reading(messages, options, aliases));
    }, this.#policy(options.signal));
  }

  async *getStreamingResponse(
    messages: readonly ChatMessage[],
    options: ChatOptions = {},
  ): AsyncGenerator<ChatResponseUpdate> {
    const aliases = toolAliases(messages, options.tools);
    const attempt = async function* (this: OpenAIClient) {
      const events = await this.#refused.send(requireModel(options), (without) => {
        const request = toResponsesRequest(messages, options, aliases, without);
        return this.#sdk.responses.create({ ...request, stream: true }, signalOf(options));
      });
      yield* readResponsesStream(events, this.#reading(messages, options, aliases));
    };
    yield* withStreamRetries(() => attempt.call(this), this.#policy(options.signal));
  }

  async listModels(signal?: AbortSignal): Promise<string[]> {
    return withRetries(() => listOpenAIModels(this.#sdk, signal), this.#policy(signal));
  }

  #reading(messages: readonly ChatMessage[], options: ChatOptions, aliases: ToolAliases): ResponsesReading {
    const { conversationId } = options;
    const held = conversationId !== undefined && isConversation(conversationId) ? conversationId : "own";
    return {
      aliases,
      ids: new CallIds(messages),
      conversationId: isStored(options) ? held : null,
    };
  }

  #policy(signal: AbortSignal | undefined): RetryPolicy {
    return { toFault: (error) => openAIFault(error, this.#identity), options: this.#retry, signal };
  }
}

function signalOf({ signal }: ChatOptions): { signal?: AbortSignal } {
  return signal ? { signal } : {};
}
