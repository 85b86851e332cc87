import Anthropic from "@anthropic-ai/sdk";
import { AnthropicReader, parseAnthropicEvent } from "./anthropic/read-anthropic";
import { toAnthropicRequest } from "./anthropic/to-anthropic";
import { withoutVersion } from "./base-address";
import type { ChatTurn } from "./chat-turn";
import { readEventLists } from "./event-lists";
import { type ChatClientOptions, type ResponseReader, VendorClient } from "./vendor-client";

const TIMEOUT_MS = 600_000;
const PAGE_SIZE = 1000;

/** Anthropic's Messages API. */
export class AnthropicClient extends VendorClient {
  readonly #sdk: Anthropic;

  constructor(options: ChatClientOptions) {
    super(options, { name: "Anthropic", address: "https://api.anthropic.com" });
    this.#sdk = new Anthropic({
      // An empty key keeps the SDK from looking for one in the environment and in files.
      apiKey: this.apiKey ?? "",
      defaultHeaders: createHeaders(this.apiKey, this.address.authorization),
      baseURL: withoutVersion(this.address.url, "v1"),
      maxRetries: 0,
      timeout: TIMEOUT_MS,
      logLevel: "off",
      fetch: this.fetch,
    });
  }

  protected async send(turn: ChatTurn): Promise<unknown> {
    const { streaming, signal } = turn;
    const sent = this.#sdk.messages.create({ ...toAnthropicRequest(turn), stream: streaming }, { signal });
    return streaming ? readEventLists(await sent.asResponse(), parseAnthropicEvent) : await sent;
  }

  protected createReader(turn: ChatTurn): ResponseReader {
    return new AnthropicReader(turn);
  }

  protected async fetchModels(signal: AbortSignal): Promise<string[]> {
    const names: string[] = [];
    const { data: page, response } = await this.#sdk.models.list({ limit: PAGE_SIZE }, { signal }).withResponse();
    // The SDK would read a page of another type as an empty list.
    if (!response.headers.get("content-type")?.includes("json")) throw new SyntaxError("the list is not JSON");
    for await (const { id, lifecycle } of page) {
      if (lifecycle !== "retired") names.push(id);
    }
    return names;
  }
}

/**
 * The SDK sends the key as `x-api-key`. An address with a name and password needs the `authorization` header. Null removes
 * a header: without a key the SDK refuses to send a request unless both are removed.
 */
function createHeaders(apiKey: string | null, authorization: string | null): Record<string, string | null> {
  if (apiKey !== null && authorization === null) return {};
  return { authorization, "x-api-key": apiKey };
}
