import { createHash } from "node:crypto";

/** A webhook that brings links for its approver. */
export interface ApprovalChannel {
  id: string;
  /** The address of its receiver. */
  url: string;
  approverId: string | null;
}

export interface StoredChannel {
  webhookId: string;
  userId: string;
  /** The SHA-256 of the address. */
  receiver: string;
  confirmedAt: number;
}

export interface ApprovalChannelStore {
  find(webhookId: string): Promise<StoredChannel | null>;
  /** Replaces the earlier confirmation. */
  save(channel: StoredChannel): Promise<void>;
  delete(webhookId: string): Promise<void>;
}

/**
 * The channels that approvers confirmed: an admin who names another user as approver chooses where that user's links go, so the
 * user has to agree once. Another address or approver ends it, and so does the end of the account.
 */
export function createApprovalChannels({ store, now }: { store: ApprovalChannelStore; now(): number }) {
  const digest = (url: string): string => createHash("sha256").update(url).digest("base64url");
  return {
    /** @returns when it was confirmed as it is now, in epoch milliseconds; null where it was not */
    async findConfirmation({ id, url, approverId }: ApprovalChannel): Promise<number | null> {
      if (approverId === null) return null;
      const stored = await store.find(id);
      const isSame = stored?.userId === approverId && stored.receiver === digest(url);
      return isSame ? stored.confirmedAt : null;
    },

    async confirm({ id, url }: ApprovalChannel, userId: string): Promise<void> {
      await store.save({ webhookId: id, userId, receiver: digest(url), confirmedAt: now() });
    },

    withdraw: (webhookId: string): Promise<void> => store.delete(webhookId),
  };
}
