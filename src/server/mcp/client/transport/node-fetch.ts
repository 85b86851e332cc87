import type { FetchLike } from "@modelcontextprotocol/client";
import { INLINE_CHARS, parseJson } from "../../../../lib/parse-in-slices";
import type { AddressPolicy } from "../../../platform/outgoing/address-policy";
import { createOutgoingAgents } from "../../../platform/outgoing/outgoing-agents";
import { BODILESS } from "../../../platform/outgoing/outgoing-fetch";
import { openRequest, readHeaders } from "../../../platform/outgoing/outgoing-request";
import type { OutgoingResponse } from "../../../platform/outgoing/outgoing-response";
import { toMessageText } from "../../fast-path/long-text";
import { ResponseLostError } from "../session/connection-error";
import type { Inflow } from "./inflow";
import type { LooseMessage, MessageId } from "./json-rpc";
import { adoptBody, normalizeText } from "./normalize-message";
import { limitEvents, readAll } from "./response-body";
import { ResultTexts } from "./result-texts";

export interface NodeFetchOptions {
  /** Checks every connection, those to authorization servers and after redirects too. Default: LOCAL_ADDRESSES. */
  addresses?: AddressPolicy | undefined;
  /** The origin whose requests get `headers`; those to an authorization server do not. */
  origin: string;
  headers: Readonly<Record<string, string>>;
  /** Limit of a whole body, or of one event of a stream. */
  maxBytes: number;
  /** Returns a promise that delays the next read of an event stream. Default: no delay. */
  pause?: Inflow["pause"] | undefined;
  /** Called with the credentials of each request, to keep them out of logs. */
  onCredentials(value: string): void;
}

export interface NodeFetch {
  fetch: FetchLike;
  /** Sends a message to the server with the settings' headers; names are in lower case. Resolves to its response, unread. */
  post(
    url: URL,
    request: { headers: Record<string, string>; body: string | Buffer; signal: AbortSignal },
  ): Promise<OutgoingResponse>;
  /**
   * Gives a response to the next `fetch` that would send this body, which then sends nothing.
   * @returns discards the response if it was not fetched
   */
  hand(body: string, response: OutgoingResponse): () => void;
  /** Runs the SDK's `send` of a message, whose request then has the text that was kept of the arguments. */
  sendExact(message: LooseMessage, send: () => Promise<void>): Promise<void>;
  /** The text of the result of a response that `fetch` brought, where `JSON.stringify` would change its numbers. */
  takeResultText(id: MessageId): string | undefined;
  /** The `Authorization` that a handed response answers; undefined for others. */
  sentAuthorization(response: Response): string | undefined;
  /** Closes idle connections. */
  close(): void;
}

const MAX_REDIRECTS = 5;

/**
 * `fetch` over `node:http`: without the five-minute timeouts of the built-in `fetch`, which would cut long tool calls, with
 * a limit of response sizes, and with connections that can be closed.
 */
