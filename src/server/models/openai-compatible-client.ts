import type OpenAI from "openai";
import { ChatClientError } from "../engine/agent/chat-ports";
import type { ChatTurn } from "./chat-turn";
import { createOpenAISdk, listOpenAIModels } from "./openai/openai-sdk";
import { CompletionsReader } from "./openai/read-chat-completions";
import { RefusedParts } from "./openai/refused-parts";
import { COMPLETIONS_PARTS, toCompletionsRequest } from "./openai/to-chat-completions";
import { type ChatClientOptions, type ResponseReader, VendorClient } from "./vendor-client";

/** The endpoint that people copy from a vendor's page. */
const ENDPOINT = /\/chat\/completions\/?$/;

/** Chat Completions at any address. Lenient, since many servers implement this API; the key is optional. */
export class OpenAICompatibleClient extends VendorClient {
  readonly #sdk: OpenAI | null;
  /** The name of this endpoint's `provider` contents. */
  readonly #provider: string;
  readonly #refused = new RefusedParts(COMPLETIONS_PARTS);

  constructor(options: ChatClientOptions) {
    const address = options.baseUrl?.replace(ENDPOINT, "") ?? "";
    super(
      { ...options, baseUrl: address },
      { name: address === "" ? "The provider" : undefined, address, path: "/v1" },
    );
    this.#provider = `openai-compatible ${address === "" ? "" : this.address.host}`;
    this.#sdk = address === "" ? null : createOpenAISdk(this.apiKey, this.address, this.fetch);
  }

  protected send(turn: ChatTurn): Promise<unknown> {
    const { model, options, streaming, signal } = turn;
    const sdk = this.#requireSdk();
    return this.#refused.send<unknown>(
      model,
      (without) => {
        const request = toCompletionsRequest(turn, { without, provider: this.#provider });
        return sdk.chat.completions.create({ ...request, stream: streaming }, { signal });
      },
      options.requireMedia ? "images" : null,
    );
  }

  protected createReader(turn: ChatTurn): ResponseReader {
    return new CompletionsReader(turn, this.#provider);
  }

  protected async fetchModels(signal: AbortSignal): Promise<string[]> {
    return listOpenAIModels(this.#requireSdk(), signal);
  }

  #requireSdk(): OpenAI {
    if (this.#sdk) return this.#sdk;
    const message = "This provider has no address. Give it its base URL, such as http://localhost:1234/v1.";
    throw new ChatClientError("bad_request", message);
  }
}
