import type { ChatMessage, ChatOptions, ChatResponse, ChatResponseUpdate } from "../../lib/contract/chat";
import { stringifyWithDigits } from "../../lib/json/number-digits";
import {
  ChatClientError,
  DEFAULT_RESPONSE_LIMITS,
  type ModelConnection,
  type ResponseLimits,
} from "../engine/agent/chat-ports";
import { createOutgoingFetch, type OutgoingFetch } from "../platform/outgoing/outgoing-fetch";
import { type ChatTurn, COMMON_IMAGES, prepareTurn } from "./chat-turn";
import { RefusedParts } from "./refused-parts";
import { checkResponse, limitStream } from "./response-limits";
import type { ResponseReader, Vendor } from "./vendor";
import { parseReply } from "./vendor-error";
import { toFault, type VendorIdentity } from "./vendor-fault";
import { checkStatus, parseEvent, readJson, readStream } from "./vendor-response";
import { type RetryOptions, type RetryPolicy, withRetries, withStreamRetries } from "./with-retries";

export interface ChatClientOptions {
  /** The key in plain text, never logged; null if none is needed. */
  apiKey: string | null;
  /** Null for the vendor's default address. */
  baseUrl: string | null;
  retry?: RetryOptions;
  /** Default: DEFAULT_RESPONSE_LIMITS. */
  limits?: ResponseLimits | undefined;
  /** Default: private addresses are allowed, metadata services are not. */
  fetch?: OutgoingFetch | undefined;
}

/** The time until the response begins. */
const TIMEOUT_MS = 600_000;
/** The pages of a list of models. */
const MAX_PAGES = 50;

/** A client of any vendor: retries, limits, errors, and the lifetime of a request. */
export class VendorClient implements ModelConnection {
  readonly #vendor: Vendor;
  readonly #address: BaseAddress;
  readonly #headers: Headers;
  readonly #fetch: OutgoingFetch;
  readonly #identity: VendorIdentity;
  readonly #refused: RefusedParts;
  readonly #retry: RetryOptions | undefined;
  readonly #limits: ResponseLimits;

