import {
  type FetchLike,
  type OAuthClientProvider,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";

export type HttpClientTransport = SSEClientTransport | StreamableHTTPClientTransport;

export interface HttpTarget {
  kind: "http" | "sse";
  url: URL;
  fetch: FetchLike;
  authProvider: OAuthClientProvider | null;
}

export function createHttpTransport({ kind, url, fetch, authProvider }: HttpTarget): HttpClientTransport {
  const common = authProvider === null ? { fetch } : { fetch, authProvider };
  if (kind === "sse") return new SSEClientTransport(url, common);
  return new StreamableHTTPClientTransport(url, {
    ...common,
    // Of the stream for notifications, and of a call's stream when the server numbered its events.
    reconnectionOptions: {
      initialReconnectionDelay: 500,
      maxReconnectionDelay: 30_000,
      reconnectionDelayGrowFactor: 2,
      maxRetries: 3,
    },
  });
}
