import type { ApiToken, User } from "../../../lib/contract/account";

export interface TokenStore {
  /** Lists the tokens of one user, or of all users; without revoked ones, newest first. */
  list(ownerId: string | null): Promise<ApiToken[]>;
  create(token: ApiToken, hash: string): Promise<void>;
  /** Finds revoked and expired tokens too: the caller refuses them. */
  findByHash(hash: string): Promise<{ token: ApiToken; owner: User; revokedAt: number | null } | null>;
  /** @returns the owner; null where nothing was revoked */
  revoke(id: string, ownerId: string | null, at: number): Promise<string | null>;
  /** @returns how many were revoked */
  revokeAll(ownerId: string, at: number): Promise<number>;
  markUsed(id: string, at: number): Promise<void>;
}
