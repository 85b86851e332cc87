import type { FetchLike, OAuthClientProvider } from "@modelcontextprotocol/client";
import type { ServerAuth } from "../../../lib/contract";
import type { CredentialStore } from "../../engine/mcp-ports";
import { SignInAttempts } from "./oauth-attempts";
import { createClientCredentialsProvider } from "./oauth-client-credentials";
import { CodeProvider } from "./oauth-code-provider";
import { type CredentialListener, openCredentials } from "./oauth-credentials";
import { createRefreshSharing } from "./oauth-refresh-fetch";

export interface OAuthProviderOptions extends CredentialListener {
  /** The server's name, under which its credentials are kept. */
  server: string;
  /** `oauth` or `client_credentials`. */
  auth: ServerAuth;
  /** The server's address as it is used. Credentials that were got for another one are not sent to it. */
  url?: string;
  credentials: CredentialStore;
  /** The address of the console's `/oauth/callback` while a person begins a sign-in; null for all that runs in the background. */
  redirectUrl: () => string | null;
  variables: Readonly<Record<string, string | undefined>>;
  /** Epoch milliseconds. */
  clock?: { now(): number };
}

export type ServerOAuthProvider = OAuthClientProvider & {
  /** Where the person has to go; null when nobody is waited for. */
  pendingUrl(): string | null;
  /** There is an access token that holds, or one that can be renewed. */
  signedIn(): Promise<boolean>;
  /** Signs out: tokens, registration and sign-ins under way are forgotten here; the authorization server is not told. */
  clear(): Promise<void>;
  /**
   * Whether a callback's `state` belongs to a sign-in that this server waits for. Must be asked before `finishAuth`, which
   * fails without it.
   */
  stateMatches(state: string | null): Promise<boolean>;
  /** Wraps the transport's `fetch`, so that calls side by side renew the sign-in once. */
  shareRefreshes(fetchFn: FetchLike): FetchLike;
};

/**
 * How a connection signs in to its server. With `type: "oauth"` a sign-in is begun only while `redirectUrl` gives an
 * address; in the background tokens are used and renewed, and where that is not enough `UnauthorizedError` says that a
 * person must sign in, with everything stored left as it is. A renewal that failed for another reason than a refusal is an
 * ordinary Error: later it may work.
 * @throws Error for an `auth` that is no OAuth
 */
export function createOAuthProvider(options: OAuthProviderOptions): ServerOAuthProvider {
  const { auth, variables } = options;
  if (auth.type === "none") throw new Error(`Server '${options.server}' has no OAuth settings`);
  const binding = JSON.stringify([options.url ?? null, auth.type, auth.clientId ?? null]);
  const file = openCredentials(options.credentials, options.server, binding, options);
  const now = (): number => options.clock?.now() ?? Date.now();
  const attempts = new SignInAttempts(file, now);
  const provider: OAuthClientProvider =
    auth.type === "oauth"
      ? new CodeProvider(auth, attempts, file, options.redirectUrl, variables)
      : createClientCredentialsProvider(auth, variables, file, now);

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
    shareRefreshes: sharingOf(options.credentials),
  });
}

const sharings = new WeakMap<CredentialStore, (fetchFn: FetchLike) => FetchLike>();

/** One for all connections that read the same tokens: a server that is reconnected has two for a while. */
function sharingOf(credentials: CredentialStore): (fetchFn: FetchLike) => FetchLike {
  const sharing = sharings.get(credentials) ?? createRefreshSharing();
  sharings.set(credentials, sharing);
  return sharing;
}
