import { readAll } from "../mcp/client/transport/response-body";
import type { OutgoingAgents } from "../platform/outgoing/outgoing-agents";
import { openRequest, readHeaders } from "../platform/outgoing/outgoing-request";
import type { ApiRequest } from "./build-request";
import { encodePairs } from "./serialize-parameter";

/** The credentials of the caller: for the origin of the base URL only. */
export interface Credentials {
  origin: string;
  headers: Readonly<Record<string, string>>;
  query: Readonly<Record<string, string>>;
}

export interface ApiResponse {
  /** The address without credentials. */
  url: URL;
  status: number;
  statusText: string;
  headers: Headers;
  body: Buffer;
}

interface SendOptions {
  agents: OutgoingAgents;
  maxBytes: number;
  signal: AbortSignal;
}

const MAX_REDIRECTS = 5;
const SAFE_METHODS = ["GET", "HEAD", "OPTIONS"];

/**
 * Sends a request and reads its whole response. Redirects of reading requests are followed, each under the address
 * policy; another origin receives neither credentials nor the request's own headers.
 */
export async function sendRequest(
  request: ApiRequest,
  credentials: Credentials | null,
  { agents, maxBytes, signal }: SendOptions,
): Promise<ApiResponse> {
  let { url } = request;
  for (let hop = 0; ; hop += 1) {
    const isHome = url.origin === request.url.origin;
    const mayProve = credentials !== null && url.origin === credentials.origin;
    const sent = mayProve ? withQuery(url, credentials.query) : url;
    const { accept = "*/*" } = request.headers;
    const own = isHome ? request.headers : { accept };
    const headers = {
      "user-agent": "Toolroom",
      ...own,
      ...(mayProve ? credentials.headers : {}),
    };
    const body = isHome ? request.body : null;
    const message = await openRequest(sent, { method: request.method, headers, body, signal }, agents);
    const status = message.statusCode ?? 0;
    const next = hop < MAX_REDIRECTS ? toRedirect(status, message.headers.location, url, request) : null;
    if (next !== null) {
      message.destroy();
      url = next;
      continue;
    }
    const answer = readHeaders(message);
    const content = await readAll(message, maxBytes);
    return { url, status, statusText: message.statusMessage ?? "", headers: answer, body: content };
  }
}

/** Null where the response is the answer. A request that writes is sent again only where its origin asks for exactly that. */
function toRedirect(status: number, location: string | undefined, from: URL, { method, url }: ApiRequest): URL | null {
  if (![301, 302, 303, 307, 308].includes(status) || location === undefined || !URL.canParse(location, from))
    return null;
  const next = new URL(location, from);
  if (SAFE_METHODS.includes(method)) return next;
  return (status === 307 || status === 308) && next.origin === url.origin ? next : null;
}

function withQuery(url: URL, query: Readonly<Record<string, string>>): URL {
  const pairs = encodePairs(Object.entries(query));
  if (pairs === "") return url;
  const proved = new URL(url);
  proved.search = url.search === "" ? pairs : `${url.search.slice(1)}&${pairs}`;
  return proved;
}