  constructor(vendor: Vendor, { apiKey, baseUrl, retry, limits, fetch }: ChatClientOptions) {
    this.#vendor = vendor;
    this.#address = parseBaseAddress(baseUrl ?? vendor.address, vendor);
    const { authorization, host, secrets } = this.#address;
    this.#headers = new Headers({
      "content-type": "application/json",
      "user-agent": "Toolroom",
      ...vendor.headers,
      ...(authorization !== null && { authorization }),
      ...(apiKey !== null &&
        (vendor.keyHeader ? { [vendor.keyHeader]: apiKey } : { authorization: `Bearer ${apiKey}` })),
    });
    this.#fetch = fetch ?? createOutgoingFetch();
    this.#identity = { vendor: vendor.name ?? host, apiKey, secrets };
    this.#refused = new RefusedParts(vendor.parts ?? {});
    this.#retry = retry;
    this.#limits = limits ?? DEFAULT_RESPONSE_LIMITS;
  }

  acceptsMedia(mimeType: string): boolean {
    return (this.#vendor.media ?? COMMON_IMAGES).test(mimeType);
  }

  getResponse(messages: readonly ChatMessage[], options: ChatOptions = {}): Promise<ChatResponse> {
    return this.#request(options.signal, async (link) => {
      const turn = this.#prepare(messages, options, { streaming: false });
      const reader = this.#vendor.createReader(turn);
      // The updates are those of a stream; here only the response counts.
      Array.from(reader.read(parseReply(await readJson(await this.#sendTurn(turn, link), this.#limits))));
      return checkResponse(turn.properties.restore(reader.finish()), this.#limits);
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
    return this.#request(signal, async (link) => {
      const { modelsPath } = this.#vendor;
      const names: string[] = [];
      let query: string | undefined = "";
      for (let page = 0; page < MAX_PAGES && query !== undefined; page += 1) {
        const response = await this.#send(`${modelsPath}${query}`, { method: "GET" }, link);
        const models = this.#vendor.readModels(parseReply(await readJson(response, this.#limits)));
        names.push(...models.names);
        query = models.nextQuery;
      }
      return names;
    });
  }

  async #request<T>(signal: AbortSignal | undefined, act: (link: SignalLink) => Promise<T>): Promise<T> {
    const attempt = async (): Promise<T> => {
      const link = linkSignal(signal);
      try {
        return await act(link);
      } finally {
        link.release();
      }
    };
    return withRetries(attempt, this.#policy(signal));
  }

  async *#stream(messages: readonly ChatMessage[], options: ChatOptions): AsyncGenerator<ChatResponseUpdate> {
    const link = linkSignal(options.signal);
    let isDone = false;
    try {
      const turn = this.#prepare(messages, options, { streaming: true });
      const response = await this.#sendTurn(turn, link);
      // Some endpoints answer a request for a stream with one body.
      const isWhole = this.#vendor.streams === undefined && isJson(response);
      const reader = this.#vendor.createReader({ ...turn, streaming: !isWhole });
      try {
        for await (const lists of isWhole ? this.#readWhole(response, reader) : this.#readEvents(response, reader)) {
          for (const update of mergeUpdates(lists.flat())) yield update;
          if (reader.isComplete) break;
        }
      } catch (error) {
        if (!reader.isUsable || link.signal.aborted) throw error;
      }
      isDone = true;
      yield { type: "response", response: turn.properties.restore(reader.finish()) };
    } finally {
      link.release();
      // A consumer that stops reading ends the request.
      if (!isDone) link.abort();
    }
  }

  /** The updates of the stream, those of one chunk in one list. */
  #readEvents(response: Response, reader: ResponseReader): AsyncGenerator<ChatResponseUpdate[][]> {
    return readStream(response, { format: this.#vendor.streams ?? "events", limits: this.#limits }, (event) => {
      const part = parseEvent(event);
      return part === null ? null : Array.from(reader.read(parseReply(part)));
    });
  }

  async *#readWhole(response: Response, reader: ResponseReader): AsyncGenerator<ChatResponseUpdate[][]> {
    yield [Array.from(reader.read(parseReply(await readJson(response, this.#limits))))];
  }

  #sendTurn(turn: ChatTurn, link: SignalLink): Promise<Response> {
    const required = turn.options.requireMedia ? "images" : null;
    return this.#refused.send(turn.model, required, (without) => {
      const body = stringifyWithDigits(this.#vendor.toBody(turn, without));
      return this.#send(this.#vendor.toPath(turn), { method: "POST", body }, link);
    });
  }

  /** @throws VendorError or RedirectError for a status that is not 200 to 299 */
  async #send(path: string, init: Pick<RequestInit, "method" | "body">, { signal, abort }: SignalLink) {
    const { url } = this.#address;
    if (!URL.canParse(url)) {
      const problem = url === "" ? "This provider has no address" : "The base URL of this provider is not a URL";
      throw new ChatClientError("bad_request", `${problem}. Give it its base URL, such as http://localhost:1234/v1.`);
    }
    const timedOut = () => abort(new Error("the request timed out"));
    const timer = this.#vendor.timesOut === false ? undefined : setTimeout(timedOut, TIMEOUT_MS);
    try {
      return await checkStatus(await this.#fetch(`${url}${path}`, { ...init, headers: this.#headers, signal }));
    } finally {
      clearTimeout(timer);
    }
  }

  #prepare(messages: readonly ChatMessage[], options: ChatOptions, { streaming }: Pick<ChatTurn, "streaming">) {
    const { holdsConversations, media, schemas } = this.#vendor;
    const { host } = this.#address;
    return prepareTurn(messages, options, { streaming, holdsConversations, media, schemas, host });
  }

  #policy(signal: AbortSignal | undefined): RetryPolicy {
    return { toFault: (error) => toFault(error, this.#identity), options: this.#retry, signal };
  }
}

interface SignalLink {
  signal: AbortSignal;
  abort(reason?: unknown): void;
  release(): void;
}

/** A signal for one request, which can also end for a reason of its own. */
function linkSignal(signal: AbortSignal | undefined): SignalLink {
  const controller = new AbortController();
  const abort = (reason?: unknown): void => controller.abort(reason);
  const follow = (): void => abort(signal?.reason);
  if (signal?.aborted) follow();
  signal?.addEventListener("abort", follow, { once: true });
  return { signal: controller.signal, abort, release: () => signal?.removeEventListener("abort", follow) };
}

function isJson({ headers }: Response): boolean {
  return /\bjson\b/i.test(headers.get("content-type") ?? "");
}

/** Joins the pieces of one text, thought or call that arrived together: the layers above cost more per update than per character. */
function mergeUpdates(updates: readonly ChatResponseUpdate[]): ChatResponseUpdate[] {
  const merged: ChatResponseUpdate[] = [];
  for (const update of updates) {
    const last = merged.at(-1);
    if ((update.type === "text" || update.type === "reasoning") && last?.type === update.type) last.text += update.text;
    else if (update.type === "call_delta" && last?.type === "call_delta" && last.callId === update.callId) {
      last.argumentsDelta += update.argumentsDelta;
    } else merged.push(update);
  }
  return merged;
}

/** A provider's address, split for its client. */
interface BaseAddress {
  /** The address without a name and password, and without slashes at its end. */
  url: string;
  /** For messages; with its port unless it is the default one. */
  host: string;
  /** The name and password of the address as an `Authorization` header: `fetch` refuses addresses that contain them. */
  authorization: string | null;
  /** Parts of the address that messages must not repeat. */
  secrets: readonly string[];
}

/**
 * Removes the end that matches `pastedPath`, and adds `path` to an address without one. Text that is no address is kept as
 * it is, and its requests fail.
 */
function parseBaseAddress(
  baseUrl: string,
  { path = "", pastedPath }: Pick<Vendor, "path" | "pastedPath">,
): BaseAddress {
  if (!URL.canParse(baseUrl)) {
    const secrets = [/\/\/([^/]*)@/.exec(baseUrl)?.[1], /[?#](.*)$/s.exec(baseUrl)?.[1]];
    return {
      url: baseUrl,
      host: "the address of this provider",
      authorization: null,
      secrets: secrets.filter((secret) => secret !== undefined),
    };
  }
  const url = new URL(baseUrl);
  const { username, password } = url;
  const hasLogin = username !== "" || password !== "";
  const pair = `${decode(username)}:${decode(password)}`;
  const authorization = hasLogin ? `Basic ${Buffer.from(pair, "utf8").toString("base64")}` : null;
  const parameters = [...url.searchParams.values(), url.search.slice(1), url.hash.slice(1)];
  const secrets = [password, decode(password), hasLogin ? pair : "", authorization ?? "", ...parameters];
  url.username = "";
  url.password = "";
  url.hash = "";
  url.search = "";
  const ownPath = url.pathname.replace(/\/+$/, "");
  url.pathname = (pastedPath === undefined ? ownPath : ownPath.replace(pastedPath, "")) || path;
  return {
    url: url.toString().replace(/\/+$/, ""),
    host: url.host,
    authorization,
    secrets: secrets.filter((secret) => secret !== ""),
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
