import type { PendingInteraction } from "../../../lib/contract";

export interface StoredInteraction {
  /** The copy of the server whose call waits for it. */
  instanceId: string;
  interaction: PendingInteraction;
}

/** Requests for user input, for the copies of the server whose calls do not wait for them. Encrypted. */
export interface InteractionStore {
  add(interaction: PendingInteraction): Promise<void>;
  delete(ids: readonly string[]): Promise<void>;
  /** Those of other copies. */
  listForeign(): Promise<StoredInteraction[]>;
}
