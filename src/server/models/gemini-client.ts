import { type GenerateContentParameters, GoogleGenAI, type HttpOptions } from "@google/genai";
import { withoutVersion } from "./base-address";
import type { ChatTurn } from "./chat-turn";
import { normalizeGeminiError } from "./gemini/normalize-gemini-error";
import { GeminiReader } from "./gemini/read-gemini";
import { ACCEPTED_MEDIA, toGeminiRequest } from "./gemini/to-gemini";
import { type ChatClientOptions, type ResponseReader, VendorClient } from "./vendor-client";

const API_VERSION = "v1beta";
const PAGE_SIZE = 1000;
/** Sent if there is no key, so that the SDK does not look for one in the environment. */
const NO_KEY = "none";

/** Google's Gemini API (`generateContent`). */
export class GeminiClient extends VendorClient {
  readonly #sdk: GoogleGenAI;
  readonly #httpOptions: HttpOptions = { fetch: this.fetch };

  constructor(options: ChatClientOptions) {
    super(options, { name: "Gemini", address: "https://generativelanguage.googleapis.com" });
    const { url, authorization } = this.address;
    this.#sdk = new GoogleGenAI({
      apiKey: this.apiKey || NO_KEY,
      vertexai: false,
      apiVersion: API_VERSION,
      httpOptions: {
        baseUrl: withoutVersion(url, API_VERSION),
        headers: authorization === null ? {} : { authorization },
      },
    });
  }

  override acceptsMedia(mimeType: string): boolean {
    return ACCEPTED_MEDIA.test(mimeType);
  }

  protected send(turn: ChatTurn): Promise<unknown> {
    const { model, contents, config } = toGeminiRequest(turn);
    const request: GenerateContentParameters = {
      model,
      contents,
      config: { ...config, abortSignal: turn.signal, httpOptions: this.#httpOptions },
    };
    const { models } = this.#sdk;
    return turn.streaming ? models.generateContentStream(request) : models.generateContent(request);
  }

  protected createReader(turn: ChatTurn): ResponseReader {
    return new GeminiReader(turn);
  }

  protected async fetchModels(abortSignal: AbortSignal): Promise<string[]> {
    const names: string[] = [];
    const config = { pageSize: PAGE_SIZE, abortSignal, httpOptions: this.#httpOptions };
    for await (const { name, supportedActions } of await this.#sdk.models.list({ config })) {
      if (name && supportedActions?.includes("generateContent")) names.push(name.replace(/^models\//, ""));
    }
    return names;
  }

  protected override normalizeError(error: unknown): unknown {
    return normalizeGeminiError(error);
  }
}
