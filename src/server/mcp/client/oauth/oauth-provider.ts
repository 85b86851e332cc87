import type { FetchLike, OAuthClientProvider, StoredOAuthTokens } from "@modelcontextprotocol/client";
import type { ServerAuth } from "../../../../lib/contract/server";
import type { CredentialStore } from "../../../engine/mcp-ports";
import { createClientCredentialsProvider } from "./oauth-client-credentials";
import { AuthorizationCodeProvider } from "./oauth-code-provider";
import { type CredentialFile, type CredentialListener, openCredentials, storeTokens } from "./oauth-credentials";
import { createRefreshSharing, type RefreshSharing } from "./refresh-sharing";
import { SignInAttempts } from "./sign-in-attempts";

export interface OAuthProviderOptions extends CredentialListener {
  /** The server's name, the key of its credentials. */
  server: string;
  /** Anything but `none`. */
  auth: ServerAuth;
  /** The server's expanded address. Credentials for another one are not sent to it. */
  url?: string;
  credentials: CredentialStore;
  /** The console's `/oauth/callback` while a user starts a sign-in; null in the background. */
  redirectUrl: () => string | null;
  /** The console path where the user started the sign-in; null for the server's page. */
  returnTo?: () => string | null;
  variables: Readonly<Record<string, string | undefined>>;
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
  /** After `stateMatches`: the path of the page where the user started; null for the server's page. */
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
 * @throws Error for `auth` of type `none`
 */
export function createOAuthProvider(options: OAuthProviderOptions): ServerOAuthProvider {
  const { auth, variables } = options;
  if (auth.type === "none") throw new Error(`Server '${options.server}' has no OAuth settings`);
  const binding = JSON.stringify([options.url ?? null, auth.type, auth.clientId ?? null]);
  const file = openCredentials(options.credentials, options.server, binding, options);
  const now = (): number => options.clock?.now() ?? Date.now();
  const attempts = new SignInAttempts(file, now, () => options.returnTo?.() ?? null);
  const codes =
    auth.type === "oauth" ? new AuthorizationCodeProvider(auth, attempts, file, options.redirectUrl, variables) : null;
  const provider: OAuthClientProvider = codes ?? clientCredentials(options, file, now);

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
      getRefreshSharing(options.credentials)(fetchFn, {
        sentAuthorization,
        read: async () => (await file.read()).tokens,
        save: (renewed) =>
          file.update((kept) => storeTokens(kept, { ...kept.tokens, ...(renewed as StoredOAuthTokens) }, now())),
        exclusively: (work) => options.credentials.exclusively?.(options.server, work) ?? work(),
      }),
  });
}

const sharings = new WeakMap<CredentialStore, RefreshSharing>();

function clientCredentials(
  { auth, variables }: OAuthProviderOptions,
  file: CredentialFile,
  now: () => number,
): OAuthClientProvider {
  if (auth.type === "none" || auth.type === "oauth") throw new Error(`'${auth.type}' is not an automatic sign-in`);
  return createClientCredentialsProvider(auth, variables, file, now);
}

/** Shared by connections that read the same tokens: a reconnecting server has two for a while. */
function getRefreshSharing(credentials: CredentialStore): RefreshSharing {
  const sharing = sharings.get(credentials) ?? createRefreshSharing();
  sharings.set(credentials, sharing);
  return sharing;
}
