import Anthropic from "@anthropic-ai/sdk";
import type { ChatMessage, ChatOptions, ChatResponse, ChatResponseUpdate } from "../../../lib/contract";
import type { ModelConnection } from "../../engine/chat-ports";
import { readAnthropicMessage, readAnthropicStream } from "./anthropic/read-anthropic";
import { toAnthropicRequest } from "./anthropic/to-anthropic";
import { baseAddress } from "./base-address";
import { CallIds } from "./call-ids";
import type { ChatClientOptions } from "./chat-client-options";
import { withoutVersion } from "./request-basics";
import { toolAliases } from "./tool-aliases";
import { faultOfAnswer, faultOfConnection, faultOfThrown, type VendorIdentity } from "./vendor-fault";
import { vendorFetch } from "./vendor-fetch";
import { type ChatFault, type RetryOptions, type RetryPolicy, withRetries, withStreamRetries } from "./with-retries";

const VENDOR_ADDRESS = "https://api.anthropic.com";
const TIMEOUT_MS = 600_000;
const PAGE_SIZE = 1000;

/** Anthropic's Messages API. */
export class AnthropicClient implements ModelConnection {
  readonly #sdk: Anthropic;
  readonly #identity: VendorIdentity;
  readonly #retry: RetryOptions | undefined;

  constructor({ apiKey, baseUrl, retry }: ChatClientOptions) {
    this.#identity = { vendor: "Anthropic", apiKey };
    this.#retry = retry;
    const { url, authorization } = baseAddress(baseUrl ?? VENDOR_ADDRESS);
    this.#sdk = new Anthropic({
      // An empty key keeps the client from looking for one in the environment and in files.
      apiKey: apiKey ?? "",
      defaultHeaders: headersFor(apiKey, authorization),
      baseURL: withoutVersion(url, "v1"),
      maxRetries: 0,
      timeout: TIMEOUT_MS,
      logLevel: "off",
      fetch: vendorFetch,
    });
  }

  async getResponse(messages: readonly ChatMessage[], options: ChatOptions = {}): Promise<ChatResponse> {
    const aliases = toolAliases(messages, options.tools);
    const request = toAnthropicRequest(messages, options, aliases);
    return withRetries(async () => {
      const message = await this.#sdk.messages.create({ ...request, stream: false }, { signal: options.signal });
      return readAnthropicMessage(message, aliases, new CallIds(messages));
    }, this.#policy(options.signal));
  }

  async *getStreamingResponse(
    messages: readonly ChatMessage[],
    options: ChatOptions = {},
  ): AsyncGenerator<ChatResponseUpdate> {
    const aliases = toolAliases(messages, options.tools);
    const request = toAnthropicRequest(messages, options, aliases);
    const sdk = this.#sdk;
    yield* withStreamRetries(async function* () {
      const events = await sdk.messages.create({ ...request, stream: true }, { signal: options.signal });
      yield* readAnthropicStream(events, aliases, new CallIds(messages));
    }, this.#policy(options.signal));
  }

  async listModels(signal?: AbortSignal): Promise<string[]> {
    return withRetries(async () => {
      const names: string[] = [];
      const asked = this.#sdk.models.list({ limit: PAGE_SIZE }, { signal });
      const { data: page, response } = await asked.withResponse();
      // A page of something else would be read as an empty list.
      if (!response.headers.get("content-type")?.includes("json")) throw new SyntaxError("the list is not JSON");
      for await (const { id, lifecycle } of page) {
        if (lifecycle !== "retired") names.push(id);
      }
      return names;
    }, this.#policy(signal));
  }

  #policy(signal: AbortSignal | undefined): RetryPolicy {
    return { toFault: (error) => toFault(error, this.#identity), options: this.#retry, signal };
  }
}

/**
 * The client sends the key as `authorization`; where the address needs that header for itself, the key travels in the
 * vendor's other one. Null takes a header away: the client refuses to ask without a key unless it is told so.
 */
function headersFor(apiKey: string | null, authorization: string | null): Record<string, string | null> {
  if (apiKey !== null && authorization === null) return {};
  return { authorization, "x-api-key": apiKey };
}

function toFault(error: unknown, identity: VendorIdentity): ChatFault {
  if (error instanceof Anthropic.APIConnectionError) return faultOfConnection(error, identity);
  if (!(error instanceof Anthropic.APIError)) return faultOfThrown(error, identity);
  const { status, type, apiMessage, headers, message } = error;
  // An error inside a stream comes without a status, with the headers of the answer that began well.
  return faultOfAnswer(
    {
      status,
      message: apiMessage ?? message,
      code: type ?? undefined,
      headers: status === undefined ? undefined : headers,
    },
    identity,
  );
}
