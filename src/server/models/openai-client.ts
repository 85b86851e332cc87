import type OpenAI from "openai";
import type { ChatTurn } from "./chat-turn";
import { createOpenAISdk, listOpenAIModels } from "./openai/openai-sdk";
import { ResponsesReader } from "./openai/read-responses";
import { RefusedParts } from "./openai/refused-parts";
import { RESPONSES_PARTS, toResponsesRequest } from "./openai/to-responses";
import { type ChatClientOptions, type ResponseReader, VendorClient } from "./vendor-client";

/** OpenAI's Responses API. The vendor holds a conversation only if the options ask for it. */
export class OpenAIClient extends VendorClient {
  protected override readonly holdsConversations = true;
  readonly #sdk: OpenAI;
  readonly #refused = new RefusedParts(RESPONSES_PARTS);

  constructor(options: ChatClientOptions) {
    super(options, { name: "OpenAI", address: "https://api.openai.com/v1", path: "/v1" });
    this.#sdk = createOpenAISdk(this.apiKey, this.address, this.fetch);
  }

  protected send(turn: ChatTurn): Promise<unknown> {
    const { model, streaming, signal } = turn;
    return this.#refused.send<unknown>(model, (without) =>
      this.#sdk.responses.create({ ...toResponsesRequest(turn, without), stream: streaming }, { signal }),
    );
  }

  protected createReader(turn: ChatTurn): ResponseReader {
    return new ResponsesReader(turn);
  }

  protected fetchModels(signal: AbortSignal): Promise<string[]> {
    return listOpenAIModels(this.#sdk, signal);
  }
}
