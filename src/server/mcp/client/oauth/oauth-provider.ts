import type { FetchLike, OAuthClientProvider, StoredOAuthTokens } from "@modelcontextprotocol/client";
import type { ServerAuth } from "../../../../lib/contract/server";
import type { CredentialStore, UserIdentity } from "../../../engine/mcp-ports";
import { hideSecrets } from "./hide-secrets";
import { createCrossAppProvider } from "./identity-tokens";
import { createClientCredentialsProvider } from "./oauth-client-credentials";
import type { OwnClientDocument } from "./oauth-client-settings";
import { AuthorizationCodeProvider } from "./oauth-code-provider";
import { type CredentialFile, type CredentialListener, openCredentials, storeTokens } from "./oauth-credentials";
import { SignInAttempts } from "./sign-in-attempts";
import { createWorkloadProvider, endAtRefusal } from "./workload-identity";

/** How long a renewal is remembered for requests that were sent with the token before it. */
const SHARED_FOR_MS = 60_000;
const MAX_REJECTED = 1_000;
/** Placeholder until the request is sent. */
const PENDING: Promise<() => Response> = new Promise(() => {});

export interface OAuthProviderOptions extends CredentialListener {
  /** The server's name, the key of its credentials. */
  server: string;
  /** Anything but `none` and `token_exchange`. */
  auth: ServerAuth;
  /** The user of the connection; absent where all users share it. */
  identity?: UserIdentity | undefined;
  /** The server's expanded address. Credentials for another one are not sent to it. */
  url?: string;
  credentials: CredentialStore;
  /** The console's `/oauth/callback` while a user starts a sign-in; null in the background. */
  redirectUrl: () => string | null;
  /** The console path where the user started the sign-in; null for the server's page. */
  returnTo?: () => string | null;
  variables: Readonly<Record<string, string | undefined>>;
  /** Absent where authorization servers cannot fetch one. */
  clientDocument?: OwnClientDocument | undefined;
  /** Epoch milliseconds. */
  clock?: { now(): number };
}

export type ServerOAuthProvider = OAuthClientProvider & {
  /** The sign-in page to open; null when no sign-in is pending. */
  pendingUrl(): string | null;
  /** Whether there is an access token that is valid or can be renewed. */
  signedIn(): Promise<boolean>;
  /** Signs out: discards tokens, registration and pending sign-ins; does not notify the authorization server. */
  clear(): Promise<void>;
  /**
   * Whether a callback's `state` belongs to a pending sign-in of this server. Must be called before `finishAuth`, which
   * fails otherwise.
   */
  stateMatches(state: string | null): Promise<boolean>;
  /** Call it after `stateMatches`: the path of the page where the user started; null for the server's page. */
  returnTo(): string | null;
  /** The scopes that the last finished sign-in requested, as of the last request; undefined without one. */
  askedScope(): string | undefined;
  /** Adds scopes to the next sign-in. */
  demandScope(scope: string | undefined): void;
  /** Wraps the transport's `fetch`, so that concurrent calls refresh the token once. */
  shareRefreshes(fetchFn: FetchLike, sentAuthorization?: (response: Response) => string | undefined): FetchLike;
};

/**
 * Signs a connection in to its server. With `type: "oauth"` a sign-in starts only while `redirectUrl` returns an address.
 * In the background tokens are used and renewed; when that is not enough, `UnauthorizedError` says that a user must sign
 * in, and stored credentials stay unchanged. A renewal that fails without a refusal is an ordinary Error and may be retried.
 * @throws Error for `auth` of another type
 */
