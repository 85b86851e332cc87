import { setMaxListeners } from "node:events";
import http from "node:http";
import https from "node:https";
import type { FetchLike } from "@modelcontextprotocol/client";
import { ResponseLostError } from "../session/connection-error";
import { INLINE_CHARS, parseJsonInSlices } from "./parse-in-slices";
import { limitEvents, readAll } from "./response-body";

export interface NodeFetchOptions {
  /** Only requests to this origin get `headers`; those to an authorization server do not. */
  origin: string;
  headers: Readonly<Record<string, string>>;
  /** Limit of a whole body, or of one event of a stream. */
  maxBytes: number;
  /** Called with the credentials of each request, to keep them out of logs. */
  onCredentials(value: string): void;
}

export interface NodeFetch {
  fetch: FetchLike;
  /** Closes idle connections. */
  close(): void;
}

const MAX_REDIRECTS = 5;
const BODILESS = new Set([101, 204, 205, 304]);
/**
 * Shorter than the idle timeout of common servers (Node: 5 s): a request that is sent while the server closes the connection
 * cannot be told from a call that ran.
 */
const IDLE_MS = 2000;

/** Makes an agent close idle sockets after `IDLE_MS`. */
function limitIdleTime<Kind extends http.Agent>(agent: Kind): Kind {
  const keep = agent.keepSocketAlive.bind(agent);
  const reuse = agent.reuseSocket.bind(agent);
  agent.keepSocketAlive = (socket) => {
    const kept = keep(socket) as unknown;
    if (kept !== false) (socket as { setTimeout?(ms: number): void }).setTimeout?.(IDLE_MS);
    return kept as ReturnType<typeof keep>;
  };
  agent.reuseSocket = (socket, request) => {
    (socket as { setTimeout?(ms: number): void }).setTimeout?.(0);
    reuse(socket, request);
  };
  return agent;
}

/**
 * `fetch` over `node:http`: without the five-minute timeouts of the built-in `fetch`, which would cut long tool calls, with
 * a limit of response sizes, and with connections that can be closed.
 */
export function createNodeFetch(options: NodeFetchOptions): NodeFetch {
  const agents = {
    "http:": limitIdleTime(new http.Agent({ keepAlive: true })),
    "https:": limitIdleTime(new https.Agent({ keepAlive: true })),
  };
  const once = (url: URL, init: RequestInit): Promise<Response> => {
    if (url.protocol !== "http:" && url.protocol !== "https:") {
      return Promise.reject(new TypeError(`'${url.protocol}' addresses are not supported`));
    }
    return send(url, init, agents[url.protocol], options);
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
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

/** Redirects are followed for metadata only; the transports handle their own. */
function getRedirect(url: URL, init: RequestInit, response: Response): URL | null {
  if (init.redirect === "manual" || (init.method ?? "GET") !== "GET") return null;
  if (response.status < 300 || response.status >= 400) return null;
  const location = response.headers.get("location");
  if (location === null || !URL.canParse(location, url)) return null;
  const next = new URL(location, url);
  // Never from HTTPS to HTTP.
  return url.protocol === "https:" && next.protocol !== "https:" ? null : next;
}

function buildHeaders(url: URL, init: RequestInit, body: string | null, options: NodeFetchOptions): Headers {
  const headers = new Headers(init.headers);
  if (url.origin === options.origin) {
    for (const [name, value] of Object.entries(options.headers)) if (!headers.has(name)) headers.set(name, value);
  }
  if (body !== null) headers.set("content-length", String(Buffer.byteLength(body)));
  if (body !== null && !headers.has("content-type") && init.body instanceof URLSearchParams) {
    headers.set("content-type", "application/x-www-form-urlencoded;charset=UTF-8");
  }
  const authorization = headers.get("authorization");
  if (authorization !== null) options.onCredentials(authorization);
  return headers;
}

function send(url: URL, init: RequestInit, agent: http.Agent, options: NodeFetchOptions): Promise<Response> {
  const body = init.body === undefined || init.body === null ? null : String(init.body);
  const headers = Object.fromEntries(buildHeaders(url, init, body, options));
  const { signal } = init;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const client = url.protocol === "https:" ? https : http;
    const request = client.request(url, { method: init.method ?? "GET", headers, agent });
    // One signal may serve all requests of a connection.
    if (signal) setMaxListeners(0, signal);
    const abort = (): void => void request.destroy(abortError(signal?.reason));
    signal?.addEventListener("abort", abort, { once: true });
    request.on("close", () => signal?.removeEventListener("abort", abort));
    request.on("error", reject);
    request.on("response", (message) => {
      respond(url, message, options.maxBytes).then(resolve, reject);
    });
    request.end(body ?? undefined);
  });
}

function abortError(reason: unknown): Error {
  return reason instanceof Error ? reason : new DOMException("This operation was aborted", "AbortError");
}

function parse(text: string): unknown {
  return text.length <= INLINE_CHARS ? JSON.parse(text) : parseJsonInSlices(text);
}

async function respond(url: URL, message: http.IncomingMessage, maxBytes: number): Promise<Response> {
  const headers = new Headers();
  for (let index = 0; index + 1 < message.rawHeaders.length; index += 2) {
    headers.append(message.rawHeaders[index] ?? "", message.rawHeaders[index + 1] ?? "");
  }
  const status = message.statusCode ?? 0;
  if (status < 200 || status > 599) {
    message.destroy();
    throw new ResponseLostError(`the server returned the invalid status ${status}, which is none`);
  }
  const init = { status, statusText: message.statusMessage ?? "", headers };
  const streams = headers.get("content-type")?.toLowerCase().startsWith("text/event-stream") === true && status === 200;
  let body: BodyInit | null = null;
  if (BODILESS.has(status)) message.resume();
  else body = streams ? limitEvents(message, maxBytes) : await readAll(message, maxBytes);
  const response = new Response(body, init);
  Object.defineProperty(response, "url", { value: url.href });
  Object.defineProperty(response, "json", { value: async () => parse(await response.text()) });
  return response;
}
