import { isPlainObject } from "../../lib/contract/json";
import type { ChatTurn } from "./chat-turn";
import { OllamaReader, readJsonLines } from "./ollama/read-ollama";
import { acceptsImageType, toOllamaRequest } from "./ollama/to-ollama";
import { type ChatClientOptions, type ResponseReader, VendorClient } from "./vendor-client";

/** Paths that people copy with an address. */
const PASTED_PATH = /\/(api|v1)$/;
const MAX_MODELS = 2000;
/** Families and names of models that only embed: the list says no more about them. */
const NO_CHAT = /bert|embed|minilm|rerank|\bbge\b/i;

/** Ollama's own API; only a proxy needs a key. Without the vendor's SDK, which logs invalid lines and takes no signal. */
export class OllamaClient extends VendorClient {
  constructor(options: ChatClientOptions) {
    super(options, { name: "Ollama", address: "http://127.0.0.1:11434" });
  }

  override acceptsMedia(mimeType: string): boolean {
    return acceptsImageType(mimeType);
  }

  protected async send(turn: ChatTurn): Promise<unknown> {
    const body = JSON.stringify({ ...toOllamaRequest(turn), stream: turn.streaming });
    const response = await this.#fetchPath("chat", { method: "POST", body, signal: turn.signal });
    return turn.streaming ? readJsonLines(response) : response.json();
  }

  protected createReader(turn: ChatTurn): ResponseReader {
    return new OllamaReader(turn);
  }

  protected async fetchModels(signal: AbortSignal): Promise<string[]> {
    const response = await this.#fetchPath("tags", { signal });
    const body: unknown = await response.json();
    if (!isPlainObject(body) || !Array.isArray(body.models)) throw new SyntaxError("no list of models");
    return body.models.slice(0, MAX_MODELS).flatMap(readChatModel).sort();
  }

  #fetchPath(path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers({ "content-type": "application/json" });
    const authorization = this.apiKey === null ? this.address.authorization : `Bearer ${this.apiKey}`;
    if (authorization !== null) headers.set("authorization", authorization);
    return this.fetch(`${this.address.url.replace(PASTED_PATH, "")}/api/${path}`, { ...init, headers });
  }
}

function readChatModel(model: unknown): string[] {
  if (!isPlainObject(model) || typeof model.name !== "string") return [];
  const family = isPlainObject(model.details) ? model.details.family : "";
  return NO_CHAT.test(`${model.name} ${typeof family === "string" ? family : ""}`) ? [] : [model.name];
}
