import type OpenAI from "openai";
import type { ChatMessage, ChatOptions, ChatResponse, ChatResponseUpdate } from "../../../lib/contract";
import { ChatClientError, type ModelConnection } from "../../engine/chat-ports";
import { baseAddress } from "./base-address";
import { CallIds } from "./call-ids";
import type { ChatClientOptions } from "./chat-client-options";
import { listOpenAIModels } from "./openai/list-openai-models";
import { createOpenAISdk, openAIFault } from "./openai/openai-sdk";
import { type CompletionsReading, readCompletion, readCompletionStream } from "./openai/read-chat-completions";
import { RefusedParts } from "./openai/refused-parts";
import { COMPLETIONS_PARTS, toCompletionsRequest } from "./openai/to-chat-completions";
import { requireModel } from "./request-basics";
import { type ToolAliases, toolAliases } from "./tool-aliases";
import type { VendorIdentity } from "./vendor-fault";
import { type RetryOptions, type RetryPolicy, withRetries, withStreamRetries } from "./with-retries";

/** What people copy from a vendor's page. */
const ENDPOINT = /\/chat\/completions\/?$/;

/** Chat Completions at any address. Lenient, since many servers stand behind this API; the key is optional. */
export class OpenAICompatibleClient implements ModelConnection {
  readonly #sdk: OpenAI | null;
  readonly #identity: VendorIdentity;
  readonly #provider: string;
  readonly #retry: RetryOptions | undefined;
  readonly #refused = new RefusedParts(COMPLETIONS_PARTS);

  constructor({ apiKey, baseUrl, retry }: ChatClientOptions) {
    const address = baseUrl === null ? null : baseAddress(baseUrl.replace(ENDPOINT, ""), "/v1");
    this.#identity = { vendor: address?.host ?? "The provider", apiKey };
    this.#provider = `openai-compatible ${address?.host ?? ""}`;
    this.#retry = retry;
    this.#sdk = address && createOpenAISdk(apiKey, address);
  }

  async getResponse(messages: readonly ChatMessage[], options: ChatOptions = {}): Promise<ChatResponse> {
    const aliases = toolAliases(messages, options.tools);
    return withRetries(async () => {
      const body: unknown = await this.#send(messages, options, aliases, false);
      return readCompletion(body, this.#reading(messages, options, aliases));
    }, this.#policy(options.signal));
  }

  async *getStreamingResponse(
    messages: readonly ChatMessage[],
    options: ChatOptions = {},
  ): AsyncGenerator<ChatResponseUpdate> {
    const aliases = toolAliases(messages, options.tools);
    const attempt = async function* (this: OpenAICompatibleClient) {
      const chunks = (await this.#send(messages, options, aliases, true)) as AsyncIterable<unknown>;
      yield* readCompletionStream(chunks, this.#reading(messages, options, aliases));
    };
    yield* withStreamRetries(() => attempt.call(this), this.#policy(options.signal));
  }

  async listModels(signal?: AbortSignal): Promise<string[]> {
    return withRetries(() => listOpenAIModels(this.#requireSdk(), signal), this.#policy(signal));
  }

  async #send(
    messages: readonly ChatMessage[],
    options: ChatOptions,
    aliases: ToolAliases,
    stream: boolean,
  ): Promise<unknown> {
    const { signal } = options;
    const sdk = this.#requireSdk();
    return this.#refused.send(requireModel(options), async (without) => {
      const dialect = { aliases, without, provider: this.#provider, streams: stream };
      const request = toCompletionsRequest(messages, options, dialect);
      return sdk.chat.completions.create({ ...request, stream }, signal ? { signal } : {});
    });
  }

  #requireSdk(): OpenAI {
    if (this.#sdk) return this.#sdk;
    const message = "This provider has no address. Give it its base URL, such as http://localhost:1234/v1.";
    throw new ChatClientError("bad_request", message);
  }

  #reading(messages: readonly ChatMessage[], { signal }: ChatOptions, aliases: ToolAliases): CompletionsReading {
    return { aliases, ids: new CallIds(messages), provider: this.#provider, signal };
  }

  #policy(signal: AbortSignal | undefined): RetryPolicy {
    return { toFault: (error) => openAIFault(error, this.#identity), options: this.#retry, signal };
  }
}
