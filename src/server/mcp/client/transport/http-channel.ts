import {
  type AuthProvider,
  type FetchLike,
  type JSONRPCMessage,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
  type Transport,
  type TransportSendOptions,
} from "@modelcontextprotocol/client";
import type { CredentialStore, UserIdentity } from "../../../engine/mcp-ports";
import type { AddressPolicy } from "../../../platform/outgoing/address-policy";
import { LeanHttpTransport, type LeanTransportOptions } from "../../fast-path/lean-transport";
import type { ConnectionLimits } from "../connection/connection-limits";
import type { Redactor } from "../log/redactor";
import type { ServerLog } from "../log/server-log";
import { type AccessChallenge, watchChallenges } from "../oauth/access-challenge";
import { createExchangeProvider } from "../oauth/identity-tokens";
import { readLeniently } from "../oauth/lenient-metadata";
import type { OwnClientDocument } from "../oauth/oauth-client-settings";
import { createOAuthProvider, type ServerOAuthProvider } from "../oauth/oauth-provider";
import { getMessage, type HttpErrorContext } from "../session/describe-error";
import type { ConnectionTarget, Variables } from "../session/resolve-settings";
import { sleep } from "../wait";
import type { Inflow } from "./inflow";
import type { LooseMessage } from "./json-rpc";
import { createNodeFetch, type NodeFetch } from "./node-fetch";

export interface HttpChannelOptions {
  limits: ConnectionLimits;
  log: ServerLog;
  redactor: Redactor;
  credentials: CredentialStore;
  /** The user of the connection; absent where all users share it. */
  identity?: UserIdentity | undefined;
  variables: Variables;
  /** A promise that delays the next read of the server's messages. */
  pause: Inflow["pause"];
  /** The document by which authorization servers know this Toolroom; absent where they cannot fetch one. */
  clientDocument?: OwnClientDocument | undefined;
  /** Checks each connection to a server or its authorization server. Default: LOCAL_ADDRESSES. */
  addresses?: AddressPolicy | undefined;
  /** False: calls take the SDK's own path. Default: true. */
  fastPath?: boolean;
  /** The console's callback address while a user signs in; null in the background. */
  redirectUrl: () => string | null;
  /** The page from which the user starts the sign-in. */
  returnTo: () => string | null;
}

export interface HttpChannel {
  kind: "http";
  transport: SSEClientTransport | StreamableHTTPClientTransport;
  errorContext: HttpErrorContext;
  /** Closes idle connections. */
  release(): void;
}

/** The facts of a connection that signing in needs. */
export interface SignInChannel {
  provider: ServerOAuthProvider;
  transport: HttpChannel["transport"];
  url: URL;
  fetch: FetchLike;
  /** `fetch` checks the issuer itself, against the one that an editor accepted too. */
  skipIssuerMetadataValidation: boolean;
  /** The server's latest refusal on this connection. */
  challenge: () => AccessChallenge | null;
  errorContext: HttpErrorContext;
}

type RemoteTarget = Extract<ConnectionTarget, { transport: "http" | "sse" }>;

/** How one session reaches its server over HTTP; `signIn` is null where the settings have no OAuth. */
export function createHttpChannel(
  server: string,
  target: RemoteTarget,
  options: HttpChannelOptions,
): { channel: HttpChannel; signIn: SignInChannel | null } {
  const { url, headers, auth } = target;
  const { limits, redactor, log, pause } = options;
  const plain = createNodeFetch({
    addresses: options.addresses,
    origin: url.origin,
    headers,
    maxBytes: limits.maxMessageBytes,
    pause,
    onCredentials: (value) => redactor.addTemporary(value),
  });
  let challenge: AccessChallenge | null = null;
  const watched = watchChallenges(plain.fetch, url, (latest) => {
    challenge = latest;
  });
  const onSecret = (value: string): void => redactor.addTemporary(value);
  const exchange =
    auth.type === "token_exchange" ? createExchangeProvider(auth, { ...options, server, onSecret }) : null;
  const provider =
    auth.type === "none" || exchange !== null
      ? null
      : createOAuthProvider({
          ...options,
          server,
          auth,
          url: url.href,
          onSecret,
          onUnreadable: (error) =>
            log.add("toolroom", "warn", `The stored sign-in cannot be read and is ignored: ${getMessage(error)}`),
        });
  const acceptedIssuer = "acceptedIssuer" in auth ? auth.acceptedIssuer : undefined;
  const fetch =
    provider === null
      ? watched
      : provider.shareRefreshes(readLeniently(watched, url, acceptedIssuer), plain.sentAuthorization);
  const { fastPath = true } = options;
  const lean = fastPath ? { requests: plain, maxBytes: limits.maxMessageBytes, pause } : null;
  const transport = createHttpTransport(target, fetch, provider ?? exchange, {
    lean,
    reopening: new Reopening(limits.reopen),
  });
  keepDigits(transport, plain);
  const errorContext: HttpErrorContext = {
    transport: target.transport,
    auth: auth.type,
    hasAuthorizationHeader: Object.keys(headers).some((name) => name.toLowerCase() === "authorization"),
    askedScope: () => provider?.askedScope(),
    quote: redactor.quote.bind(redactor),
  };
  return {
    channel: { kind: "http", transport, errorContext, release: plain.close },
    signIn:
      provider === null
        ? null
        : {
            provider,
            transport,
            url,
            fetch,
            skipIssuerMetadataValidation: acceptedIssuer !== undefined,
            challenge: () => challenge,
            errorContext,
          },
  };
}

