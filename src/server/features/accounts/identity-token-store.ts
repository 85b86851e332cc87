import type { IssuedTokens } from "../../../lib/contract/proven-identity";

/** The tokens of single sign-on, encrypted for their user; they are deleted with the account. */
export interface IdentityTokenStore {
  /** Null for none, for one that cannot be read, and for a user who may not sign in. */
  read(userId: string): Promise<IssuedTokens | null>;
  write(userId: string, identity: IssuedTokens): Promise<void>;
  delete(userId: string): Promise<void>;
}
