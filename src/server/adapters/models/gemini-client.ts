import { type GenerateContentParameters, GoogleGenAI, type HttpOptions } from "@google/genai";
import type { ChatMessage, ChatOptions, ChatResponse, ChatResponseUpdate } from "../../../lib/contract";
import type { ModelConnection } from "../../engine/chat-ports";
import { baseAddress } from "./base-address";
import { CallIds } from "./call-ids";
import type { ChatClientOptions } from "./chat-client-options";
import { type SeenAnswer, toGeminiFault } from "./gemini/gemini-fault";
import { GeminiReader } from "./gemini/read-gemini";
import { toGeminiRequest } from "./gemini/to-gemini";
import { withoutVersion } from "./request-basics";
import { toolAliases } from "./tool-aliases";
import type { VendorIdentity } from "./vendor-fault";
import { vendorFetch } from "./vendor-fetch";
import { type RetryOptions, type RetryPolicy, withRetries, withStreamRetries } from "./with-retries";

const VENDOR_ADDRESS = "https://generativelanguage.googleapis.com";
const API_VERSION = "v1beta";
const PAGE_SIZE = 1000;
/** Sent where there is no key, so that the client does not look for one in the environment. */
const NO_KEY = "none";

/** Google's Gemini API (`generateContent`). */
export class GeminiClient implements ModelConnection {
  readonly #sdk: GoogleGenAI;
  readonly #identity: VendorIdentity;
  readonly #retry: RetryOptions | undefined;

  constructor({ apiKey, baseUrl, retry }: ChatClientOptions) {
    this.#identity = { vendor: "Gemini", apiKey };
    this.#retry = retry;
    const { url, authorization } = baseAddress(baseUrl ?? VENDOR_ADDRESS);
    this.#sdk = new GoogleGenAI({
      apiKey: apiKey || NO_KEY,
      vertexai: false,
      apiVersion: API_VERSION,
      httpOptions: {
        baseUrl: withoutVersion(url, API_VERSION),
        ...(authorization === null ? {} : { headers: { authorization } }),
      },
    });
  }

  async getResponse(messages: readonly ChatMessage[], options: ChatOptions = {}): Promise<ChatResponse> {
    const aliases = toolAliases(messages, options.tools);
    const request = toGeminiRequest(messages, options, aliases);
    const seen: SeenAnswer = {};
    return withRetries(
      () =>
        whileOpen(options.signal, async (signal) => {
          const reader = new GeminiReader(aliases, new CallIds(messages));
          reader.read(await this.#sdk.models.generateContent(withTransport(request, signal, seen)));
          return reader.finish();
        }),
      this.#policy(options.signal, seen),
    );
  }

  async *getStreamingResponse(
    messages: readonly ChatMessage[],
    options: ChatOptions = {},
  ): AsyncGenerator<ChatResponseUpdate> {
    const aliases = toolAliases(messages, options.tools);
    const request = toGeminiRequest(messages, options, aliases);
    const seen: SeenAnswer = {};
    const { models } = this.#sdk;
    yield* withStreamRetries(
      async function* () {
        const reader = new GeminiReader(aliases, new CallIds(messages));
        // The vendor's client leaves the connection open when its stream is left: this ends it.
        const leave = new AbortController();
        const unlink = follow(options.signal, leave);
        try {
          const chunks = await models.generateContentStream(withTransport(request, leave.signal, seen));
          for await (const chunk of chunks) yield* reader.read(chunk);
          yield { type: "response" as const, response: reader.finish() };
        } finally {
          unlink();
          leave.abort();
        }
      },
      this.#policy(options.signal, seen),
    );
  }

  async listModels(signal?: AbortSignal): Promise<string[]> {
    const seen: SeenAnswer = {};
    return withRetries(
      () =>
        whileOpen(signal, async (open) => {
          const names: string[] = [];
          const config = { pageSize: PAGE_SIZE, abortSignal: open, httpOptions: transport(seen) };
          for await (const { name, supportedActions } of await this.#sdk.models.list({ config })) {
            if (name && supportedActions?.includes("generateContent")) names.push(name.replace(/^models\//, ""));
          }
          return names;
        }),
      this.#policy(signal, seen),
    );
  }

  #policy(signal: AbortSignal | undefined, seen: SeenAnswer): RetryPolicy {
    return { toFault: (error) => toGeminiFault(error, this.#identity, seen), options: this.#retry, signal };
  }
}

function withTransport(
  request: GenerateContentParameters,
  signal: AbortSignal,
  seen: SeenAnswer,
): GenerateContentParameters {
  return { ...request, config: { ...request.config, abortSignal: signal, httpOptions: transport(seen) } };
}

/** Notes what the vendor's client does not pass on. */
function transport(seen: SeenAnswer): HttpOptions {
  return {
    fetch: async (input, init) => {
      delete seen.status;
      delete seen.headers;
      const response = await vendorFetch(input, init);
      if (!response.ok) Object.assign(seen, { status: response.status, headers: response.headers });
      return response;
    },
  };
}

/** The vendor's client never lets go of a signal that it was given, so it is given one of each request's own. */
async function whileOpen<T>(signal: AbortSignal | undefined, act: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const own = new AbortController();
  const unlink = follow(signal, own);
  try {
    return await act(own.signal);
  } finally {
    unlink();
  }
}

function follow(signal: AbortSignal | undefined, own: AbortController): () => void {
  const abort = () => own.abort(signal?.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort, { once: true });
  return () => signal?.removeEventListener("abort", abort);
}
