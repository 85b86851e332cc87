import type { LocalRecords } from "../../../lib/contract/account";
import type { Actor } from "../../../lib/contract/actor";
import { AppError } from "../../platform/shared/app-error";
import type { AccountStore } from "./account-store";

/** The records of the local owner, whom everyone was before there were accounts. */
export interface LocalRecordStore {
  /** Calls and runs that began before `before`, in epoch milliseconds, each counted up to `limit`. */
  count(before: number, limit: number): Promise<{ calls: number; runs: number }>;
  /**
   * Gives these calls and runs to a user, and with them the tools and favorites of the local owner. Repeated after an
   * interruption it continues.
   * @returns how many calls and runs it gave
   */
  claim(before: number, user: Actor): Promise<{ calls: number; runs: number }>;
}

export interface LocalRecordPorts {
  store: LocalRecordStore;
  accounts: Pick<AccountStore, "people">;
  onClaimed(): Promise<void>;
}

const COUNT_LIMIT = 10_000;

/** Lets the first owner of a server take over what was recorded before accounts were switched on. */
export function createLocalRecords({ store, accounts, onClaimed }: LocalRecordPorts) {
  /** Records made for the local owner later, such as runs of transcripts, belong to no user. Null for anyone else. */
  async function findBoundary(actor: Actor): Promise<number | null> {
    const users = await accounts.people();
    // Single sign-on may have let others in before.
    const admin = users.find(({ role }) => role === "admin");
    return admin?.id === actor.id ? (users[0]?.createdAt ?? null) : null;
  }

  return {
    /** Null for everyone but the first admin. */
    async localRecords(actor: Actor): Promise<LocalRecords | null> {
      const before = await findBoundary(actor);
      return before === null ? null : { ...(await store.count(before, COUNT_LIMIT)), limit: COUNT_LIMIT };
    },

    async claimLocalRecords(actor: Actor): Promise<{ calls: number; runs: number }> {
      const before = await findBoundary(actor);
      if (before === null) {
        throw new AppError("DENIED", "Only the first admin can claim the calls of the local owner");
      }
      const claimed = await store.claim(before, { id: actor.id, name: actor.name });
      await onClaimed();
      return claimed;
    },
  };
}