function createHttpTransport(
  { transport, url, auth }: RemoteTarget,
  fetch: FetchLike,
  authProvider: ServerOAuthProvider | AuthProvider | null,
  {
    lean,
    reopening,
  }: { lean: Pick<LeanTransportOptions, "requests" | "maxBytes" | "pause"> | null; reopening: Reopening },
): HttpChannel["transport"] {
  const skipIssuerMetadataValidation = "acceptedIssuer" in auth && auth.acceptedIssuer !== undefined;
  const common = authProvider === null ? { fetch } : { fetch, authProvider, skipIssuerMetadataValidation };
  if (transport === "sse") return new SSEClientTransport(url, { ...common, fetch: reopenLater(fetch, reopening) });
  const sdkOptions: StreamableHTTPClientTransportOptions = {
    ...common,
    // Scopes of a user are granted on the console; client credentials can be exchanged again at once.
    onInsufficientScope: auth.type === "oauth" ? "throw" : "reauthorize",
    reconnectionScheduler(reconnect, wantedMs) {
      const timer = setTimeout(reconnect, reopening.waitMs(wantedMs));
      return () => clearTimeout(timer);
    },
    // Applies to the stream for notifications, and to a call's stream where the server numbers its events.
    reconnectionOptions: {
      initialReconnectionDelay: 500,
      maxReconnectionDelay: 30_000,
      reconnectionDelayGrowFactor: 2,
      maxRetries: 3,
    },
  };
  if (lean === null) return new StreamableHTTPClientTransport(url, sdkOptions);
  const token = authProvider === null ? undefined : readTokenOf(authProvider);
  return new LeanHttpTransport(url, { ...sdkOptions, ...lean, token });
}

function readTokenOf(provider: ServerOAuthProvider | AuthProvider): () => Promise<string | undefined> {
  return "tokens" in provider ? async () => (await provider.tokens())?.access_token : () => provider.token();
}

/** A transport of the SDK's writes and reads messages itself, and so other digits than were sent. */
function keepDigits(transport: HttpChannel["transport"], requests: NodeFetch): void {
  Object.assign(transport, { takeResultText: requests.takeResultText });
  if (transport instanceof LeanHttpTransport) return;
  const send = transport.send.bind(transport) as Transport["send"];
  transport.send = (message: JSONRPCMessage, options?: TransportSendOptions) =>
    requests.sendExact(message as LooseMessage, () => send(message, options));
}

/** The SDK's reader of a legacy stream opens it again after exactly what the server asks for. */
function reopenLater(fetch: FetchLike, reopening: Reopening): FetchLike {
  let isFirst = true;
  return async (url, init = {}) => {
    if ((init.method ?? "GET") === "GET" && new Headers(init.headers).get("accept") === "text/event-stream") {
      if (!isFirst) await sleep(reopening.waitMs(0), init.signal ?? new AbortController().signal);
      isFirst = false;
    }
    return await fetch(url, init);
  };
}

/** How long a stream of events that has ended stays closed, within the limits for its server's wish. */
export class Reopening {
  #openedAt = Number.NEGATIVE_INFINITY;
  #inARow = 0;

  constructor(
    private readonly limits: ConnectionLimits["reopen"],
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** @param wantedMs the wait that the server requested; unchecked, may be negative or huge */
  waitMs(wantedMs: number): number {
    const { minMs, maxShortMs, maxMs, calmMs } = this.limits;
    const now = this.now();
    this.#inARow = now - this.#openedAt < calmMs ? this.#inARow + 1 : 0;
    // A server that ends its streams at once is asked less and less often.
    const least = Math.min(minMs * 2 ** this.#inARow, maxShortMs);
    const ms = Math.min(Math.max(wantedMs, least), maxMs);
    this.#openedAt = now + ms;
    return ms;
  }
}
