import type { ChatMessage, ChatOptions, ChatResponse, ChatResponseUpdate } from "../../lib/contract/chat";
import { DEFAULT_RESPONSE_LIMITS, type ModelConnection, type ResponseLimits } from "../engine/agent/chat-ports";
import type { OutgoingFetch } from "../platform/outgoing/outgoing-fetch";
import { type BaseAddress, parseBaseAddress } from "./base-address";
import { type ChatTurn, prepareTurn } from "./chat-turn";
import { isCommonImageType } from "./media";
import { checkResponse, limitStream } from "./response-limits";
import { toFault, type VendorIdentity } from "./vendor-fault";
import { createVendorFetch, type VendorFetch } from "./vendor-fetch";
import { type RetryOptions, type RetryPolicy, withRetries, withStreamRetries } from "./with-retries";

export interface ChatClientOptions {
  /** In plain text, never logged; null if none is needed. */
  apiKey: string | null;
  /** Null for the vendor's default address. */
  baseUrl: string | null;
  retry?: RetryOptions;
  /** Default: DEFAULT_RESPONSE_LIMITS. */
  limits?: ResponseLimits;
  /** Default: private addresses are allowed, metadata services are not. */
  fetch?: OutgoingFetch | undefined;
}

/** Builds one response from a single body, or from the events of a stream. */
export interface ResponseReader {
  /** The rest of the stream may be missing: an error that follows is ignored. */
  readonly isUsable?: boolean;
  /** The rest of the stream is not read. */
  readonly isComplete?: boolean;
  read(part: unknown): Iterable<ChatResponseUpdate>;
  /** @throws IncompleteResponseError if the stream ended before the response did */
  finish(): ChatResponse;
}

interface Vendor {
  /** As people know it; the host of the address if absent. */
  name?: string;
  address: string;
  /** The path that an address without one gets, such as `/v1`. */
  path?: string;
}

/** What all vendors have in common: retries, limits, errors, and the lifetime of a request. */
export abstract class VendorClient implements ModelConnection {
  protected readonly apiKey: string | null;
  protected readonly address: BaseAddress;
  protected readonly fetch: VendorFetch;
  protected readonly holdsConversations: boolean = false;
  readonly #identity: VendorIdentity;
  readonly #retry: RetryOptions | undefined;
  readonly #limits: ResponseLimits;

  constructor(options: ChatClientOptions, vendor: Vendor) {
    const { apiKey, baseUrl, retry, limits = DEFAULT_RESPONSE_LIMITS } = options;
    this.apiKey = apiKey;
    this.address = parseBaseAddress(baseUrl ?? vendor.address, vendor.path);
    this.fetch = createVendorFetch(limits, options.fetch);
    this.#identity = { vendor: vendor.name ?? this.address.host, apiKey, secrets: this.address.secrets };
    this.#retry = retry;
    this.#limits = limits;
  }

  /** Resolves with the body of the response; for a streaming turn with an async iterable of its events. */
  protected abstract send(turn: ChatTurn): Promise<unknown>;
  protected abstract createReader(turn: ChatTurn): ResponseReader;
  protected abstract fetchModels(signal: AbortSignal): Promise<string[]>;

  /** Turns an error of the vendor's SDK into one that `toFault` understands. */
  protected normalizeError(error: unknown): unknown {
    return error;
  }

  acceptsMedia(mimeType: string): boolean {
    return isCommonImageType(mimeType);
  }

  getResponse(messages: readonly ChatMessage[], options: ChatOptions = {}): Promise<ChatResponse> {
    return this.#request(options.signal, async (signal) => {
      const turn = this.#prepare(messages, options, { streaming: false, signal });
      const reader = this.createReader(turn);
      // The updates are those of a stream; here only the response counts.
      Array.from(reader.read(await this.send(turn)));
      return checkResponse(reader.finish(), this.#limits);
    });
  }

  getStreamingResponse(
    messages: readonly ChatMessage[],
    options: ChatOptions = {},
  ): AsyncGenerator<ChatResponseUpdate> {
    const attempt = () => this.#stream(messages, options);
    return limitStream(withStreamRetries(attempt, this.#policy(options.signal)), this.#limits);
  }

  listModels(signal?: AbortSignal): Promise<string[]> {
    return this.#request(signal, (ownSignal) => this.fetchModels(ownSignal));
  }

  async #request<T>(signal: AbortSignal | undefined, act: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const attempt = async (): Promise<T> => {
      const link = linkSignal(signal);
      try {
        return await act(link.signal);
      } finally {
        link.release();
      }
    };
    return withRetries(attempt, this.#policy(signal));
  }

  async *#stream(messages: readonly ChatMessage[], options: ChatOptions): AsyncGenerator<ChatResponseUpdate> {
    const { signal, release, abort } = linkSignal(options.signal);
    let isDone = false;
    try {
      const turn = this.#prepare(messages, options, { streaming: true, signal });
      const reader = this.createReader(turn);
      const parts = (await this.send(turn)) as AsyncIterable<unknown>;
      try {
        for await (const part of parts) {
          for (const update of reader.read(part)) yield update;
          if (reader.isComplete) break;
        }
      } catch (error) {
        if (!reader.isUsable || signal.aborted) throw error;
      }
      isDone = true;
      yield { type: "response", response: reader.finish() };
    } finally {
      release();
      // A consumer that leaves the loop ends the request; not every SDK does.
      if (!isDone) abort();
    }
  }

  #prepare(messages: readonly ChatMessage[], options: ChatOptions, request: Pick<ChatTurn, "streaming" | "signal">) {
    return prepareTurn(messages, options, { ...request, holdsConversations: this.holdsConversations });
  }

  #policy(signal: AbortSignal | undefined): RetryPolicy {
    return { toFault: (error) => toFault(this.normalizeError(error), this.#identity), options: this.#retry, signal };
  }
}

/** A signal for one request: an SDK keeps its listeners on the signal it gets, and a caller's signal may live long. */
function linkSignal(signal: AbortSignal | undefined) {
  const controller = new AbortController();
  const abort = (): void => controller.abort(signal?.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort, { once: true });
  return { signal: controller.signal, abort, release: () => signal?.removeEventListener("abort", abort) };
}