export function createOAuthProvider(options: OAuthProviderOptions): ServerOAuthProvider {
  const { auth, variables } = options;
  if (auth.type === "none" || auth.type === "token_exchange")
    throw new Error(`Server '${options.server}' has no OAuth settings`);
  const workload = auth.type === "workload_identity" ? [auth.tokenFrom, auth.tokenFile, auth.tokenVariable] : [];
  const binding = JSON.stringify([options.url ?? null, auth.type, auth.clientId ?? null, ...workload]);
  const file = openCredentials(options.credentials, options.server, binding, options);
  const now = (): number => options.clock?.now() ?? Date.now();
  const attempts = new SignInAttempts(file, now, () => options.returnTo?.() ?? null);
  const { redirectUrl, clientDocument = null } = options;
  const codes =
    auth.type === "oauth"
      ? new AuthorizationCodeProvider(auth, attempts, file, redirectUrl, variables, clientDocument)
      : null;
  const provider: OAuthClientProvider = codes ?? createAutomaticProvider(options, file, now);

  return Object.assign(provider, {
    pendingUrl: () => attempts.pendingUrl,
    signedIn: async () => {
      const { tokens, tokensExpireAt } = await file.read();
      if (tokens === undefined) return false;
      return tokens.refresh_token !== undefined || tokensExpireAt === undefined || tokensExpireAt > now();
    },
    clear: async () => {
      attempts.forget();
      await file.clear();
    },
    stateMatches: (state: string | null) => attempts.matches(state),
    returnTo: () => attempts.returnTo,
    askedScope: () => codes?.lastAskedScope,
    demandScope: (scope: string | undefined) => {
      if (codes !== null) codes.demandedScope = scope;
    },
    shareRefreshes: (fetchFn: FetchLike, sentAuthorization?: (response: Response) => string | undefined) =>
      getRefreshSharing(options.credentials)(guardSecrets(auth, fetchFn), {
        sentAuthorization,
        read: async () => (await file.read()).tokens,
        save: (renewed) =>
          file.update((kept) => storeTokens(kept, { ...kept.tokens, ...(renewed as StoredOAuthTokens) }, now())),
        exclusively: (work) => options.credentials.exclusively?.(options.server, work) ?? work(),
      }),
  });
}

/** What an authorization server says about a refusal never reaches the SDK's own output with the secrets of the request. */
function guardSecrets({ type }: ServerAuth, fetchFn: FetchLike): FetchLike {
  return type === "workload_identity" ? endAtRefusal(fetchFn) : hideSecrets(fetchFn);
}

const sharings = new WeakMap<CredentialStore, RefreshSharing>();

function createAutomaticProvider(
  options: OAuthProviderOptions,
  file: CredentialFile,
  now: () => number,
): OAuthClientProvider {
  const { auth, variables, server, identity } = options;
  switch (auth.type) {
    case "client_credentials":
    case "private_key_jwt":
      return createClientCredentialsProvider(auth, variables, file, now);
    case "workload_identity":
      return createWorkloadProvider(auth, { variables, file, now, onSecret: (value) => options.onSecret?.(value) });
    case "cross_app_access":
      return createCrossAppProvider(auth, { server, variables, identity, file, now });
    default:
      throw new Error(`'${auth.type}' is not an automatic sign-in`);
  }
}

/** Shared by connections that read the same tokens: a reconnecting server has two for a while. */
function getRefreshSharing(credentials: CredentialStore): RefreshSharing {
  const sharing = sharings.get(credentials) ?? createRefreshSharing();
  sharings.set(credentials, sharing);
  return sharing;
}

/** The part of a token response that decides whether it can be shared. */
export interface RenewedTokens {
  access_token: string;
  refresh_token?: string | undefined;
}

/** The stored tokens of one server, and the right to renew them alone. */
interface StoredSignIn {
  /** The header that a response answers, where it is not that of the request; undefined where it is. */
  sentAuthorization?: ((response: Response) => string | undefined) | undefined;
  read(): Promise<RenewedTokens | undefined>;
  /** Stores a renewal; fields that it leaves out stay. */
  save(renewed: RenewedTokens): Promise<void>;
  /** Runs work while no other caller renews the same sign-in. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
}

interface Renewal {
  answer: Promise<() => Response>;
  /** Null while the request is pending, and for an answer without tokens. */
  tokens: RenewedTokens | null;
  /** Infinity while the request is pending. */
  goodUntil: number;
}

type RefreshSharing = (fetchFn: FetchLike, stored?: StoredSignIn) => FetchLike;

/**
 * A `fetch` that renews a sign-in once for all requests that find its access token expired: an authorization server that
 * rotates refresh tokens treats a second use as theft and revokes the sign-in. A later caller, with the old refresh
 * token or the new one, gets the renewed tokens until a server rejects them. All other requests pass through.
 * @param now monotonic milliseconds
 */
