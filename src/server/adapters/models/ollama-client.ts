import { Ollama } from "ollama";
import {
  type ChatMessage,
  type ChatOptions,
  type ChatResponse,
  type ChatResponseUpdate,
  isPlainObject,
} from "../../../lib/contract";
import type { ModelConnection } from "../../engine/chat-ports";
import { baseAddress } from "./base-address";
import { CallIds } from "./call-ids";
import type { ChatClientOptions } from "./chat-client-options";
import { guardedFetch, OllamaAnswerError } from "./ollama/guarded-fetch";
import { readOllamaAnswer, readOllamaStream } from "./ollama/read-ollama";
import { toOllamaRequest } from "./ollama/to-ollama";
import { toolAliases } from "./tool-aliases";
import { faultOfAnswer, faultOfThrown, type VendorIdentity } from "./vendor-fault";
import { type ChatFault, type RetryOptions, type RetryPolicy, withRetries, withStreamRetries } from "./with-retries";

const LOCAL_ADDRESS = "http://127.0.0.1:11434";
/** What people copy with an address. */
const PASTED_PATH = /\/(api|v1)$/;
const MAX_MODELS = 2000;
/** Models that only embed, by their families and names: the list tells no more. */
const NO_CHAT = /bert|embed|minilm|rerank|\bbge\b/i;

/** Ollama's own API; a key only where a proxy wants one. */
export class OllamaClient implements ModelConnection {
  readonly #host: string;
  readonly #authorization: string | null;
  readonly #identity: VendorIdentity;
  readonly #retry: RetryOptions | undefined;

  constructor({ apiKey, baseUrl, retry }: ChatClientOptions) {
    const { url, authorization } = baseAddress(baseUrl ?? LOCAL_ADDRESS);
    this.#identity = { vendor: "Ollama", apiKey };
    this.#retry = retry;
    this.#host = url.replace(PASTED_PATH, "");
    this.#authorization = apiKey === null ? authorization : `Bearer ${apiKey}`;
  }

  async getResponse(messages: readonly ChatMessage[], options: ChatOptions = {}): Promise<ChatResponse> {
    const aliases = toolAliases(messages, options.tools);
    const signal = options.signal ?? new AbortController().signal;
    return withRetries(async () => {
      // Made anew for each attempt: the vendor's client changes what it is given.
      const request = toOllamaRequest(messages, options, aliases);
      const body: unknown = await this.#client(signal).chat({ ...request, stream: false });
      return readOllamaAnswer(body, aliases, new CallIds(messages));
    }, this.#policy(options.signal));
  }

  async *getStreamingResponse(
    messages: readonly ChatMessage[],
    options: ChatOptions = {},
  ): AsyncGenerator<ChatResponseUpdate> {
    const aliases = toolAliases(messages, options.tools);
    const attempt = async function* (this: OllamaClient) {
      const left = new AbortController();
      const signal = options.signal ? AbortSignal.any([left.signal, options.signal]) : left.signal;
      try {
        const request = toOllamaRequest(messages, options, aliases);
        const lines = await this.#client(signal).chat({ ...request, stream: true });
        yield* readOllamaStream(lines, aliases, new CallIds(messages));
      } finally {
        // Whoever leaves the loop ends the request.
        left.abort();
      }
    };
    yield* withStreamRetries(() => attempt.call(this), this.#policy(options.signal));
  }

  async listModels(signal?: AbortSignal): Promise<string[]> {
    return withRetries(async () => {
      const body: unknown = await this.#client(signal ?? new AbortController().signal).list();
      if (!isPlainObject(body) || !Array.isArray(body.models)) throw new SyntaxError("no list of models");
      return body.models.slice(0, MAX_MODELS).flatMap(chatModelName).sort();
    }, this.#policy(signal));
  }

  #client(signal: AbortSignal): Ollama {
    return new Ollama({ host: this.#host, fetch: guardedFetch(signal, this.#authorization) });
  }

  #policy(signal: AbortSignal | undefined): RetryPolicy {
    return { toFault: (error) => toFault(error, this.#identity), options: this.#retry, signal };
  }
}

function chatModelName(model: unknown): string[] {
  if (!isPlainObject(model) || typeof model.name !== "string") return [];
  const family = isPlainObject(model.details) ? model.details.family : "";
  return NO_CHAT.test(`${model.name} ${typeof family === "string" ? family : ""}`) ? [] : [model.name];
}

function toFault(error: unknown, identity: VendorIdentity): ChatFault {
  if (!(error instanceof OllamaAnswerError)) return faultOfThrown(error, identity);
  const { status, message, headers } = error;
  return faultOfAnswer({ status, message, headers }, identity);
}
