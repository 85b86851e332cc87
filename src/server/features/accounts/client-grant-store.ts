import type { User } from "../../../lib/contract/account";
import type { ConnectedClient } from "../../../lib/contract/connected-client-schema";

/** A token that a program received in a user's name. */
export interface StoredAccessToken {
  clientId: string;
  clientName: string;
  scopes: string[];
  /** The addresses that it is for. */
  resources: string[];
  expiresAt: number;
  user: User;
}

/** The access of a program in a user's name, granted by an identity provider. */
export interface GrantedToken {
  userId: string;
  clientId: string;
  scopes: readonly string[];
  resources: readonly string[];
  /** The hash of the access token. */
  tokenHash: string;
  createdAt: number;
  expiresAt: number;
  /** The hash of the assertion, and when it ends. */
  assertion: { hash: string; expiresAt: number };
}

export interface RegisteredClient {
  id: string;
  name: string;
  redirectUris: string[];
  /** Whether it registered the grant type `refresh_token`. */
  refreshes: boolean;
}

/** A client whose id is the address of its metadata. */
export interface DocumentClient {
  id: string;
  /** The program's name; null where its document has none. */
  name: string | null;
  redirectUris: readonly string[];
  grantTypes: readonly string[];
  /** Whether it runs on the user's machine. */
  isNative: boolean;
}

/** A user's consent to a program. */
export interface StoredConsent {
  scopes: string[];
  resources: string[];
  redirectUris: string[];
  /** When the user last allowed it. */
  allowedAt: number;
}

/** Programs that registered themselves, and the consents of users. The auth library creates the rows. */
export interface ClientGrantStore {
  findClient(id: string): Promise<RegisteredClient | null>;
  /** Replaces the addresses that a program may receive answers at. */
  setRedirects(id: string, redirectUris: readonly string[]): Promise<void>;
  /** Adds the client, or replaces its known facts. */
  saveDocumentClient(client: DocumentClient): Promise<void>;
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
  /**
   * Stores an access token that an identity provider's assertion gave, with the consent that the assertion expresses.
   * An assertion can be used once.
   * @returns false for an assertion that was used before
   */
  addGranted(grant: GrantedToken): Promise<boolean>;
  findAccessToken(hash: string): Promise<StoredAccessToken | null>;
  /** Tokens may be requested for this address from now on. */
  addResource(identifier: string): Promise<void>;
  /** Forgets addresses of earlier public URLs. */
  keepResources(origin: string): Promise<void>;
  /** Expired tokens, and programs that are not used. */
  deleteUnused(now: number): Promise<void>;
}
