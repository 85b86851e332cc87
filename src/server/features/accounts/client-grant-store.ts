import type { Person } from "../../../lib/contract/account";
import type { ConnectedClient } from "../../../lib/contract/connected-client-schema";

/** A token that a program got in a user's name. */
export interface StoredAccessToken {
  clientId: string;
  clientName: string;
  scopes: string[];
  /** The addresses that it is for. */
  resources: string[];
  expiresAt: number;
  person: Person;
}

export interface RegisteredClient {
  id: string;
  name: string;
  redirectUris: string[];
  /** It registered the grant type `refresh_token`. */
  refreshes: boolean;
}

/** A user's consent to a program. */
export interface StoredConsent {
  scopes: string[];
  resources: string[];
  redirectUris: string[];
  /** When the user last allowed it. */
  allowedAt: number;
}

/** Programs that registered themselves, and what people allowed them. Rows are created by the auth library. */
export interface ClientGrantStore {
  findClient(id: string): Promise<RegisteredClient | null>;
  /** Replaces the addresses that a program may receive answers at. */
  setRedirects(id: string, redirectUris: readonly string[]): Promise<void>;
  findConsent(userId: string, clientId: string): Promise<StoredConsent | null>;
  /** The user allowed answers to go to this address. */
  addConsentRedirect(userId: string, clientId: string, redirectUri: string): Promise<void>;
  /** The programs that one user allowed, newest first. */
  list(userId: string): Promise<ConnectedClient[]>;
  /**
   * Deletes consent and tokens: of one program, or of all that the user allowed.
   * @returns whether there were any
   */
  revoke(userId: string, clientId: string | null): Promise<boolean>;
  findAccessToken(hash: string): Promise<StoredAccessToken | null>;
  /** Tokens may be requested for this address from now on. */
  addResource(identifier: string): Promise<void>;
  /** Forgets addresses of earlier public URLs. */
  keepResources(origin: string): Promise<void>;
  /** Expired tokens, and programs that are not used. */
  deleteUnused(now: number): Promise<void>;
}
