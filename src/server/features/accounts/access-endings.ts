import type { AccountStore } from "./account-store";
import type { ClientGrantStore } from "./client-grant-store";
import type { TokenStore } from "./token-store";

export interface AccessEndingPorts {
  store: Pick<AccountStore, "deleteSessions" | "deleteLinks">;
  tokens: Pick<TokenStore, "revokeAll">;
  grants: Pick<ClientGrantStore, "revoke">;
  /** Tells that the rights, sessions or tokens of a user changed: open streams ask again. */
  publishChange(userId: string): Promise<void>;
  now(): number;
}

export type AccessEndings = ReturnType<typeof createAccessEndings>;

/** Ends everything that gives a user access: sessions, tokens, clients, streams and links. */
export function createAccessEndings({ store, tokens, grants, publishChange, now }: AccessEndingPorts) {
  async function endSessions(userId: string, except: string | null = null): Promise<number> {
    const ended = await store.deleteSessions(userId, { except });
    await publishChange(userId);
    return ended;
  }

  /** Revokes tokens permanently: a revoked token is never accepted again. */
  async function endTokens(userId: string): Promise<number> {
    const ended = await tokens.revokeAll(userId, now());
    await publishChange(userId);
    return ended;
  }

  return {
    publishChange,
    endSessions,
    endTokens,

    /** Connected clients have to ask again, and links that only an admin may create end with that role. */
    async endGrants(userId: string, { links }: { links: boolean }): Promise<void> {
      await grants.revoke(userId, null);
      if (links) await store.deleteLinks({ creatorId: userId });
      await publishChange(userId);
    },

    /** Ends everything with which a user acts or returns: sessions first, which could create the rest again. */
    async endAll(userId: string): Promise<{ sessions: number; tokens: number }> {
      const sessions = await endSessions(userId);
      const revoked = await endTokens(userId);
      await grants.revoke(userId, null);
      await store.deleteLinks({ creatorId: userId });
      await store.deleteLinks({ userId });
      await publishChange(userId);
      return { sessions, tokens: revoked };
    },
  };
}