export function createNodeFetch(options: NodeFetchOptions): NodeFetch {
  const agents = createOutgoingAgents(options.addresses);
  const handed = new Map<string, OutgoingResponse>();
  const replaced = new Map<string, string>();
  const results = new ResultTexts();
  const sent = new WeakMap<object, string>();
  let ownHeaders: Record<string, string> | undefined;
  const once = async (url: URL, init: RequestInit): Promise<Response> => {
    const { method = "GET", signal } = init;
    const body = init.body === undefined || init.body === null ? null : String(init.body);
    const waiting = body === null ? undefined : handed.get(body);
    if (body !== null && waiting !== undefined) {
      handed.delete(body);
      const response = await respond(url, waiting, options, { results, requestId: findRequestId(body) });
      const authorization = sent.get(waiting);
      if (authorization !== undefined) sent.set(response, authorization);
      return response;
    }
    const headers = buildHeaders(url, init, options);
    const sentBody = body === null ? null : (replaced.get(body) ?? body);
    const received = await openRequest(url, { method, headers, body: sentBody, signal }, agents);
    return respond(url, received, options, { results, requestId: body === null ? undefined : findRequestId(body) });
  };
  return {
    async fetch(target, init = {}) {
      let url = new URL(target);
      for (let followed = 0; ; followed += 1) {
        const response = await once(url, init);
        const next = getRedirect(url, init, response);
        if (next === null || followed === MAX_REDIRECTS) return response;
        url = next;
      }
    },
    async post(url, { headers, body, signal }) {
      ownHeaders ??= Object.fromEntries(new Headers(options.headers));
      const all: Record<string, string> = { ...ownHeaders, ...headers };
      if (all.authorization !== undefined) options.onCredentials(all.authorization);
      const response = await openRequest(url, { method: "POST", headers: all, body, signal }, agents);
      if (all.authorization !== undefined && response.statusCode !== 200) sent.set(response, all.authorization);
      return response;
    },
    hand(body, response) {
      handed.set(body, response);
      return () => {
        if (handed.delete(body)) response.destroy();
      };
    },
    sendExact(message, send) {
      const text = toMessageText(message).join("");
      const body = JSON.stringify(message);
      if (text === body) return send();
      replaced.set(body, text);
      return send().finally(() => replaced.delete(body));
    },
    takeResultText: (id) => results.take(id),
    sentAuthorization: (response) => sent.get(response),
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

/** The id of the one request in a body; undefined for anything else, and for a large one. */
function findRequestId(body: string): MessageId | undefined {
  if (body.length > INLINE_CHARS || !body.startsWith("{") || !body.includes('"jsonrpc"')) return undefined;
  const { id, method } = JSON.parse(body) as LooseMessage;
  return method === undefined ? undefined : (id ?? undefined);
}

/** Redirects are followed for metadata only; the transports handle their own. */
function getRedirect(url: URL, init: RequestInit, response: Response): URL | null {
  if (init.redirect === "manual" || (init.method ?? "GET") !== "GET") return null;
  if (response.status < 300 || response.status >= 400) return null;
  const location = response.headers.get("location");
  if (location === null || !URL.canParse(location, url)) return null;
  const next = new URL(location, url);
  // A redirect must not lead from HTTPS to HTTP.
  return url.protocol === "https:" && next.protocol !== "https:" ? null : next;
}

function buildHeaders(url: URL, init: RequestInit, options: NodeFetchOptions): Headers {
  const headers = new Headers(init.headers);
  if (url.origin === options.origin) {
    for (const [name, value] of Object.entries(options.headers)) if (!headers.has(name)) headers.set(name, value);
  }
  if (!headers.has("content-type") && init.body instanceof URLSearchParams) {
    headers.set("content-type", "application/x-www-form-urlencoded;charset=UTF-8");
  }
  const authorization = headers.get("authorization");
  if (authorization !== null) options.onCredentials(authorization);
  return headers;
}

async function respond(
  url: URL,
  message: OutgoingResponse,
  { maxBytes, pause }: Pick<NodeFetchOptions, "maxBytes" | "pause">,
  { results, requestId }: { results: ResultTexts; requestId: MessageId | undefined },
): Promise<Response> {
  const headers = readHeaders(message);
  const status = message.statusCode ?? 0;
  if (status < 200 || status > 599) {
    message.destroy();
    throw new ResponseLostError(`the server returned the invalid status ${status}, which is none`);
  }
  const init = { status, statusText: message.statusMessage ?? "", headers };
  const streams = headers.get("content-type")?.toLowerCase().startsWith("text/event-stream") === true && status === 200;
  let body: BodyInit | null = null;
  if (BODILESS.has(status)) message.resume();
  else
    body = streams
      ? limitEvents(message, maxBytes, pause, (data) => {
          results.note(data);
          return normalizeText(data, requestId);
        })
      : await readAll(message, maxBytes);
  const response = new Response(body, init);
  const readJson = async (): Promise<unknown> => {
    const text = await response.text();
    const value = await parseJson(text);
    const message = requestId === undefined || !response.ok ? value : adoptBody(value, requestId);
    results.note(text, message);
    return message;
  };
  Object.defineProperty(response, "url", { value: url.href });
  Object.defineProperty(response, "json", { value: readJson });
  return response;
}
