import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { isPlainObject } from "../../../lib/contract/json";
import type { CredentialStore } from "../../engine/mcp-ports";

/** A sign-in that a person was sent off for. It outlives the process, since the person may come back after a restart. */
export interface SignInAttempt {
  state: string;
  codeVerifier: string;
  redirectUrl: string;
  /** Epoch milliseconds. */
  startedAt: number;
}

/** What one server's sign-in consists of. */
export interface OAuthCredentials {
  /** The authorization server that got this client's credentials first; no other one gets them. */
  issuer?: string;
  /** What a registration gave; a client id of the settings is not kept here. */
  client?: StoredOAuthClientInformation;
  tokens?: StoredOAuthTokens;
  /** Epoch milliseconds; absent where the authorization server did not say. */
  tokensExpireAt?: number;
  discovery?: OAuthDiscoveryState;
  /** Newest last. */
  attempts: SignInAttempt[];
}

export interface CredentialFile {
  read(): Promise<OAuthCredentials>;
  /** Changes are made one after the other, also those of other providers of the same server. */
  update(change: (credentials: OAuthCredentials) => void): Promise<void>;
  clear(): Promise<void>;
}

const queues = new WeakMap<CredentialStore, Map<string, Promise<void>>>();

export interface CredentialListener {
  /** A value that must not be shown. */
  onSecret?(value: string): void;
  /** What is stored cannot be read, and counts as none. */
  onUnreadable?(error: unknown): void;
}

/**
 * One server's credentials in the store. What cannot be read (it was encrypted with another key) counts as none; it is
 * overwritten by a new sign-in alone, since the former key may come back.
 * @param binding what they were made for (address, client): credentials of another binding are as good as none, so that
 * a token never goes to a server that was put in the place of the one that it is for
 */
export function openCredentials(
  store: CredentialStore,
  server: string,
  binding: string,
  listener: CredentialListener = {},
): CredentialFile {
  /** In the place of what cannot be read. */
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
  const read = async (): Promise<OAuthCredentials> => tellSecrets(await load(), listener);
  const enqueue = (work: () => Promise<void>): Promise<void> => {
    const byServer = queues.get(store) ?? new Map<string, Promise<void>>();
    queues.set(store, byServer);
    const done = (byServer.get(server) ?? Promise.resolve()).then(work);
    const settled = done.catch(() => undefined);
    byServer.set(server, settled);
    return done;
  };
  return {
    read,
    update: (change) =>
      enqueue(async () => {
        const credentials = await read();
        change(credentials);
        tellSecrets(credentials, listener);
        const isSignIn = credentials.tokens !== undefined || credentials.attempts.length > 0;
        if (substitute !== null) substitute = credentials;
        if (substitute !== null && !isSignIn) return;
        await store.write(server, JSON.stringify({ binding, ...credentials }));
      }),
    clear: () => enqueue(() => store.write(server, null)),
  };
}

function tellSecrets(credentials: OAuthCredentials, { onSecret }: CredentialListener): OAuthCredentials {
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

/** Text that cannot be read is a sign-in that has to be made again, no reason to fail. */
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

/** Puts new tokens into credentials; what they were issued by is remembered for good. */
export function keepTokens(credentials: OAuthCredentials, tokens: StoredOAuthTokens, now: number): void {
  credentials.tokens = tokens;
  delete credentials.tokensExpireAt;
  if (tokens.expires_in !== undefined) credentials.tokensExpireAt = now + tokens.expires_in * 1000;
  if (tokens.issuer !== undefined) credentials.issuer = tokens.issuer;
}