export function createRefreshSharing(now: () => number = () => performance.now()): RefreshSharing {
  const renewals = new Map<string, Renewal>();
  /** Access tokens that a server answered with 401. */
  const rejected = new Set<string>();

  function isUsable({ tokens }: Renewal): boolean {
    return tokens === null || !rejected.has(tokens.access_token);
  }

  /** The renewal that used or returned this refresh token. */
  function findRenewal(address: string, token: string): Renewal | undefined {
    for (const [known, { goodUntil }] of renewals) if (now() > goodUntil) renewals.delete(known);
    const found = renewals.get(toKey(address, token));
    return found !== undefined && isUsable(found) ? found : undefined;
  }

  async function renew(
    fetchFn: FetchLike,
    stored: StoredSignIn | undefined,
    request: RefreshRequest,
    onTokens: (tokens: RenewedTokens) => void,
  ): Promise<Response> {
    const send = async () => {
      const response = await fetchFn(request.address, request.init);
      const tokens = await readTokens(response.clone());
      // Called before they are stored, where other instances find the new refresh token.
      if (tokens !== null) onTokens(tokens);
      if (tokens !== null) await stored?.save(tokens);
      return response;
    };
    if (stored === undefined) return send();
    return stored.exclusively(async () => {
      // It may have been renewed a moment ago: the token that was rejected is not the one that is stored.
      const current = await stored.read();
      const isOther = current?.refresh_token !== request.token || rejected.size > 0;
      if (current === undefined || !isOther || rejected.has(current.access_token)) return send();
      onTokens(current);
      return Response.json(current);
    });
  }

  async function share(fetchFn: FetchLike, stored: StoredSignIn | undefined, request: RefreshRequest) {
    const { address, token } = request;
    const known = findRenewal(address, token);
    if (known !== undefined) return (await known.answer)();
    const renewal: Renewal = { answer: PENDING, tokens: null, goodUntil: Number.POSITIVE_INFINITY };
    renewals.set(toKey(address, token), renewal);
    const onTokens = (tokens: RenewedTokens): void => {
      renewal.tokens = tokens;
      if (tokens.refresh_token !== undefined) renewals.set(toKey(address, tokens.refresh_token), renewal);
    };
    renewal.answer = copies(renew(fetchFn, stored, request, onTokens));
    try {
      const copy = await renewal.answer;
      // A refusal is not shared: the next caller sends its own request.
      renewal.goodUntil = copy().ok ? now() + SHARED_FOR_MS : Number.NEGATIVE_INFINITY;
      return copy();
    } catch (error) {
      renewals.delete(toKey(address, token));
      throw error;
    }
  }

  return (fetchFn, stored) => async (url, init) => {
    const request = readRefresh(url, init);
    if (request !== null) return share(fetchFn, stored, request);
    const response = await fetchFn(url, init);
    const sent = response.status === 401 ? readBearer(init, stored?.sentAuthorization?.(response)) : undefined;
    if (sent !== undefined) {
      if (rejected.size >= MAX_REJECTED) rejected.clear();
      rejected.add(sent);
    }
    return response;
  };
}

interface RefreshRequest {
  address: string;
  token: string;
  init: RequestInit;
}

function readRefresh(url: string | URL, init: RequestInit | undefined): RefreshRequest | null {
  const body = init?.body;
  if (init?.method !== "POST" || !(body instanceof URLSearchParams)) return null;
  const token = body.get("refresh_token");
  return body.get("grant_type") === "refresh_token" && token !== null ? { address: String(url), token, init } : null;
}

const toKey = (address: string, token: string): string => `${address} ${token}`;

function readBearer(init: RequestInit | undefined, sent: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(sent ?? new Headers(init?.headers).get("authorization") ?? "")?.[1];
}

/** Null for a refusal, and for a text that is not a token response. */
async function readTokens(response: Response): Promise<RenewedTokens | null> {
  if (!response.ok) return null;
  const body = (await response.json().catch(() => null)) as Partial<RenewedTokens> | null;
  return typeof body?.access_token === "string" ? (body as RenewedTokens) : null;
}

async function copies(pending: Promise<Response>): Promise<() => Response> {
  const response = await pending;
  const { status, statusText } = response;
  const headers = [...response.headers];
  const text = await response.text();
  return () => new Response(text, { status, statusText, headers });
}
