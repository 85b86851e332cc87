import type { SpendDimension } from "../../../lib/contract/spend-days";

/** What was spent with one thing in common. Amounts are millionths of a US dollar. */
export interface SpendRow {
  /** Of a client, with its version. */
  value: string;
  /** The user's newest name; of other dimensions any user's. */
  actorName: string;
  calls: number;
  tools: number;
  models: number;
}

export interface SpendQuery {
  /** Days since 1970, both included. */
  first: number;
  last: number;
  /** The user whose spend it is; null: all users. */
  user: string | null;
  by: SpendDimension;
}

export interface SpendStore {
  read(query: SpendQuery): Promise<SpendRow[]>;
}
