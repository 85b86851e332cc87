import type { Actor } from "../../../lib/contract/actor";
import type { SpendDimension } from "../../../lib/contract/spend-days";

/** What was spent with one thing in common. Amounts are millionths of a US dollar. */
export interface SpendRow {
  /** The dimension's value; a client has its version. */
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
  /** The user whose spend is read; null: all users. */
  user: string | null;
  by: SpendDimension;
}

/** A response of a model outside of runs. */
export interface ModelSpend {
  actor: Actor;
  /** Its provider and name: `openai/gpt-5`. */
  model: string;
  /** The cost in US dollars. */
  cost: number;
  at: number;
}

export interface SpendStore {
  /** Adds what one response cost to the spend of its day. */
  addModelCall(spend: ModelSpend): Promise<void>;
  read(query: SpendQuery): Promise<SpendRow[]>;
}
