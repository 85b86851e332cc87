import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { isPlainObject } from "../../../../lib/contract/json";
import type { CredentialStore } from "../../../engine/mcp-ports";
import { createKeyedMutex, type KeyedMutex } from "../../../platform/shared/mutex";

/** A sign-in in progress. Stored, since the user may return after a restart. */
export interface SignInAttempt {
  state: string;
  codeVerifier: string;
  redirectUrl: string;
  /** The console path where the user started; absent for the server's page. */
  returnTo?: string;
  /** The requested scopes; `""` when none are named. */
  scope?: string;
  /** Epoch milliseconds. */
  startedAt: number;
}

export interface OAuthCredentials {
  /** The authorization server that received this client's credentials first; no other receives them. */
  issuer?: string;
  /** The dynamically registered client; a configured client id is not stored. */
  client?: StoredOAuthClientInformation;
  tokens?: StoredOAuthTokens;
  /** Epoch milliseconds; absent when the authorization server did not say. */
  tokensExpireAt?: number;
  /** Requested by the last finished sign-in; requesting them again is pointless. */
  askedScope?: string;
  discovery?: OAuthDiscoveryState;
  /** The attempts, newest last. */
  attempts: SignInAttempt[];
}

export interface CredentialFile {
  read(): Promise<OAuthCredentials>;
  /** Serialized with the updates of other providers of the same server. */
  update(change: (credentials: OAuthCredentials) => void): Promise<void>;
  clear(): Promise<void>;
}

const queues = new WeakMap<CredentialStore, KeyedMutex>();

export interface CredentialListener {
  /** Receives values that must not be shown. */
  onSecret?(value: string): void;
  /** Called for unreadable credentials, which count as none. */
  onUnreadable?(error: unknown): void;
}

/**
 * One server's stored credentials. Unreadable ones (encrypted with another key) count as none; only a new sign-in
 * overwrites them, since the former key may be restored.
 * @param binding the server address and client they belong to: credentials of another binding count as none, so that a
 * token is never sent to a different server under the same name
 */
export function openCredentials(
  store: CredentialStore,
  server: string,
  binding: string,
  listener: CredentialListener = {},
): CredentialFile {
  /** Used while the stored credentials are unreadable. */
  let substitute: OAuthCredentials | null = null;
  const load = async (): Promise<OAuthCredentials> => {
    let text: string | null;
    try {
      text = await store.read(server);
    } catch (error) {
      if (substitute === null) listener.onUnreadable?.(error);
      substitute ??= { attempts: [] };
      return structuredClone(substitute);
    }
    substitute = null;
    return parseCredentials(text, binding);
  };
  const read = async (): Promise<OAuthCredentials> => reportSecrets(await load(), listener);
  const queue = queues.get(store) ?? createKeyedMutex();
  queues.set(store, queue);
  return {
    read,
    update: (change) =>
      queue(server, async () => {
        const credentials = await read();
        change(credentials);
        reportSecrets(credentials, listener);
        const isSignIn = credentials.tokens !== undefined || credentials.attempts.length > 0;
        if (substitute !== null) substitute = credentials;
        if (substitute !== null && !isSignIn) return;
        await store.write(server, JSON.stringify({ binding, ...credentials }));
      }),
    clear: () => queue(server, () => store.write(server, null)),
  };
}

function reportSecrets(credentials: OAuthCredentials, { onSecret }: CredentialListener): OAuthCredentials {
  const { tokens, client, attempts } = credentials;
  const values: unknown[] = [
    tokens?.access_token,
    tokens?.refresh_token,
    tokens?.id_token,
    client?.client_secret,
    ...attempts.map(({ codeVerifier }) => codeVerifier),
  ];
  for (const value of values) if (typeof value === "string") onSecret?.(value);
  return credentials;
}

/** Invalid text requires a new sign-in instead of failing. */
function parseCredentials(text: string | null, binding: string): OAuthCredentials {
  if (text === null) return { attempts: [] };
  let stored: unknown;
  try {
    stored = JSON.parse(text);
  } catch {
    return { attempts: [] };
  }
  if (!isPlainObject(stored) || stored.binding !== binding) return { attempts: [] };
  const { binding: _, ...credentials } = stored;
  return { ...credentials, attempts: Array.isArray(stored.attempts) ? (stored.attempts as SignInAttempt[]) : [] };
}

/** Stores tokens and permanently remembers the issuer. */
export function storeTokens(credentials: OAuthCredentials, tokens: StoredOAuthTokens, now: number): void {
  credentials.tokens = tokens;
  delete credentials.tokensExpireAt;
  if (tokens.expires_in !== undefined) credentials.tokensExpireAt = now + tokens.expires_in * 1000;
  if (tokens.issuer !== undefined) credentials.issuer = tokens.issuer;
}
