import type { Role } from "./access";

export interface NewUser {
  email: string;
  name: string;
  role: Role;
  /** Null for a user who signs in at the identity provider only. */
  password: string | null;
  /** Whether an invitation, single sign-on or a trusted proxy confirmed the address. */
  emailVerified: boolean;
}

/** The facts about a user that the identity provider proves. */
export interface ProvenIdentity {
  /** Unique among all issuers. */
  subject: string;
  email: string | null;
  emailVerified: boolean;
  name: string | null;
  /** The values of the configured claim. */
  roles: readonly string[];
}

/** What is kept of the tokens that the identity provider issued at a sign-in. */
export interface IssuedTokens {
  issuer: string;
  subject: string;
  idToken: string;
  /** Null where the provider gave none: the user signs in again once the ID token has expired. */
  refreshToken: string | null;
  /** Epoch milliseconds; of the ID token. */
  expiresAt: number;
}

/** What a token proves about its user. */
export interface ProvenToken {
  issuer: string;
  identity: ProvenIdentity;
  /** The configured audiences that it names. */
  audiences: string[];
  /** Empty for a token without the claim. */
  scopes: string[];
  /** Epoch milliseconds. */
  issuedAt: number;
  expiresAt: number;
}

/** The claims that an ID-JAG proves besides the user. */
export interface ProvenGrant extends ProvenToken {
  /** Unique among those of the issuer. */
  id: string;
  clientId: string;
  resources: string[];
}

export interface SingleSignOnStart {
  /** The path of this server to open afterwards. */
  returnPath: string;
  /** The signed-in user who connects the identity; null to sign in. */
  connectTo: string | null;
}

/** The outcome of a redirect back from the identity provider. */
export interface SingleSignOnEnd {
  /** Sets the session's cookie where the sign-in succeeded. */
  response: Response;
  /** Null when the provider confirmed no identity, or confirmed it in another browser. */
  start: SingleSignOnStart | null;
  identity: ProvenIdentity | null;
  /** Null where the provider issued none. */
  tokens: IssuedTokens | null;
  /** The error of `admit` or the provider; undefined for none. */
  error: unknown;
  signedIn: boolean;
}
